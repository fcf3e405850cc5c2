// Usage rows that stand for all of a window: every one, or so many of them at even distances.

import type { Queryable } from '@databases/pg';

import { integer, readRows } from '../rows.ts';
import { usageColumns, usageRecord } from './usage-events.ts';
import type { UsageRecord } from './usage-events.ts';

/** RFC 3339, half open. */
export type UsageWindow = Readonly<{ since: string; until: string }>;

export type UsageSample = Readonly<{
  /** By the snapshot version that served them, then by time. */
  rows: readonly UsageRecord[];
  /** How many rows they were chosen from. */
  from: number;
  /** The window holds older rows, which none was chosen from. */
  hasOlder: boolean;
}>;

/** Rows that are chosen from; of a longer window, the newest. */
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
