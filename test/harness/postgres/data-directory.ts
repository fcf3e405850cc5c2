// Chooses the data directory of a test's Postgres server: in memory if there is enough, because
// creating a database of some 300 files on a disk takes ten times as long.

import { randomUUID } from 'node:crypto';
import { readFile, readdir, rm, stat, statfs } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';

const memory = '/dev/shm';
/** Ten megabytes for each concurrently open database, plus the server's log. */
const memoryBytes = 2 * 1024 ** 3;
const prefix = 'gw-postgres-';
/** Without a running server, a directory of this age was left by a killed run. */
const unusedMs = 30 * 60 * 1000;
/** With one too: the process may be another that got the same id. */
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
    if (found === null) continue;
    const ageMs = Date.now() - found.mtimeMs;
    if (ageMs < unusedMs || (ageMs < leftMs && (await hasServer(directory)))) continue;
    await rm(directory, { recursive: true, force: true });
  }
}

/** The first line of `postmaster.pid` is the id of the server's process. */
async function hasServer(directory: string): Promise<boolean> {
  const file = await readFile(path.join(directory, 'data', 'postmaster.pid'), 'utf8').catch(
    () => '',
  );
  return isRunning(Number(file.split('\n')[0]));
}

function isRunning(processId: number): boolean {
  if (!Number.isInteger(processId) || processId <= 0) return false;
  try {
    return process.kill(processId, 0);
  } catch (error) {
    // Another user's process is running too.
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}
