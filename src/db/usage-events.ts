// Single usage rows, the newest first, so that a request can be looked up.

import { sql } from '@databases/pg';
import type { Queryable, SQLQuery } from '@databases/pg';

import type { UsageEvents } from './generated/schema.d.ts';

export type UsageRecord = Readonly<
  Omit<UsageEvents, 'budget_window' | 'matched_headers' | 'rule_inputs'> & {
    matched_headers: readonly string[];
    rule_inputs: unknown;
  }
>;

/** Null is anything. Times are RFC 3339, half open. */
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

/** The last row held. */
export type UsageCursor = Readonly<{ at: string; id: string }>;

/** Of a UsageRecord, in whatever statement has the table alone or joined by id and at. */
export const usageColumns = sql`
  id, at, received_at, replica, principal_id, principal, key_id, model_id, model,
  provider_id, provider, virtual_model, path, snapshot_version, route, tag,
  frontend_model_id, rule_id, prompt_class_id, prompt_class, budget_percent,
  matched_headers, rule_inputs, stream, status, refusal, prompt_tokens, completion_tokens,
  usage_reported, usage_estimated, cost_micros, estimated_cost_micros, cached, duration_ms, ttft_ms,
  attempts, prompt_estimate, max_tokens`;

/** Null when there is none, or none any more. */
export async function readUsageEvent(db: Queryable, id: string): Promise<UsageRecord | null> {
  const [row]: UsageRecord[] = await db.query(
    sql`select ${usageColumns} from op.usage_events where id = ${id} order by at limit 1`,
  );
  return row ?? null;
}

export const listUsageEvents = (
  db: Queryable,
  filter: UsageEventFilter,
  { after, limit }: Readonly<{ after: UsageCursor | null; limit: number }>,
): Promise<UsageRecord[]> =>
  db.query(sql`
    select ${usageColumns} from op.usage_events
    where ${matching(filter)} and ${behind(after)}
    order by at desc, id desc limit ${limit}`);

/** Rows are counted so far: a table of all requests has no end that is worth its wait. */
const countedMax = 100_000;

/** Null for more than can be counted. */
export async function countUsageEvents(
  db: Queryable,
  filter: UsageEventFilter,
): Promise<number | null> {
  const [row]: { rows: number }[] = await db.query(sql`
    select count(*) as rows from (
      select from op.usage_events where ${matching(filter)} limit ${countedMax + 1}
    ) counted`);
  const rows = row?.rows ?? 0;
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

const behind = (after: UsageCursor | null): SQLQuery =>
  after === null ? sql`true` : sql`(at, id) < (${after.at}::timestamptz, ${after.id})`;
