// Stores the result of a verification, which the integrity screen and metrics show.

import { hostname, userInfo } from 'node:os';

import type { Finding } from '../../control/log/verifications.ts';
import type { Database } from '../../db/pool.ts';

type ErrorOutput = Readonly<{ stderr: Readonly<{ write: (text: string) => unknown }> }>;

/** A failure only prints a warning: this release may not have migrated the database yet. */
export async function recordVerified(
  db: Database,
  { stderr }: ErrorOutput,
  findings: readonly Finding[],
): Promise<void> {
  const { recordFindings } = await import('../../control/log/verifications.ts');
  try {
    await db.tx((tx) => recordFindings(tx, findings, { by: account(), at: new Date() }));
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    stderr.write(`gw: the result of this verification was not stored: ${why}\n`);
  }
}

function account(): string {
  return `${accountName()}@${hostname()}`;
}

/** A container may run under an account without a name. */
function accountName(): string {
  try {
    return userInfo().username;
  } catch {
    return String(process.getuid?.() ?? 'unknown');
  }
}
