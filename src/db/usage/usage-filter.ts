// Selects usage rows by what they hold. A statement reads the newest rows up to a bound, so a filter
// that matches few rows of a large table costs no more than another one.

import { sql } from '@databases/pg';
import type { SQLQuery } from '@databases/pg';

import { defaultCurrency } from '../../lib/vocabulary.ts';

/** Numbers of a row that a filter can bound. A cost in another currency is not compared. */
export const rowMeasures = {
  duration_ms: sql`duration_ms`,
  ttft_ms: sql`ttft_ms`,
  tokens: sql`prompt_tokens + completion_tokens`,
  cost_micros: sql`case when coalesce(currency, ${defaultCurrency}) = ${defaultCurrency}
    then cost_micros end`,
} as const;
type Measure = keyof typeof rowMeasures;

/** Refused, not answered, or answered with an error. */
export const isFailed: SQLQuery = sql`
  (refusal is not null or status is null or status >= 400)`;

/** Absent members match everything. Times are RFC 3339; the end is exclusive. */
export type UsageEventFilter = Readonly<
  {
    id?: string | undefined;
    since?: string | undefined;
    until?: string | undefined;
    principal_id?: number | undefined;
    key_id?: number | undefined;
    model?: string | undefined;
    virtual_model?: string | undefined;
    provider?: string | undefined;
    tag?: string | undefined;
    prompt_class?: string | undefined;
    service_tier?: string | undefined;
    path?: string | undefined;
    replica?: string | undefined;
    refusal?: string | undefined;
    /** `429`, `5xx`, or `none` without an answer. */
    status?: string | undefined;
    outcome?: 'succeeded' | 'failed' | undefined;
    stream?: boolean | undefined;
    cached?: boolean | undefined;
    priced?: boolean | undefined;
  } & { [Name in `${Measure}_from` | `${Measure}_below`]?: number | undefined }
>;

/** The last row already read. */
export type UsageCursor = Readonly<{ at: string; id: string }>;

/** Rows that one statement reads. */
export const scannedMax = 100_000;

type Scan = Readonly<{
  columns: SQLQuery;
  after: UsageCursor | null;
  rows: number;
}>;

/** The newest rows, selected only by what an index finds. */
export const scanned = (filter: UsageEventFilter, { columns, after, rows }: Scan): SQLQuery => sql`
  (select ${columns} from op.usage_events
  where ${every([
    equals(sql`id`, filter.id),
    equals(sql`principal_id`, filter.principal_id),
    filter.since === undefined ? null : sql`at >= ${filter.since}::timestamptz`,
    filter.until === undefined ? null : sql`at < ${filter.until}::timestamptz`,
    after === null ? null : sql`(at, id) < (${after.at}::timestamptz, ${after.id})`,
  ])}
  order by at desc, id desc limit ${rows}) scanned`;

/** Selects among scanned rows. */
export const matching = (filter: UsageEventFilter): SQLQuery =>
  every([
    equals(sql`key_id`, filter.key_id),
    equals(sql`model`, filter.model),
    equals(sql`virtual_model`, filter.virtual_model),
    equals(sql`provider`, filter.provider),
    equals(sql`tag`, filter.tag),
    equals(sql`prompt_class`, filter.prompt_class),
    equals(sql`service_tier`, filter.service_tier),
    equals(sql`path`, filter.path),
    equals(sql`replica`, filter.replica),
    equals(sql`refusal`, filter.refusal),
    equals(sql`stream`, filter.stream),
    equals(sql`cached`, filter.cached),
    equals(sql`(cost_micros is not null)`, filter.priced),
    filter.status === undefined ? null : hasStatus(filter.status),
    filter.outcome === undefined ? null : equals(isFailed, filter.outcome === 'failed'),
    ...within(rowMeasures.duration_ms, filter.duration_ms_from, filter.duration_ms_below),
    ...within(rowMeasures.ttft_ms, filter.ttft_ms_from, filter.ttft_ms_below),
    ...within(rowMeasures.tokens, filter.tokens_from, filter.tokens_below),
    ...within(rowMeasures.cost_micros, filter.cost_micros_from, filter.cost_micros_below),
  ]);

function every(conditions: readonly (SQLQuery | null)[]): SQLQuery {
  const present = conditions.filter((one) => one !== null);
  return present.length === 0 ? sql`true` : sql.join(present, sql` and `);
}

const equals = (value: SQLQuery, wanted: string | number | boolean | undefined): SQLQuery | null =>
  wanted === undefined ? null : sql`${value} = ${wanted}`;

function hasStatus(wanted: string): SQLQuery {
  if (wanted === 'none') return sql`status is null`;
  if (!wanted.endsWith('xx')) return sql`status = ${Number(wanted)}`;
  const first = Number(wanted.charAt(0)) * 100;
  return sql`status >= ${first} and status < ${first + 100}`;
}

const within = (
  value: SQLQuery,
  from: number | undefined,
  below: number | undefined,
): readonly (SQLQuery | null)[] => [
  from === undefined ? null : sql`${value} >= ${from}`,
  below === undefined ? null : sql`${value} < ${below}`,
];
