// Stores the archive in a directory.

import { randomUUID } from 'node:crypto';
import { link, mkdir, open, readFile, rename, stat, unlink } from 'node:fs/promises';
import path from 'node:path';

import { fileBytesMax } from './target.ts';
import type { Target } from './target.ts';

export function directoryTarget(root: string): Target {
  return {
    place: root,
    write: async (name, bytes) => {
      try {
        // Unlike a rename, a link never replaces a file.
        await placeFile(path.join(root, name), bytes, link);
        return true;
      } catch (error) {
        if (isCode(error, 'EEXIST')) return false;
        throw error;
      }
    },
    replace: (name, bytes) => placeFile(path.join(root, name), bytes, rename),
    read: async (name) => {
      const file = path.join(root, name);
      try {
        const { size } = await stat(file);
        if (size > fileBytesMax) throw new Error(`${file} is larger than ${fileBytesMax} bytes`);
        return await readFile(file);
      } catch (error) {
        if (isCode(error, 'ENOENT')) return null;
        throw error;
      }
    },
  };
}

type Place = (draft: string, file: string) => Promise<void>;

async function placeFile(file: string, bytes: Uint8Array, place: Place): Promise<void> {
  const folder = path.dirname(file);
  const made = await mkdir(folder, { recursive: true });
  const draft = path.join(folder, `.${randomUUID()}.draft`);
  try {
    await using handle = await open(draft, 'wx', 0o440);
    await handle.writeFile(bytes);
    await handle.sync();
    await place(draft, file);
  } finally {
    await unlink(draft).catch(() => {});
  }
  await syncFolders(folder, made ?? folder);
}

/** From a folder up to the first one that was created, and the one that contains that. */
async function syncFolders(from: string, upTo: string): Promise<void> {
  const last = path.dirname(upTo);
  for (let folder = from; ; folder = path.dirname(folder)) {
    await using held = await open(folder);
    await held.sync();
    if (folder === last || folder.length <= last.length) return;
  }
}

const isCode = (error: unknown, code: string): boolean =>
  error instanceof Error && 'code' in error && error.code === code;
