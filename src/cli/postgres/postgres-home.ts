// Decides where an embedded Postgres keeps its files and its socket: in the directory asked for, wherever its account can
// reach that, and else outside with a link from there (root's home is often closed to every other account).

import { chmod, lstat, mkdir, mkdtemp, readlink, rm, symlink } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';

import { canReach, makePrivateDirectory } from './postgres-account.ts';
import type { PostgresAccount } from './postgres-account.ts';

/** Only root comes to need it, and root can make it. */
const outsideDirectory = '/var/lib/gw';

/** A longer path does not fit in a socket address (107 bytes on Linux, 103 on macOS) with the socket's name behind it. */
const socketDirectoryBytesMax = 80;

export type PostgresHome = Readonly<{
  /** Reached by the account, owned by it, closed to all others. */
  directory: string;
  remove: () => Promise<void>;
}>;

export async function postgresHome(
  account: PostgresAccount,
  wanted: string,
  outside = outsideDirectory,
): Promise<PostgresHome> {
  const moved = await linkTarget(wanted);
  if (moved !== null) return movedHome(account, { wanted, moved });
  await mkdir(path.dirname(wanted), { recursive: true });
  await makePrivateDirectory(account, wanted);
  if (await canReach(account, wanted)) {
    return { directory: wanted, remove: () => rm(wanted, { recursive: true, force: true }) };
  }
  await rm(wanted, { recursive: true, force: true });
  await mkdir(outside, { recursive: true, mode: 0o755 });
  const made = await mkdtemp(path.join(outside, 'postgres-'));
  await symlink(made, wanted);
  return movedHome(account, { wanted, moved: made });
}

async function linkTarget(wanted: string): Promise<string | null> {
  const found = await lstat(wanted).catch(() => null);
  return found?.isSymbolicLink() === true ? readlink(wanted) : null;
}

type Move = Readonly<{ wanted: string; moved: string }>;

async function movedHome(account: PostgresAccount, { wanted, moved }: Move): Promise<PostgresHome> {
  await makePrivateDirectory(account, moved);
  await chmod(moved, 0o700);
  return {
    directory: moved,
    remove: async () => {
      await rm(moved, { recursive: true, force: true });
      await rm(wanted, { force: true });
    },
  };
}

/** Short, fresh, and closed to all but the account. */
export async function makeSocketDirectory(account: PostgresAccount): Promise<string> {
  for (const base of [process.env['XDG_RUNTIME_DIR'], os.tmpdir(), '/tmp']) {
    if (base === undefined || base === '') continue;
    if (Buffer.byteLength(base) + '/gw-XXXXXX'.length > socketDirectoryBytesMax) continue;
    if (!(await canReach(account, base).catch(() => false))) continue;
    const made = await mkdtemp(path.join(base, 'gw-')).catch(() => null);
    if (made === null) continue;
    await makePrivateDirectory(account, made);
    return made;
  }
  throw new Error('no directory for the socket of Postgres: XDG_RUNTIME_DIR, TMPDIR and /tmp fail');
}

/** Whether a path looks like one that was made here, before anything is removed by it. */
export const isSocketDirectory = (directory: string): boolean =>
  /^gw-\w{6}$/.test(path.basename(directory));
