// Reads single usage rows, newest first.

import { sql } from '@databases/pg';
import type { Queryable } from '@databases/pg';
import { z } from 'zod';

import { membersOf, tokenParts } from '../../usage/counts.ts';
import { idents, rowOf } from '../columns.ts';
import { integer, readRow, readRows, text, time } from '../rows.ts';
import { matching, scanned, scannedMax } from './usage-filter.ts';
import type { UsageCursor, UsageEventFilter } from './usage-filter.ts';

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
    select ${usageColumns}
    from ${scanned(filter, { columns: usageColumns, after, rows: scannedMax })}
    where ${matching(filter)}
    order by at desc, id desc limit ${limit}`;

const scanEnd = z.object({ at: time, id: text });

/** The last row that listing reads. Null if it reads all rows. */
export const readScanEnd = (
  db: Queryable,
  filter: UsageEventFilter,
  after: UsageCursor | null,
): Promise<z.output<typeof scanEnd> | null> =>
  readRow(db, scanEnd)`
    select at, id from ${scanned(filter, { columns: sql`at, id`, after, rows: scannedMax })}
    offset ${scannedMax - 1}`;

const counted = z.object({ matches: integer, rows: integer });

/** Null if there are more rows to search than one statement reads. */
export async function countUsageEvents(
  db: Queryable,
  filter: UsageEventFilter,
): Promise<number | null> {
  const all = { columns: usageColumns, after: null, rows: scannedMax + 1 };
  const found = await readRow(db, counted)`
    select count(*) filter (where ${matching(filter)}) as matches, count(*) as rows
    from ${scanned(filter, all)}`;
  return found === null || found.rows > scannedMax ? null : found.matches;
}
