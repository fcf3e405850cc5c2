// Chooses the data directory of a test's Postgres server: in memory if there is enough, because
// creating a database of some 300 files on a disk takes ten times as long.

import { randomUUID } from 'node:crypto';
import { readdir, rm, stat, statfs } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';

const memory = '/dev/shm';
/** Ten megabytes for each concurrently open database, plus the server's log. */
const memoryBytes = 2 * 1024 ** 3;
const prefix = 'gw-postgres-';
/** A directory of this age was left by a killed run. */
const leftMs = 24 * 60 * 60 * 1000;

/** Chooses a directory that does not exist yet. */
export async function dataDirectory(): Promise<
  Readonly<{ directory: string; isInMemory: boolean }>
> {
  await removeLeft();
  const space = await statfs(memory).catch(() => null);
  const isInMemory = space !== null && space.bavail * space.bsize >= memoryBytes;
  const directory = path.join(isInMemory ? memory : os.tmpdir(), `${prefix}${randomUUID()}`);
  return { directory, isInMemory };
}

async function removeLeft(): Promise<void> {
  const names = await readdir(memory).catch(() => []);
  for (const name of names.filter((one) => one.startsWith(prefix))) {
    const directory = path.join(memory, name);
    const found = await stat(directory).catch(() => null);
    if (found === null || found.mtimeMs > Date.now() - leftMs) continue;
    await rm(directory, { recursive: true, force: true });
  }
}
