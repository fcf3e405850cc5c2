// Decides under which system account an embedded Postgres runs, and what that account can reach.
// Postgres refuses to run as root, so for root it uses the unprivileged ids 65534.

import { chown, mkdir, realpath, stat } from 'node:fs/promises';
import path from 'node:path';

/** Null is the account of this process. */
export type PostgresAccount = Readonly<{ uid: number; gid: number }> | null;

const nobodyId = 65_534;

export function postgresAccount(): PostgresAccount {
  return process.getuid?.() === 0 ? { uid: nobodyId, gid: nobodyId } : null;
}

export async function makePrivateDirectory(
  account: PostgresAccount,
  directory: string,
): Promise<void> {
  await mkdir(directory, { recursive: true, mode: 0o700 });
  if (account !== null) await chown(directory, account.uid, account.gid);
}

/** True if the account can enter (or run) the target. Each parent directory must be passable too. */
export async function canReach(account: PostgresAccount, target: string): Promise<boolean> {
  if (account === null) return true;
  for (let place = await realpath(target); ; place = path.dirname(place)) {
    const { uid, gid, mode } = await stat(place);
    const enter = uid === account.uid ? 0o100 : gid === account.gid ? 0o010 : 0o001;
    if ((mode & enter) === 0) return false;
    if (place === path.dirname(place)) return true;
  }
}
