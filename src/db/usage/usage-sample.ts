// Reads a sample of usage rows: all rows of a time range, or a number of them at equal distances.

import type { Queryable } from '@databases/pg';

import { integer, readRows } from '../rows.ts';
import { usageColumns, usageRecord } from './usage-events.ts';
import type { UsageRecord } from './usage-events.ts';

/** RFC 3339, with an exclusive end. */
export type UsageWindow = Readonly<{ since: string; until: string }>;

export type UsageSample = Readonly<{
  /** By snapshot version, then by time. */
  rows: readonly UsageRecord[];
  /** The number of rows that the sample was taken from. */
  from: number;
  /** True if the range has older rows that were not considered. */
  hasOlder: boolean;
}>;

/** The newest rows of a larger range are sampled. */
const chosenFromMax = 100_000;

const sampledRow = usageRecord.extend({ total: integer });

export async function sampleUsage(
  db: Queryable,
  { since, until }: UsageWindow,
  rowsMax: number,
): Promise<UsageSample> {
  const found = await readRows(db, sampledRow)`
    with newest as (
      select id, at from op.usage_events
      where at >= ${since}::timestamptz and at < ${until}::timestamptz
      order by at desc, id desc limit ${chosenFromMax + 1}
    ), placed as (
      select id, at, row_number() over (order by at, id) - 1 as place, count(*) over () as total
      from newest
    ), chosen as (
      select id, at, total from placed
      where total <= ${rowsMax}
        or place * ${rowsMax} / total <> (place - 1 + total) * ${rowsMax} / total - ${rowsMax}
    )
    select ${usageColumns}, total from chosen join op.usage_events using (id, at)
    order by snapshot_version, at, id`;
  const total = found[0]?.total ?? 0;
  return {
    rows: found.map(({ total: _total, ...row }) => row),
    from: Math.min(total, chosenFromMax),
    hasOlder: total > chosenFromMax,
  };
}
