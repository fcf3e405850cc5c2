// Words the refusal of calls while the database is unavailable: cause, consequence and remedy.

import { databaseFailure } from '../../db/failure.ts';
import type { DatabaseFailure } from '../../db/failure.ts';
import { LogForkedError } from '../../db/log/log-forked.ts';
import { refuse } from '../../lib/refusal.ts';
import type { Refusal } from '../../lib/refusal.ts';

const tooBusy = { says: 'the database is unreachable or overloaded', remedy: null };
const retryAfterSeconds = 2;

export function databaseUnavailable(
  failure: DatabaseFailure | null,
  consequence: string | null = null,
): Refusal {
  const { says, remedy } = failure ?? tooBusy;
  const message = [says, consequence, remedy].filter((part) => part !== null).join('; ');
  return refuse('unavailable', message, { retryAfterSeconds });
}

/**
 * Used while the log in the database differs from the one that this process has read
 * (db/log-forked.ts).
 */
export function logForked(consequence: string | null = null): Refusal {
  const says = 'the database lost part of the event log, and this process is reading it again';
  const message = [says, consequence].filter((part) => part !== null).join('; ');
  return refuse('unavailable', message, { retryAfterSeconds: 1 });
}

/** Null if the error has nothing to do with the database. */
export function unavailableBy(error: unknown): Refusal | null {
  if (error instanceof LogForkedError) return logForked();
  const failure = databaseFailure(error);
  return failure === null ? null : databaseUnavailable(failure);
}
