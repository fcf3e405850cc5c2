// Reads the rows of the ledger in pages, oldest first, to compute their costs again.

import { sql } from '@databases/pg';
import type { Queryable, SQLQuery } from '@databases/pg';
import { z } from 'zod';

import { membersOf, tokenParts } from '../../../usage/counts.ts';
import { idents } from '../../columns.ts';
import { flag, integer, readRows, text } from '../../rows.ts';
import { appliedCorrections, currencyOf } from '../usage-amounts.ts';

const ledgerRow = z.object({
  id: text,
  /** The text of Postgres, because a Date has no microseconds. */
  at: text,
  replica: text,
  run: text.nullable(),
  seq: integer.nullable(),
  principal_id: integer,
  model_id: integer.nullable(),
  /** In milliseconds, like `windowMs` of the budget. Null if there was no budget. */
  budget_window_ms: integer.nullable(),
  prompt_tokens: integer,
  completion_tokens: integer,
  ...membersOf(
    tokenParts.map(({ name }) => name),
    integer.nullable(),
  ),
  server_tool_calls: z.record(text, integer).nullable(),
  units: z.record(text, integer).nullable(),
  service_tier: text.nullable(),
  usage_reported: flag,
  usage_estimated: flag,
  cached: flag,
  refusal: text.nullable(),
  cost_micros: integer.nullable(),
  estimated_cost_micros: integer.nullable(),
  reported_cost_micros: integer.nullable(),
  currency: text,
  price_version: integer.nullable(),
  /** In UTC, such as `2026-11`. */
  month: text,
  /** True if the row is in the sums that reports read. */
  is_summed: flag,
});
export type LedgerRow = Readonly<z.output<typeof ledgerRow>>;

const derived = {
  at: sql`at::text as at`,
  budget_window_ms: sql`(extract(epoch from budget_window) * 1000)::bigint as budget_window_ms`,
  currency: sql`${currencyOf(sql`currency`)} as currency`,
  month: sql`to_char(at at time zone 'UTC', 'YYYY-MM') as month`,
} as const satisfies Readonly<Record<string, SQLQuery>>;

const columns: SQLQuery = sql.join(
  [
    idents(Object.keys(ledgerRow.shape).filter((name) => !Object.hasOwn(derived, name))),
    ...Object.values(derived),
  ],
  sql`, `,
);

/** The last row of the page before. */
export type LedgerPlace = Pick<LedgerRow, 'at' | 'id'>;

const after = (place: LedgerPlace | null): SQLQuery =>
  place === null ? sql`true` : sql`(at, id) > (${place.at}::timestamptz, ${place.id})`;

/** By time, as the index is. Without the table, `at` is the text above. */
const inOrder: SQLQuery = sql`order by held.at, held.id`;

export const ledgerPage = (
  db: Queryable,
  { place, limit }: Readonly<{ place: LedgerPlace | null; limit: number }>,
): Promise<LedgerRow[]> =>
  readRows(db, ledgerRow)`
    select ${columns} from op.usage_events held where ${after(place)} ${inOrder} limit ${limit}`;

/** The rows of a recomputation. RFC 3339; the end is exclusive. */
export type LedgerSpan = Readonly<{ since: string; until: string; modelId: number | null }>;

/** Rows that can have a cost by a price card: others are refused, cached or priced by the provider. */
export const repricedPage = (
  db: Queryable,
  { since, until, modelId }: LedgerSpan,
  { place, limit }: Readonly<{ place: LedgerPlace | null; limit: number }>,
): Promise<LedgerRow[]> =>
  readRows(db, ledgerRow)`
    select ${columns} from op.usage_events held
    where ${after(place)} and at >= ${since}::timestamptz and at < ${until}::timestamptz
      and ${modelId === null ? sql`model_id is not null` : sql`model_id = ${modelId}`}
      and usage_reported and not cached and reported_cost_micros is null
    ${inOrder} limit ${limit}`;

const correctedRow = z.object({
  usage_id: text,
  currency: text,
  delta_micros: integer,
  estimated_delta_micros: integer,
  /** The cost after the last correction. Null means unpriced. */
  cost_micros: integer.nullable(),
  /** The version of the prices of that cost. */
  price_version: integer.nullable(),
  is_last: flag,
  /** 1 if the corrections gave the row a price in this currency, -1 if they took it. */
  priced: integer,
});
export type CorrectedRow = Readonly<z.output<typeof correctedRow>>;

/** The applied corrections of the rows of a page, summed by row and currency. */
export const correctionsOf = (
  db: Queryable,
  rows: readonly LedgerPlace[],
): Promise<CorrectedRow[]> =>
  readRows(db, correctedRow)`
    select c.usage_id, c.currency, sum(c.delta_micros)::bigint as delta_micros,
      sum(c.estimated_delta_micros)::bigint as estimated_delta_micros,
      sum(c.priced)::bigint as priced,
      (array_agg(c.cost_micros order by c.reprice_id desc))[1] as cost_micros,
      (array_agg(c.price_version order by c.reprice_id desc))[1] as price_version,
      max(c.reprice_id) = max(max(c.reprice_id)) over (partition by c.usage_id, c.at) as is_last
    from ${appliedCorrections}
      join unnest(
        ${rows.map(({ id }) => id)}::text[], ${rows.map(({ at }) => at)}::timestamptz[]
      ) as given (id, at) on given.id = c.usage_id and given.at = c.at
    group by c.usage_id, c.at, c.currency`;
