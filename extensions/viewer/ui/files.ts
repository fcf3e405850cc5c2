// Reads the files that a person chooses or drops, or that the serving command names.

import type { Trust } from '../../../events/export-check.ts';

/** Excludes subdirectories of a chosen directory. */
export const chosenFiles = (input: HTMLInputElement): readonly File[] =>
  [...(input.files ?? [])].filter(({ webkitRelativePath: path }) => path.split('/').length <= 2);

/** Includes the files of dropped directories. */
export async function droppedFiles(transfer: DataTransfer): Promise<readonly File[]> {
  const entries = [...transfer.items].map((item) => item.webkitGetAsEntry());
  const files = await Promise.all(entries.map(filesIn));
  return files.flat();
}

async function filesIn(entry: FileSystemEntry | null): Promise<readonly File[]> {
  if (entry instanceof FileSystemFileEntry) return [await fileOf(entry)];
  if (!(entry instanceof FileSystemDirectoryEntry)) return [];
  const reader = entry.createReader();
  const found: FileSystemEntry[] = [];
  // Reads entries in batches until there are none.
  for (let more = await piece(reader); more.length > 0; more = await piece(reader)) {
    found.push(...more);
  }
  return Promise.all(found.filter((one) => one instanceof FileSystemFileEntry).map(fileOf));
}

const fileOf = (entry: FileSystemFileEntry): Promise<File> =>
  new Promise((resolve, reject) => entry.file(resolve, reject));

const piece = (reader: FileSystemDirectoryReader): Promise<readonly FileSystemEntry[]> =>
  new Promise((resolve, reject) => reader.readEntries(resolve, reject));

type Served = Readonly<{ files: readonly File[]; trust: Trust }>;

/** None if the page was opened without `gw history view`. */
export async function servedFiles(page: Location): Promise<Served> {
  const query = new URLSearchParams(page.search);
  const fetched = async (address: string): Promise<Blob> => {
    const answer = await fetch(new URL(address, page.href));
    if (!answer.ok) throw new Error(`${address} is no longer served`);
    return answer.blob();
  };
  const named = async (name: string): Promise<File> =>
    new File([await fetched(`files/${encodeURIComponent(name)}`)], name);
  const files = await Promise.all(query.getAll('file').map(named));
  const anchors = query.has('kept') ? notesIn(await (await fetched('kept')).text()) : [];
  return { files, trust: { key: query.get('key'), anchors } };
}

/** In the formats of `gw log export` and of packs. */
export const notesIn = (text: string): readonly string[] =>
  text
    .split(/\r?\n/)
    .filter((line) => line.startsWith('{"checkpoint"'))
    .map((line) => String(JSON.parse(line).checkpoint));
