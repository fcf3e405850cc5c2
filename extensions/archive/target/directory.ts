// Stores the archive in a directory.

import { randomUUID } from 'node:crypto';
import { link, mkdir, open, readFile, stat, unlink } from 'node:fs/promises';
import path from 'node:path';

import { fileBytesMax } from './target.ts';
import type { Target } from './target.ts';

export function directoryTarget(root: string): Target {
  return {
    place: root,
    write: async (name, bytes) => {
      const file = path.join(root, name);
      const folder = path.dirname(file);
      const made = await mkdir(folder, { recursive: true });
      const draft = path.join(folder, `.${randomUUID()}.draft`);
      try {
        await using handle = await open(draft, 'wx', 0o440);
        await handle.writeFile(bytes);
        await handle.sync();
        // Unlike a rename, a link never replaces a file.
        await link(draft, file);
      } catch (error) {
        if (isCode(error, 'EEXIST')) return false;
        throw error;
      } finally {
        await unlink(draft).catch(() => {});
      }
      await syncFolders(folder, made ?? folder);
      return true;
    },
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
