// Reads the usage rows that were stored last, for live views.

import type { Queryable } from '@databases/pg';

import { readRows } from '../rows.ts';
import { usageColumns, usageRecord } from './usage-events.ts';
import type { UsageRecord } from './usage-events.ts';
import { matching, scanned } from './usage-filter.ts';
import type { UsageEventFilter } from './usage-filter.ts';

/** The newest requests among which arrivals are searched. No index has the time of arrival. */
const scannedMax = 20_000;

/** Requests that took longer are not found. */
const durationMaxMs = 15 * 60_000;

type Asked = Readonly<{ filter: UsageEventFilter; after: Date; rows: number }>;

/** Latest arrival first. */
export function readArrivals(
  db: Queryable,
  { filter, after, rows }: Asked,
): Promise<UsageRecord[]> {
  const since = new Date(after.getTime() - durationMaxMs).toISOString();
  const newest = { columns: usageColumns, after: null, rows: scannedMax };
  return readRows(db, usageRecord)`
    select ${usageColumns} from ${scanned({ ...filter, since }, newest)}
    where received_at > ${after.toISOString()}::timestamptz and ${matching(filter)}
    order by received_at desc, id desc limit ${rows}`;
}
