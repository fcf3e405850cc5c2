// Decides whether this process is ready to serve, and reads where the log ends.

import type { Queryable } from '@databases/pg';

import { readHead } from '../db/log/event-log.ts';
import { isDatabaseUnavailable } from '../db/failure.ts';
import { refuse } from '../lib/refusal.ts';
import type { Refusal } from '../lib/refusal.ts';
import type { Configuration } from './commands/configuration.ts';
import { databaseUnavailable } from './commands/unavailable.ts';
import { findWriteFailure } from './commands/write-failure.ts';
import type { Publisher } from './publishing/publish.ts';

export async function headPosition(db: Queryable): Promise<number | null> {
  try {
    return (await readHead(db)).position;
  } catch (error) {
    if (!isDatabaseUnavailable(error)) throw error;
    return null;
  }
}

type Tools = Parameters<typeof findWriteFailure>[0] &
  Readonly<{ isForked: () => boolean; publisher: Publisher }>;

const stillReading = refuse('unavailable', 'still reading the event log', { retryAfterSeconds: 1 });

/** Null if the database accepts changes and this process has read the log to its head. */
export async function refuseUnready(
  tools: Tools,
  { state, refresh }: Pick<Configuration, 'state' | 'refresh'>,
): Promise<Refusal | null> {
  // A load balancer must not wait until the log has been read again.
  if (tools.isForked()) return stillReading;
  const head = await readHead(tools.db);
  const { position, hash } = state();
  if (position !== head.position || hash !== Buffer.from(head.hash).toString('hex')) {
    await refresh();
  }
  const failure = await findWriteFailure(tools);
  // Reads and snapshots are still served.
  if (failure !== null) return databaseUnavailable(failure, 'changes cannot be made');
  const isBehind = state().position < head.position;
  return isBehind || tools.publisher.current() === null ? stillReading : null;
}
