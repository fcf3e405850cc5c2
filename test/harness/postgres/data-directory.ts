// Where a test's Postgres server keeps its data: in memory, when there is room. A database is some 300 files, and making them on a
// disk takes ten times as long.

import { randomUUID } from 'node:crypto';
import { readdir, rm, stat, statfs } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';

const memory = '/dev/shm';
/** Ten megabytes for each database that is open at the same time, and the log of each server. */
const memoryBytes = 2 * 1024 ** 3;
const prefix = 'gw-postgres-';
/** A directory of this age was left by a run that was killed. */
const leftMs = 24 * 60 * 60 * 1000;

/** The directory does not exist yet. */
export async function dataDirectory(): Promise<
  Readonly<{ directory: string; isInMemory: boolean }>
> {
  await removeLeft();
  const room = await statfs(memory).catch(() => null);
  const isInMemory = room !== null && room.bavail * room.bsize >= memoryBytes;
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
