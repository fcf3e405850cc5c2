// Reads single usage rows, newest first.

import { sql } from '@databases/pg';
import type { Queryable, SQLQuery } from '@databases/pg';
import { z } from 'zod';

import { membersOf, tokenParts } from '../../usage/counts.ts';
import { idents, rowOf } from '../columns.ts';
import { integer, readRow, readRows, readValue, text } from '../rows.ts';

/** The columns of op.usage_events, except the budget window. */
export const usageEventColumns = {
  id: 'text not null',
  at: 'timestamptz not null',
  received_at: 'timestamptz not null',
  replica: 'text not null',
  principal_id: 'bigint not null',
  principal: 'text not null',
  key_id: 'bigint',
  model_id: 'bigint',
  model: 'text',
  provider_id: 'bigint',
  provider: 'text',
  virtual_model: 'text not null',
  path: 'text not null',
  snapshot_version: 'bigint not null',
  route: 'text',
  tag: 'text',
  frontend_model_id: 'bigint',
  rule_id: 'bigint',
  prompt_class_id: 'bigint',
  prompt_class: 'text',
  budget_percent: 'bigint',
  matched_headers: 'jsonb not null',
  rule_inputs: 'jsonb',
  stream: 'boolean not null',
  status: 'bigint',
  refusal: 'text',
  prompt_tokens: 'bigint not null',
  completion_tokens: 'bigint not null',
  ...membersOf(
    tokenParts.map(({ name }) => name),
    'bigint' as const,
  ),
  server_tool_calls: 'jsonb',
  units: 'jsonb',
  service_tier: 'text',
  usage_reported: 'boolean not null',
  usage_estimated: 'boolean not null',
  cost_micros: 'bigint',
  reported_cost_micros: 'bigint',
  currency: 'text',
  price_version: 'bigint',
  estimated_cost_micros: 'bigint',
  cached: 'boolean not null',
  duration_ms: 'bigint not null',
  ttft_ms: 'bigint',
  attempts: 'bigint not null',
  prompt_estimate: 'bigint not null',
  max_tokens: 'bigint',
  run: 'text',
  seq: 'bigint',
} as const;

/**
 * The conditions of a rule are parsed where they are used, because an older release may have
 * written fewer.
 */
export const usageRecord = rowOf(usageEventColumns).extend({
  matched_headers: z.array(text).readonly(),
  server_tool_calls: z.record(text, integer).nullable(),
  units: z.record(text, integer).nullable(),
});
export type UsageRecord = Readonly<z.output<typeof usageRecord>>;

/** Null matches everything. Times are RFC 3339; the end is exclusive. */
export type UsageEventFilter = Readonly<{
  id: string | null;
  since: string | null;
  until: string | null;
  principalId: number | null;
  model: string | null;
  virtualModel: string | null;
  provider: string | null;
  tag: string | null;
  refusal: string | null;
}>;

/** The last row already read. */
export type UsageCursor = Readonly<{ at: string; id: string }>;

/**
 * The columns of a UsageRecord, for statements that read the table alone or joined by id and at.
 */
export const usageColumns = idents(Object.keys(usageEventColumns));

/** Null if the row does not exist or was rolled up. */
export const readUsageEvent = (db: Queryable, id: string): Promise<UsageRecord | null> =>
  readRow(db, usageRecord)`
    select ${usageColumns} from op.usage_events where id = ${id} order by at limit 1`;

export const listUsageEvents = (
  db: Queryable,
  filter: UsageEventFilter,
  { after, limit }: Readonly<{ after: UsageCursor | null; limit: number }>,
): Promise<UsageRecord[]> =>
  readRows(db, usageRecord)`
    select ${usageColumns} from op.usage_events
    where ${matching(filter)} and ${olderThan(after)}
    order by at desc, id desc limit ${limit}`;

/** The maximum count: counting all rows of a large table would take too long. */
const countedMax = 100_000;

/** Null if there are more rows than the maximum count. */
export async function countUsageEvents(
  db: Queryable,
  filter: UsageEventFilter,
): Promise<number | null> {
  const counted = await readValue(db, integer)`
    select count(*) from (
      select from op.usage_events where ${matching(filter)} limit ${countedMax + 1}
    ) counted`;
  const rows = counted ?? 0;
  return rows > countedMax ? null : rows;
}

const equals = (column: SQLQuery, value: string | number | null): SQLQuery =>
  value === null ? sql`true` : sql`${column} = ${value}`;

const matching = (filter: UsageEventFilter): SQLQuery =>
  sql.join(
    [
      equals(sql`id`, filter.id),
      filter.since === null ? sql`true` : sql`at >= ${filter.since}::timestamptz`,
      filter.until === null ? sql`true` : sql`at < ${filter.until}::timestamptz`,
      equals(sql`principal_id`, filter.principalId),
      equals(sql`model`, filter.model),
      equals(sql`virtual_model`, filter.virtualModel),
      equals(sql`provider`, filter.provider),
      equals(sql`tag`, filter.tag),
      equals(sql`refusal`, filter.refusal),
    ],
    sql` and `,
  );

const olderThan = (after: UsageCursor | null): SQLQuery =>
  after === null ? sql`true` : sql`(at, id) < (${after.at}::timestamptz, ${after.id})`;
