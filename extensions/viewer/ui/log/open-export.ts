// Opens an export of the log or an evidence pack, and verifies it.

import { nothingTold, toldBy } from './names.ts';
import type { Told } from './names.ts';
import { openLog } from './open-log.ts';
import type { AuditKey, OpenLog, Signed } from './open-log.ts';
import { checkFiles, checkManifest, isPack, logName } from './pack.ts';
import type { Finding, Trust } from '../../../../events/export-check.ts';

export type Progress = Readonly<{ what: string; position: number; done: number }>;

/** For the page. */
export type Summary = Readonly<{
  name: string;
  bytes: number;
  logId: string | null;
  from: number;
  position: number;
  /** The end that the export declares. */
  to: number;
  hash: string | null;
  lastAt: string | null;
  version: number;
  checkpoints: readonly Signed[];
  keys: readonly AuditKey[];
  /** The trusted audit key, and the number of saved checkpoints that were compared. */
  trust: Readonly<{ key: string | null; anchors: number }>;
  finding: Finding | null;
  brokenLine: string | null;
  unread: Finding | null;
  /** True if the export starts at the beginning of its log, so that configurations are known. */
  isFromStart: boolean;
  pack: Readonly<{ files: number; isSigned: boolean; problem: string | null }> | null;
}>;

export type OpenExport = Readonly<{ log: OpenLog; told: Told; summary: Summary }>;

/** Rejects if the files are neither. */
export async function openExport(
  files: readonly File[],
  trust: Trust,
  onProgress: (progress: Progress) => void,
): Promise<OpenExport> {
  const file = logIn(files);
  const checked = isPack(files)
    ? await checkFiles(files, (name) => onProgress({ what: name, position: 0, done: 0 }))
    : null;
  const changes = checked?.intact.has(changesName) === true ? named(files, changesName) : undefined;
  const log = await openLog(file, {
    trust,
    isPack: checked !== null,
    versionBefore: changes === undefined ? 0 : await firstVersion(changes),
    onProgress: ({ readBytes, position }) =>
      onProgress({ what: file.name, position, done: file.size === 0 ? 1 : readBytes / file.size }),
  });
  const told = changes === undefined ? nothingTold : await toldBy(changes);
  const pack = checked === null ? null : await packOf(files, checked, log);
  return { log, told, summary: { ...summaryOf(file, log, trust), pack } };
}

const changesName = 'changes.ndjson';
const firstBytes = 64 * 1_024;

const named = (files: readonly File[], name: string): File | undefined =>
  files.find((one) => one.name === name);

function logIn(files: readonly File[]): File {
  const [first, ...more] = files;
  const file = isPack(files) ? named(files, logName) : first;
  if (file === undefined)
    throw new Error(`an evidence pack needs the file ${logName}, which is missing`);
  if (!isPack(files) && more.length > 0) {
    throw new Error('open one export, or all files of an evidence pack including manifest.json');
  }
  return file;
}

/** Before the first change. */
async function firstVersion(changes: Blob): Promise<number> {
  const [first = ''] = (await changes.slice(0, firstBytes).text()).split('\n');
  return first === '' ? 0 : Number(JSON.parse(first).version_before);
}

type Checked = Awaited<ReturnType<typeof checkFiles>>;

async function packOf(files: readonly File[], { count, problem }: Checked, log: OpenLog) {
  const { verified, finding } = log;
  const isSigned = verified !== null && verified.key !== null;
  const isRead = verified !== null && finding === null;
  const found = problem ?? (isRead ? await checkManifest(files, verified) : null);
  return { files: count, isSigned, problem: found };
}

function summaryOf(file: File, log: OpenLog, trust: Trust): Omit<Summary, 'pack'> {
  const { verified, index } = log;
  const last = index.entries.at(-1);
  return {
    name: file.name,
    bytes: file.size,
    logId: verified?.logId ?? null,
    from: verified?.from ?? 1,
    position: verified?.position ?? 0,
    to: verified?.to ?? 0,
    hash: verified?.hash ?? null,
    lastAt: last === undefined ? null : new Date(last.at).toISOString(),
    version: index.version(index.last()),
    checkpoints: log.checkpoints,
    keys: log.keys,
    trust: { key: trust.key, anchors: trust.anchors.length },
    finding: log.finding,
    brokenLine: log.brokenLine,
    unread: log.unread,
    isFromStart: log.states !== null,
  };
}
