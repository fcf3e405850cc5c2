// The refusal of a call that needs the database while that is unavailable: what is wrong, what it means, what to do.

import { databaseFailure } from '../../db/failure.ts';
import type { DatabaseFailure } from '../../db/failure.ts';
import { LogForkedError } from '../../db/log/log-forked.ts';
import { refuse } from '../../lib/refusal.ts';
import type { Refusal } from '../../lib/refusal.ts';

/** What is said of a call that waited for its turn too long. */
const tooBusy = { says: 'the database is away or too busy', remedy: null };
const retryAfterSeconds = 2;

export function databaseUnavailable(
  failure: DatabaseFailure | null,
  consequence: string | null = null,
): Refusal {
  const { says, remedy } = failure ?? tooBusy;
  const message = [says, consequence, remedy].filter((part) => part !== null).join('; ');
  return refuse('unavailable', message, { retryAfterSeconds });
}

/** The refusal while the log in the database is not the one that this process has read (db/log-forked.ts). */
export function logForked(consequence: string | null = null): Refusal {
  const says = 'this process is reading the event log again, because the database lost some of it';
  const message = [says, consequence].filter((part) => part !== null).join('; ');
  return refuse('unavailable', message, { retryAfterSeconds: 1 });
}

/** What a call is refused with that failed for want of the database or its log; null for any other fault. */
export function unavailableBy(error: unknown): Refusal | null {
  if (error instanceof LogForkedError) return logForked();
  const failure = databaseFailure(error);
  return failure === null ? null : databaseUnavailable(failure);
}
