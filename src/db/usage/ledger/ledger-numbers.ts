// Compares the numbers of the rows in the ledger with those that were received, rolled up or dropped.

import type { Queryable } from '@databases/pg';
import { z } from 'zod';

import { integer, readRows, readValue, text } from '../../rows.ts';
import type { Run } from '../usage-runs.ts';

/** The rows that are in the ledger now, as a multirange of Postgres. */
export type Present = Run & Readonly<{ numbers: string }>;

const numberGap = z.object({
  /**
   * `missing`: never received or dropped. `deleted`: received, but neither in the ledger nor rolled
   * up. `unexpected`: in the ledger, but never received. `pending`: not received yet.
   */
  kind: z.enum(['missing', 'deleted', 'unexpected', 'pending']),
  replica: text,
  run: text,
  first: integer,
  last: integer,
});
export type NumberGap = Readonly<z.output<typeof numberGap>>;

type Compared = Readonly<{
  present: readonly Present[];
  /** Rows after the last received one that were assigned since then can still arrive. */
  settled: Date;
  limit: number;
}>;

export const numberGaps = (
  db: Queryable,
  { present, settled, limit }: Compared,
): Promise<NumberGap[]> =>
  readRows(db, numberGap)`
    with given as (
      select * from unnest(
        ${present.map((one) => one.replica)}::text[], ${present.map((one) => one.run)}::text[],
        ${present.map((one) => one.numbers)}::int8multirange[]
      ) as given (replica, run, present)
    ), runs as (
      select replica, run, coalesce(given.present, '{}') as present,
        coalesce(received, '{}') as received, coalesce(folded, '{}') as folded,
        coalesce(assigned, 0) as assigned,
        coalesce(assigned_at, '-infinity') as assigned_at
      from op.usage_runs full join given using (replica, run)
    ), dropped as (
      select replica, run, range_agg(one) as numbers
      from op.usage_drops, unnest(numbers) one where run <> '' group by replica, run
    ), compared as (
      select runs.*, int8multirange(int8range(1, assigned, '[]'))
        - received - coalesce(dropped.numbers, '{}') as absent,
        int8multirange(int8range(null, coalesce(upper(received), 1))) as upto_last
      from runs left join dropped using (replica, run)
    ), kinds as (
      select 'deleted' as kind, replica, run, received - folded - present as numbers from compared
      union all
      select 'unexpected', replica, run, present - (received - folded) from compared
      union all
      select 'missing', replica, run,
        case when assigned_at > ${settled.toISOString()}::timestamptz
          then absent * upto_last else absent end
      from compared
      union all
      select 'pending', replica, run, absent - upto_last
      from compared where assigned_at > ${settled.toISOString()}::timestamptz
    )
    select kind, replica, run, lower(gap) as first, upper(gap) - 1 as last
    from kinds, unnest(numbers) gap
    order by kind = 'pending', kind, replica, run, first limit ${limit}`;

/** The number of proxy processes that have reported rows. */
export const countRuns = async (db: Queryable): Promise<number> =>
  (await readValue(db, integer)`select count(*) from op.usage_runs`) ?? 0;

const uncounted = z.object({ reason: text, dropped: integer, counted: integer });

/** Reasons whose events in the log count another number of rows than the table of drops. */
export const uncountedDrops = (db: Queryable) =>
  readRows(db, uncounted)`
    select reason, coalesce(dropped, 0)::bigint as dropped, coalesce(counted, 0)::bigint as counted
    from (
      select reason, sum(announced_rows) as dropped from op.usage_drops group by reason
    ) stored full join (
      select payload ->> 'reason' as reason, sum((payload ->> 'rows')::bigint) as counted
      from es.events where type = 'UsageRowsDropped' group by 1
    ) logged using (reason)
    where coalesce(dropped, 0) <> coalesce(counted, 0) order by reason`;
