// Builds the index of usage rows that are not in the sums, month by month, without stopping the intake of rows. Months that
// are created later have it from the start (migrations/0033-usage-sums.sql).

import { sql } from '@databases/pg';
import type { Queryable } from '@databases/pg';
import { z } from 'zod';

import type { Database } from '../../pool.ts';
import { flag, readRow, readValue, text } from '../../rows.ts';

const unindexed = z.object({
  month: text,
  /** Null if the index does not exist. False after a failure. */
  is_valid: flag.nullable(),
});
type Unindexed = Readonly<z.output<typeof unindexed>>;

/** The newest month without the index. */
const nextUnindexed = (db: Queryable): Promise<Unindexed | null> =>
  readRow(db, unindexed)`
    select months.relname as month, own.indisvalid as is_valid
    from pg_inherits inherited
    join pg_class months on months.oid = inherited.inhrelid
    left join pg_index own
      on own.indexrelid = to_regclass(format('op.%I', months.relname || '_unsummed'))
    where inherited.inhparent = 'op.usage_events'::regclass and not exists (
      select from pg_index held join pg_inherits attached on attached.inhrelid = held.indexrelid
      where held.indrelid = months.oid
        and attached.inhparent = 'op.usage_events_unsummed'::regclass)
    order by months.relname desc limit 1`;

export const isUnsummedIndexed = async (db: Queryable): Promise<boolean> =>
  (await nextUnindexed(db)) === null;

/** Locked by the replica that builds. Two builds at a time can wait for each other. */
const indexLock = 7_100_011;

/**
 * Ends when all months have the index, or when another replica builds it. `db` needs no time limit for a statement: a
 * month takes about two seconds for each million rows, and waits for transactions that began before.
 */
export const indexUnsummed = (db: Database): Promise<void> =>
  db.task(async (session) => {
    const isHeld = await readValue(session, flag)`select pg_try_advisory_lock(${indexLock})`;
    if (isHeld !== true) return;
    try {
      let month = await nextUnindexed(session);
      while (month !== null) {
        await (month.is_valid === true ? attach(session, month) : build(session, month));
        month = await nextUnindexed(session);
      }
    } finally {
      await session.query(sql`select pg_advisory_unlock(${indexLock})`);
    }
  });

const indexOf = (month: string): string => `${month}_unsummed`;

/** Fails if a query holds the month for long, because it would stop those that begin in the meantime. */
const attach = (session: Queryable, { month }: Unindexed): Promise<unknown> =>
  session.query(sql`
    alter index op.usage_events_unsummed attach partition ${sql.ident('op', indexOf(month))}`);

/** Waits for locks without a limit, because a timeout would leave an invalid index. */
async function build(session: Queryable, { month, is_valid }: Unindexed): Promise<void> {
  await session.query(sql`set lock_timeout = 0`);
  if (is_valid === false) {
    await session.query(sql`
      drop index concurrently if exists ${sql.ident('op', indexOf(month))}`);
  }
  await session.query(sql`
    create index concurrently if not exists ${sql.ident(indexOf(month))}
    on ${sql.ident('op', month)} (at) where not is_summed`);
  await session.query(sql`reset lock_timeout`);
}
