// Reports the state of the data derived from the log: the position and build time of the read
// models, and the last verifications.

import type { Queryable } from '@databases/pg';

import { readModelStanding } from '../../../projections/read-model.ts';
import { readHead } from '../../db/log/event-log.ts';
import { insertVerification, lastVerifications } from '../../db/verifications.ts';
import type { VerificationRow, VerificationSubject } from '../../db/verifications.ts';
import { toRfc3339 } from '../../lib/clock.ts';
import type { LogCheck } from './verify-log.ts';

/** `at` is RFC 3339. `problem` is the first one or null. */
export type Verified = Readonly<{
  at: string;
  by: string;
  position: number;
  problem_count: number;
  problem: string | null;
}>;

/**
 * `built_at` is null until this release's read models are complete. A verification is null if none
 * was made.
 */
export type Derived = Readonly<{
  read_models: Readonly<{ position: number; built_at: string | null }> | null;
  verified: Readonly<Record<VerificationSubject, Verified | null>>;
}>;

/** `hash` is hex, `recorded_at` RFC 3339. */
export type LogStatus = Derived &
  Readonly<{ log_id: string; position: number; hash: string; recorded_at: string }>;

export async function logStatus(db: Queryable): Promise<LogStatus> {
  const { logId, position, hash, recordedAt } = await readHead(db);
  return {
    log_id: logId,
    position,
    hash: Buffer.from(hash).toString('hex'),
    recorded_at: toRfc3339(recordedAt),
    ...(await derivedStatus(db)),
  };
}

export async function derivedStatus(db: Queryable): Promise<Derived> {
  const standing = await readModelStanding(db);
  const rows = await lastVerifications(db);
  const last = (subject: VerificationSubject): Verified | null => {
    const row = rows.find((one) => one.subject === subject);
    return row === undefined ? null : toVerified(row);
  };
  return {
    read_models:
      standing === null
        ? null
        : { position: standing.position, built_at: standing.builtAt?.toISOString() ?? null },
    verified: { chain: last('chain'), read_models: last('read_models') },
  };
}

const toVerified = ({ verified_at: at, verified_by: by, ...row }: VerificationRow): Verified => ({
  at: at.toISOString(),
  by,
  position: row.position,
  problem_count: row.problem_count,
  problem: row.problem,
});

export type Finding = Readonly<{
  subject: VerificationSubject;
  position: number;
  problems: readonly string[];
}>;

/**
 * Read models are not checked if the chain is broken. Problems of the vault belong to the chain,
 * which names its items.
 */
export function findingsOf({ head, tables_position: position, problems, ...check }: LogCheck) {
  const { tables, vault } = check;
  const ofVault = new Set(vault?.problems);
  const textsOf = (isChain: boolean): string[] =>
    problems
      .filter((one) => (one.position !== null || ofVault.has(one)) === isChain)
      .map(({ problem }) => problem);
  const chain = { subject: 'chain', position: head.position, problems: textsOf(true) } as const;
  if (tables === 0 || position === null) return [chain];
  return [chain, { subject: 'read_models', position, problems: textsOf(false) } as const];
}

const problemLengthMax = 1_000;

type Made = Readonly<{ by: string; at: Date }>;

export async function recordFindings(
  db: Queryable,
  findings: readonly Finding[],
  { by, at }: Made,
): Promise<void> {
  for (const { subject, position, problems } of findings) {
    await insertVerification(db, {
      subject,
      verified_at: at,
      verified_by: by,
      position,
      problem_count: problems.length,
      problem: problems[0]?.slice(0, problemLengthMax) ?? null,
    });
  }
}
