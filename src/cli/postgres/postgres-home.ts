// Decides where an embedded Postgres stores its files and its socket: in the requested directory if
// its account can reach that, else outside with a link. Other accounts often cannot enter the home
// of root.

import { chmod, lstat, mkdir, mkdtemp, readlink, rm, symlink } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';

import { canReach, makePrivateDirectory } from './postgres-account.ts';
import type { PostgresAccount } from './postgres-account.ts';

/** Only root needs this directory, and root can create it. */
const outsideDirectory = '/var/lib/gw';

/**
 * Longer paths, with the name of the socket, exceed a socket address (107 bytes on Linux, 103 on
 * macOS).
 */
const socketDirectoryBytesMax = 80;

export type PostgresHome = Readonly<{
  /** Reachable and owned by the account, closed to all others. */
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

/** Short and new. Only the account can enter it. */
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
  throw new Error(
    'no directory for the socket of Postgres: XDG_RUNTIME_DIR, TMPDIR and /tmp are unusable',
  );
}

/** Checked before anything is removed. */
export const isSocketDirectory = (directory: string): boolean =>
  /^gw-\w{6}$/.test(path.basename(directory));
