// Decides which account of the operating system an embedded Postgres runs under, and what that account can reach.
// Postgres refuses to run as root, and root must not have to create an account for it: it runs as the "nobody" ids instead.

import { chown, mkdir, realpath, stat } from 'node:fs/promises';
import path from 'node:path';

/** `null`: the account that runs this process. */
export type PostgresAccount = Readonly<{ uid: number; gid: number }> | null;

const nobodyId = 65_534;

export function postgresAccount(): PostgresAccount {
  return process.getuid?.() === 0 ? { uid: nobodyId, gid: nobodyId } : null;
}

/** Makes a directory that only the account may enter. */
export async function makePrivateDirectory(
  account: PostgresAccount,
  directory: string,
): Promise<void> {
  await mkdir(directory, { recursive: true, mode: 0o700 });
  if (account !== null) await chown(directory, account.uid, account.gid);
}

/** Whether the account may enter (or run) the target: each directory above it must let it through too. */
export async function canReach(account: PostgresAccount, target: string): Promise<boolean> {
  if (account === null) return true;
  for (let place = await realpath(target); ; place = path.dirname(place)) {
    const { uid, gid, mode } = await stat(place);
    const enter = uid === account.uid ? 0o100 : gid === account.gid ? 0o010 : 0o001;
    if ((mode & enter) === 0) return false;
    if (place === path.dirname(place)) return true;
  }
}
