// Selects the usage of a time range from sums, and from rows where there are none, for totals and series.

import { sql } from '@databases/pg';
import type { Queryable, SQLQuery } from '@databases/pg';

import { finerThan, piecesOf, spanOf, sumPrecisions } from '../../usage/pieces.ts';
import type { Piece, Precision, SumPrecision, TimeRange } from '../../usage/pieces.ts';
import { readHorizons } from './sums/horizons.ts';
import { isCounted } from './sums/merge-sums.ts';
import {
  histograms,
  keyNames,
  keys,
  latencyBucket,
  sumNames,
  valuesOfCorrection,
  valuesOfHour,
  valuesOfRow,
} from './sums/sum-columns.ts';
import type { Dimension } from './sums/sum-columns.ts';
import { appliedCorrections, currencyOf } from './usage-amounts.ts';

/** RFC 3339, with an exclusive end; null sets no bound. */
export type UsageRange = Readonly<{ since: string | null; until: string | null }>;

/** Null matches everything. */
export type UsageFilter = Readonly<{
  model: string | null;
  provider: string | null;
  principalId: number | null;
}>;

export const unfiltered: UsageFilter = { model: null, provider: null, principalId: null };

export type UsageAsked = UsageRange &
  Readonly<{
    filter: UsageFilter;
    /** Null if sums do not have all keys of the filter: the rows are read then. */
    dimension: Dimension | null;
    /** The coarsest sums whose period is in one group. */
    coarsest: Precision;
  }>;

/**
 * Selects sums of requests with the columns of op.usage_sums, and `at`, which is in the group of
 * all of them. A correction is a sum without requests.
 */
export async function usageIn(db: Queryable, asked: UsageAsked): Promise<SQLQuery> {
  const { dimension, filter } = asked;
  const from = asked.since === null ? -Infinity : Date.parse(asked.since);
  const to = asked.until === null ? Infinity : Date.parse(asked.until);
  if (dimension === null)
    return sql`${rowsIn({ from, to }, filter)} union all ${hoursIn({ from, to }, filter)}`;
  const horizons = await readHorizons(db);
  const pieces = piecesOf(
    { from, to },
    {
      coarsest: asked.coarsest,
      minutesFrom: horizons.minutes_from.getTime(),
      rowsFrom: horizons.rows_from.getTime(),
    },
  );
  const parts = [
    ...pieces.map((piece) =>
      piece.precision === 'row'
        ? rowsIn(piece, filter)
        : sumsIn(piece, { dimension, filter, condition: sql`precision = ${piece.precision}` }),
    ),
    ...unmergedIn(pieces, { dimension, filter }),
  ];
  return sql.join(
    parts.length === 0 ? [rowsIn({ from: 0, to: 0 }, filter)] : parts,
    sql` union all `,
  );
}

/** The dimension whose sums have all keys of a filter. Null if there is none. */
export function dimensionOf({ model, provider, principalId }: UsageFilter): Dimension | null {
  if (principalId !== null) return model === null && provider === null ? 'principal' : null;
  if (model !== null) return 'model';
  return provider === null ? 'all' : 'provider';
}

type Group = Readonly<{ dimension: Dimension; filter: UsageFilter }>;

const columnsOfSums = sql`
  select period as at, ${keys}, is_rolled_up, ${sumNames}, ${histograms} from op.usage_sums`;

const sumsIn = (
  range: TimeRange,
  { dimension, filter, condition }: Group & Readonly<{ condition: SQLQuery }>,
): SQLQuery => sql`
  ${columnsOfSums} where ${condition} and dimension = ${dimension}
    and ${within(sql`period`, range)} and ${matching(filter)}`;

/** Selects finer sums, deltas and rows that are not part of the sums of these pieces. */
function unmergedIn(pieces: readonly Piece[], group: Group): SQLQuery[] {
  const summed = spanOf(pieces.filter(({ precision }) => precision !== 'row'));
  if (summed === null) return [];
  const pending = sumPrecisions.flatMap((precision) => {
    const coarser = spanOf(
      pieces.filter((piece) => piece.precision !== 'row' && isFiner(precision, piece.precision)),
    );
    if (coarser === null) return [];
    const condition = sql`precision = ${precision} and is_pending`;
    return [sumsIn(coarser, { ...group, condition })];
  });
  const matched = matching(group.filter);
  return [
    ...pending,
    sql`${columnsOfSums} where precision = 'delta' and ${isCounted}
      and ${within(sql`period`, summed)} and ${matched}`,
    ofRows(sql`not is_summed and ${within(sql`at`, summed)} and ${matched}`),
  ];
}

const isFiner = (one: SumPrecision, other: SumPrecision): boolean => finerThan(other).includes(one);

const keysOf = (at: SQLQuery, currency: SQLQuery): SQLQuery =>
  sql.join(
    [
      sql`${at} as at`,
      ...keyNames.map((name) =>
        name === 'currency' ? sql`${currency} as currency` : sql.ident(name),
      ),
    ],
    sql`, `,
  );

const noLatencies = sql`null::smallint[], null::bigint[], null::smallint[], null::bigint[]`;

const latencies = (column: SQLQuery): SQLQuery =>
  sql`case when refusal is null and ${column} is not null then array[${latencyBucket(column)}] end`;

const ofRows = (condition: SQLQuery): SQLQuery => sql`
  select ${keysOf(sql`at`, currencyOf(sql`currency`))}, false as is_rolled_up, ${valuesOfRow},
    ${latencies(sql`duration_ms`)} as duration_buckets, null::bigint[] as duration_counts,
    ${latencies(sql`ttft_ms`)} as ttft_buckets, null::bigint[] as ttft_counts
  from op.usage_events where ${condition}`;

const rowsIn = (range: TimeRange, filter: UsageFilter): SQLQuery => sql`
  ${ofRows(sql`${within(sql`at`, range)} and ${matching(filter)}`)}
  union all
  select ${keysOf(sql`held.at`, sql`c.currency`)}, false, ${valuesOfCorrection}, ${noLatencies}
  from ${appliedCorrections}
    join op.usage_events held on held.id = c.usage_id and held.at = c.at
  where ${within(sql`c.at`, range)} and ${matching(filter)}`;

const hoursIn = (range: TimeRange, filter: UsageFilter): SQLQuery => sql`
  select ${keysOf(sql`hour`, currencyOf(sql`currency`))}, true, ${valuesOfHour}, ${noLatencies}
  from op.usage_hours where ${within(sql`hour`, range)} and ${matching(filter)}`;

const moment = (ms: number, unbounded: string): string =>
  Number.isFinite(ms) ? new Date(ms).toISOString() : unbounded;

const within = (column: SQLQuery, { from, to }: TimeRange): SQLQuery => sql`
  (${column} >= ${moment(from, '-infinity')}::timestamptz
    and ${column} < ${moment(to, 'infinity')}::timestamptz)`;

const matching = ({ model, provider, principalId }: UsageFilter): SQLQuery =>
  sql.join(
    [
      model === null ? sql`true` : sql`model = ${model}`,
      provider === null ? sql`true` : sql`provider = ${provider}`,
      principalId === null ? sql`true` : sql`principal_id = ${principalId}`,
    ],
    sql` and `,
  );
