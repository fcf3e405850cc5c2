// Stores batches of usage rows. Batches that arrive while others are stored wait, and are stored together afterwards: a
// transaction of many rows needs less time for each, and adds fewer sums.

import type { CountedUsage, StoredBatch } from '../../db/usage/usage.ts';
import { refuse } from '../../lib/refusal.ts';
import type { Refusal } from '../../lib/refusal.ts';

/** Rows of one transaction, unless a single batch has more. */
const togetherMax = 8_000;

/** Rows that wait. A proxy keeps refused rows and sends them again. */
const waitingMax = 40_000;

type Waiting = Readonly<{
  batch: StoredBatch;
  resolve: (counted: CountedUsage) => void;
  reject: (error: unknown) => void;
}>;

export type StoreUsage = (batch: StoredBatch) => Promise<CountedUsage | Refusal>;

/** A batch of no rows waits too, because its numbers must not be stored before earlier rows. */
export function createStoreUsage(store: (batch: StoredBatch) => Promise<CountedUsage>): StoreUsage {
  let waiting: readonly Waiting[] = [];
  let isStoring = false;

  const storeAll = async (): Promise<void> => {
    isStoring = true;
    while (waiting.length > 0) {
      const count = countTogether(waiting);
      const together = waiting.slice(0, count);
      waiting = waiting.slice(count);
      await settle(together, store);
    }
    isStoring = false;
  };

  return (batch) => {
    const rows = waiting.reduce((sum, one) => sum + one.batch.rows.length, 0);
    if (rows > waitingMax) return Promise.resolve(tooMany(rows));
    const { promise, resolve, reject } = Promise.withResolvers<CountedUsage>();
    waiting = [...waiting, { batch, resolve, reject }];
    if (!isStoring) void storeAll();
    return promise;
  };
}

const tooMany = (rows: number): Refusal =>
  refuse('unavailable', `${rows} usage rows wait for the database; send these again`, {
    retryAfterSeconds: 1,
  });

/** The number of the oldest batches that fit in one transaction. */
function countTogether(waiting: readonly Waiting[]): number {
  let rows = 0;
  const full = waiting.findIndex(({ batch }, index) => {
    rows += batch.rows.length;
    return index > 0 && rows > togetherMax;
  });
  return full === -1 ? waiting.length : full;
}

/** Never rejects. */
async function settle(
  together: readonly Waiting[],
  store: (batch: StoredBatch) => Promise<CountedUsage>,
): Promise<void> {
  try {
    const counted = await store(combined(together.map(({ batch }) => batch)));
    for (const { resolve } of together) resolve(counted);
  } catch (error) {
    if (together.length > 1 && isOfRows(error)) {
      // Only the batch with the faulty rows fails.
      for (const one of together) await settle([one], store);
    } else if (together.length > 1 && isTimeout(error)) {
      // A slow database may still be able to store fewer rows in time.
      const half = Math.ceil(together.length / 2);
      await settle(together.slice(0, half), store);
      await settle(together.slice(half), store);
    } else {
      for (const { reject } of together) reject(error);
    }
  }
}

const combined = (batches: readonly StoredBatch[]): StoredBatch => ({
  rows: batches.flatMap(({ rows }) => rows),
  dropped: batches.flatMap(({ dropped }) => dropped),
  senders: batches.flatMap(({ senders }) => senders),
  at: batches.reduce((latest, { at }) => (at > latest ? at : latest), new Date(0)),
});

const stateOf = (error: unknown): string =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';

/** SQLSTATE classes 22 and 23: a value or its constraint is the cause, not the state of the database. */
const isOfRows = (error: unknown): boolean => /^2[23]/.test(stateOf(error));

/** SQLSTATE query_canceled, as after `statement_timeout`, and deadlock_detected. */
const isTimeout = (error: unknown): boolean => ['57014', '40P01'].includes(stateOf(error));
