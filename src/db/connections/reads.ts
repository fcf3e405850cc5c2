// Reads reports from a standby (--database-read-url), or from the primary while the standby is away,
// lags or holds another log. Only for reads that may be some seconds old.

import type { Queryable } from '@databases/pg';
import { z } from 'zod';

import { isDatabaseUnavailable, sqlStateOf } from '../failure.ts';
import type { Database } from '../pool.ts';
import { readRow, text } from '../rows.ts';

/** `read` may run twice: a second time on the primary after the standby failed. */
export type Reads = <Result>(read: (db: Queryable) => Promise<Result>) => Promise<Result>;

export type OpenReads = Readonly<{ reads: Reads; close: () => Promise<void> }>;

type Dependencies = Readonly<{
  primary: Database;
  standby: Database;
  /** Called when the standby is no longer used, with the reason. */
  onUnfit: (reason: unknown) => void;
}>;

/** Older than this, the standby is not read. */
export const lagMaxSeconds = 30;
const checkMs = 5000;
/** The standby cancelled the statement because it conflicted with what it replays. */
const conflictState = '40001';
const timeoutState = '57014';

export function createReads({ primary, standby, onUnfit }: Dependencies): OpenReads {
  let isFit = false;
  let isReported = false;
  const setUnfit = (reason: unknown): void => {
    isFit = false;
    // Only the first time, not at each check.
    if (!isReported) onUnfit(reason);
    isReported = true;
  };
  const check = async (): Promise<void> => {
    const reason = await unfitBecause(primary, standby).catch((error: unknown) => error);
    if (reason !== null) return setUnfit(reason);
    isFit = true;
    isReported = false;
  };

  const closing = new AbortController();
  let timer: NodeJS.Timeout | null = null;
  const checkAgain = async (): Promise<void> => {
    await check();
    if (closing.signal.aborted) return;
    timer = setTimeout(() => void (running = checkAgain()), checkMs);
    timer.unref();
  };
  let running = checkAgain();

  const reads: Reads = async (read) => {
    if (!isFit) return read(primary);
    try {
      return await read(standby);
    } catch (error) {
      if (!isOfStandby(error)) throw error;
      setUnfit(error);
      return read(primary);
    }
  };
  return {
    reads,
    close: async (): Promise<void> => {
      closing.abort();
      if (timer !== null) clearTimeout(timer);
      await running;
      await standby.dispose();
    },
  };
}

/** A statement that takes too long would also do so on the primary. */
function isOfStandby(error: unknown): boolean {
  const state = sqlStateOf(error);
  return state === conflictState || (isDatabaseUnavailable(error) && state !== timeoutState);
}

const logRow = z.object({ log: text, started: text });
const standbyRow = logRow.extend({ lag: z.number().nullable(), isStandby: z.boolean() });

/** Null if the standby may be read. While nothing is written, it counts as lagging. */
async function unfitBecause(primary: Database, standby: Database): Promise<Error | null> {
  const found = await readRow(standby, standbyRow)`
    select log_id as log, pg_postmaster_start_time()::text as started,
      pg_is_in_recovery() as "isStandby",
      case when pg_is_in_recovery()
        then extract(epoch from now() - pg_last_xact_replay_timestamp())::float8
        else 0 end as lag
    from es.log_head`;
  const own = await readRow(
    primary,
    logRow,
  )`select log_id as log, pg_postmaster_start_time()::text as started from es.log_head`;
  if (found === null || found.log !== own?.log) return new Error('it holds another event log');
  if (!found.isStandby && found.started !== own.started) {
    return new Error('it is not a standby and not the primary');
  }
  if (found.lag !== null && found.lag <= lagMaxSeconds) return null;
  return new Error(`it has replayed no change for more than ${lagMaxSeconds} s`);
}
