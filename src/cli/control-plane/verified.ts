// Keeps what a verification found, where the integrity of the log is shown.

import { hostname, userInfo } from 'node:os';

import type { Finding } from '../../control/log/verifications.ts';
import type { Database } from '../../db/pool.ts';

type ErrorOutput = Readonly<{ stderr: Readonly<{ write: (text: string) => unknown }> }>;

/** What cannot be kept is said, and takes nothing from the verification: this release may not have migrated the database yet. */
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
    stderr.write(`gw: this verification is not kept: ${why}\n`);
  }
}

function account(): string {
  return `${accountName()}@${hostname()}`;
}

/** A container may run under an account that has no name. */
function accountName(): string {
  try {
    return userInfo().username;
  } catch {
    return String(process.getuid?.() ?? 'unknown');
  }
}
