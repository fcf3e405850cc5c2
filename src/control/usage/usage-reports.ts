// Reports usage: sums by group, time series, and single requests.

import type { Queryable } from '@databases/pg';

import { countUsageEvents, listUsageEvents, readScanEnd } from '../../db/usage/usage-events.ts';
import type { UsageRecord } from '../../db/usage/usage-events.ts';
import type { UsageCursor, UsageEventFilter } from '../../db/usage/usage-filter.ts';
import { readArchive } from '../../db/usage/archive/archive-state.ts';
import { readHorizons } from '../../db/usage/sums/horizons.ts';
import { isDense, isRolledUp } from '../../db/usage/usage-rollups.ts';
import { usageFlows } from '../../db/usage/usage-flows.ts';
import type { UsageFlow } from '../../db/usage/usage-flows.ts';
import { unattributedSeries, usageSeries } from '../../db/usage/usage-series.ts';
import type { SeriesPoint } from '../../db/usage/usage-series.ts';
import { usageTotals } from '../../db/usage/usage-totals.ts';
import { refuse } from '../../lib/refusal.ts';
import type { Refusal } from '../../lib/refusal.ts';
import { bucketsMax, bucketsOf, bucketWidths } from '../../usage/buckets.ts';
import type { Buckets } from '../../usage/buckets.ts';

/** RFC 3339. Unbounded if null or absent. */
type Span = Readonly<{ since?: string | null | undefined; until?: string | null | undefined }>;

export function refuseBackwards({ since, until }: Span): Refusal | null {
  if ((since ?? null) === null || (until ?? null) === null) return null;
  if (Date.parse(since ?? '') < Date.parse(until ?? '')) return null;
  return refuse('invalid', `since ${since} is not before until ${until}`, { param: 'since' });
}

export const totals = async (db: Queryable, query: Parameters<typeof usageTotals>[1]) =>
  refuseBackwards(query) ?? usageTotals(db, query);

/** A row of the database. `rule_inputs` is JSON. */
export type UsageRow = UsageRecord;

/** Bounds the work of a report on any range. */
const flowRowsMax = 200_000;
const flowsMax = 5_000;

/** `since` is later than requested if the range has more rows than are counted. */
type Flows = Readonly<{ since: string; until: string; flows: readonly UsageFlow[] }>;

export async function flowsOf(
  db: Queryable,
  { sinceMs, untilMs }: Readonly<{ sinceMs: number; untilMs: number }>,
): Promise<Flows | Refusal> {
  const range = { since: new Date(sinceMs).toISOString(), until: new Date(untilMs).toISOString() };
  const refusal = refuseBackwards(range);
  if (refusal !== null) return refusal;
  const asked = { ...range, rowsMax: flowRowsMax, flowsMax };
  const { flows, oldest } = await usageFlows(db, asked);
  return { since: oldest?.toISOString() ?? range.since, until: range.until, flows };
}

export type RowsAsked = Readonly<{
  filter: UsageEventFilter;
  after: UsageCursor | null;
  limit: number;
}>;

/**
 * Newest first. `last` is the row after which to continue. `count` is null if there are more rows
 * than one statement searches. `searchedSince` is set if the page has fewer rows because of that.
 * `archive` is where older rows of the range are, if they are archived.
 */
export type ListedRows = Readonly<{
  rows: UsageRow[];
  last: Readonly<{ at: Date; id: string }> | null;
  count: number | null;
  searchedSince: Date | null;
  archive: Readonly<{ place: string; before: Date }> | null;
}>;

export async function usageRows(
  db: Queryable,
  { filter, after, limit }: RowsAsked,
): Promise<ListedRows | Refusal> {
  const refusal = refuseBackwards(filter);
  if (refusal !== null) return refusal;
  const [found, count, archive] = await Promise.all([
    listUsageEvents(db, filter, { after, limit: limit + 1 }),
    countUsageEvents(db, filter),
    archiveOf(db, filter),
  ]);
  const rows = found.slice(0, limit);
  if (found.length > limit) {
    return { rows, last: rows.at(-1) ?? null, count, searchedSince: null, archive };
  }
  const end = count === null ? await readScanEnd(db, filter, after) : null;
  return { rows, last: end, count, searchedSince: end?.at ?? null, archive };
}

/** Null if the database has all rows since then, or if they are not archived. */
async function archiveOf(
  db: Queryable,
  { since }: Pick<UsageEventFilter, 'since'>,
): Promise<ListedRows['archive']> {
  const { is_on: isOn, place } = await readArchive(db);
  if (!isOn || place === null) return null;
  const { rows_from: before } = await readHorizons(db);
  const isHeld = since !== undefined && Date.parse(since) >= before.getTime();
  return isHeld ? null : { place, before };
}

export type UsageCourse = Readonly<{
  buckets: Buckets;
  /** Only buckets with usage. */
  points: readonly SeriesPoint[];
  /** Keyed by the number of the bucket. */
  unattributed: ReadonlyMap<number, number>;
}>;

type CourseAsked = Readonly<{
  sinceMs: number;
  untilMs: number;
  /** The narrowest allowed bucket, in seconds. */
  bucket: number;
  model: string | null;
  provider: string | null;
  principalId: number | null;
}>;

const minuteSeconds = 60;
const hourSeconds = 3600;
export const widestSeconds = Math.max(...bucketWidths);

/** The narrowest buckets for which few rows are read. Usage known only per hour is not spread over smaller ones. */
async function bucketsIn(
  db: Parameters<typeof isRolledUp>[0] & Queryable,
  range: Parameters<typeof isRolledUp>[1],
  narrowest: number,
): Promise<Buckets | null> {
  const asked = { sinceMs: range.since.getTime(), untilMs: range.until.getTime() };
  const { minutes_from: minutesFrom } = await readHorizons(db);
  const summedSeconds = range.since < minutesFrom ? hourSeconds : minuteSeconds;
  const buckets = bucketsOf(asked, narrowest);
  if (buckets === null || buckets.widthMs >= hourSeconds * 1000) return buckets;
  if (await isRolledUp(db, range)) return bucketsOf(asked, hourSeconds);
  if (buckets.widthMs >= summedSeconds * 1000 || !(await isDense(db, range))) return buckets;
  return bucketsOf(asked, summedSeconds);
}

export async function usageCourse(
  db: Parameters<typeof isRolledUp>[0] & Queryable,
  { sinceMs, untilMs, bucket, ...filter }: CourseAsked,
): Promise<UsageCourse | Refusal> {
  const [from, to] = [new Date(sinceMs), new Date(untilMs)];
  const [since, until] = [from.toISOString(), to.toISOString()];
  const refusal = refuseBackwards({ since, until });
  if (refusal !== null) return refusal;
  const range = { since: from, until: to };
  const buckets = await bucketsIn(db, range, bucket);
  if (buckets === null) {
    const message = `since ${since} is more than ${bucketsMax} of the widest buckets (${widestSeconds} s) before until`;
    return refuse('invalid', message, { param: 'since' });
  }
  const asked = { ...buckets, ...filter, since, until };
  const isFiltered = Object.values(filter).some((one) => one !== null);
  const [points, refused] = await Promise.all([
    usageSeries(db, asked),
    isFiltered ? [] : unattributedSeries(db, asked),
  ]);
  return {
    buckets,
    points,
    unattributed: new Map(refused.map((one) => [one.bucket, one.refused])),
  };
}
