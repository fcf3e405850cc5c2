// Lists single usage rows within their retention, newest first: request, routing and cost.

import { z } from 'zod';

import { breakDownRows } from '../../control/usage/cost-breakdown.ts';
import { usageRows } from '../../control/usage/usage-reports.ts';
import type { RowsAsked, UsageRow } from '../../control/usage/usage-reports.ts';
import { timestamp } from '../../lib/fields.ts';
import { isRefusal } from '../../lib/refusal.ts';
import { ulidPattern } from '../../usage/row-number.ts';
import { ruleInputs } from '../../usage/rule-inputs.ts';
import { membersOf, tokenParts } from '../../usage/counts.ts';
import { toolCalls } from '../../usage/usage-event.ts';
import { limitQuery } from '../http/fields.ts';
import type { UsageNeeds } from './needs.ts';
import { none, route } from '../http/route.ts';
import { usageFilter } from './usage-filter.ts';

export const ulid = z.string().regex(ulidPattern, 'must be the id of a usage row');
export const usageRecord = z.object({
  id: z.string(),
  at: timestamp,
  received_at: timestamp,
  replica: z.string(),
  principal_id: z.int(),
  principal: z.string(),
  key_id: z.int().nullable(),
  model_id: z.int().nullable(),
  model: z.string().nullable(),
  provider_id: z.int().nullable(),
  provider: z.string().nullable(),
  virtual_model: z.string(),
  path: z.string(),
  snapshot_version: z.int(),
  route: z.string().nullable(),
  tag: z.string().nullable(),
  frontend_model_id: z.int().nullable(),
  rule_id: z.int().nullable(),
  prompt_class_id: z.int().nullable(),
  prompt_class: z.string().nullable(),
  budget_percent: z.int().nullable(),
  matched_headers: z.array(z.string()),
  rule_inputs: ruleInputs.nullable(),
  stream: z.boolean(),
  status: z.int().nullable(),
  refusal: z.string().nullable(),
  prompt_tokens: z.int(),
  completion_tokens: z.int(),
  /** Parts of the two counts above. Null if the provider did not report them. */
  ...membersOf(
    tokenParts.map(({ name }) => name),
    z.int().nullable(),
  ),
  /** Calls of the provider's own tools, by tool. Null if it reported none. */
  server_tool_calls: toolCalls.nullable(),
  /** Images, seconds of audio and characters, by name. Null if none was counted. */
  units: toolCalls.nullable(),
  service_tier: z.string().nullable(),
  usage_reported: z.boolean(),
  /**
   * True if the counts are estimates. They are charged to budgets but excluded from sums of
   * reported usage.
   */
  usage_estimated: z.boolean(),
  cost_micros: z.int().nullable(),
  /** The cost that the provider reported. It takes precedence over the price card. */
  reported_cost_micros: z.int().nullable(),
  /** Null means USD. */
  currency: z.string().nullable(),
  /** The version of the model's price card at the time of the request. Null if unknown. */
  price_version: z.int().nullable(),
  /** Amount that a cost budget was charged for estimated counts. */
  estimated_cost_micros: z.int().nullable(),
  cached: z.boolean(),
  duration_ms: z.int(),
  ttft_ms: z.int().nullable(),
  attempts: z.int(),
  prompt_estimate: z.int(),
  max_tokens: z.int().nullable(),
  /** The process of the proxy that recorded the row, and the row's number in it, from 1. */
  run: z.string().nullable(),
  seq: z.int().nullable(),
});

/**
 * Micro-units by the price that was used, such as `cache_read` or `tool_calls.web_search`;
 * `reported` is a cost that the provider reported. The sum is the cost, exactly. Null without a
 * cost, and if the prices of the row are not known.
 */
const breakdown = z.record(z.string(), z.int()).readonly().nullable();

/** The last two members are present with `include=breakdown`. */
const listedRecord = usageRecord.extend({
  breakdown: breakdown.optional(),
  /** The cost after corrections. Null if there are none. */
  corrected: z
    .object({
      /** Null means unpriced. */
      cost_micros: z.int().nullable(),
      currency: z.string(),
      price_version: z.int().nullable(),
      breakdown,
    })
    .nullable()
    .optional(),
});

const cursorParts = z.tuple([z.iso.datetime(), ulid]);

/** Opaque to clients. */
const cursor = z
  .string()
  .max(200)
  .transform((text, context): NonNullable<RowsAsked['after']> => {
    const parts = Buffer.from(text, 'base64url').toString('utf8').split(' ');
    const read = cursorParts.safeParse(parts);
    if (read.success) return { at: read.data[0], id: read.data[1] };
    context.addIssue({ code: 'custom', message: 'must be a cursor that this list returned' });
    return z.NEVER;
  });

const query = z.strictObject({
  id: ulid.optional(),
  ...usageFilter,
  include: z.literal('breakdown').optional(),
  limit: limitQuery({ standard: 100 }),
  after: cursor.optional(),
});

export const usageEventRoutes = [
  route({
    method: 'GET',
    path: '/admin/usage/events',
    operation: 'listUsageEvents',
    permission: 'usage:read',
    summary: 'List single usage rows within their retention, newest first',
    refusals: [],
    params: none,
    query,
    body: none,
    response: z.array(listedRecord),
    handle: async ({ query }, { path }, { reads }: UsageNeeds) => {
      const { limit, after = null, include, ...filter } = query;
      const found = await reads((db) => usageRows(db, { filter, after, limit }));
      if (isRefusal(found)) return found;
      const { rows, last, count, searchedSince, archive } = found;
      const next = last === null ? {} : { link: `<${nextPath(path, query, last)}>; rel="next"` };
      // Without a total, there are more rows to search than one call does.
      const total = count === null ? {} : { 'x-total-count': String(count) };
      const searched =
        searchedSince === null ? {} : { 'x-gw-searched-since': searchedSince.toISOString() };
      const archived =
        archive === null
          ? {}
          : {
              'x-gw-usage-archive': encodeURI(archive.place),
              'x-gw-usage-archive-before': archive.before.toISOString(),
            };
      const costs = include === undefined ? [] : await reads((db) => breakDownRows(db, rows));
      const body = rows.map((row, index) => Object.assign(toUsageRecord(row), costs[index]));
      return { headers: { ...total, ...next, ...searched, ...archived }, body };
    },
  }),
] as const;

type Asked = z.output<typeof query>;

/** The query of the next page, which starts after the last row. */
function nextPath(
  path: string,
  { after: _after, ...asked }: Asked,
  last: Readonly<{ at: Date; id: string }>,
): string {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(asked)) {
    if (value !== undefined) parameters.set(name, String(value));
  }
  const cursor = Buffer.from(`${last.at.toISOString()} ${last.id}`).toString('base64url');
  parameters.set('after', cursor);
  return `${path}?${parameters.toString()}`;
}

export const toUsageRecord = (row: UsageRow) => ({
  ...row,
  at: row.at.toISOString(),
  received_at: row.received_at.toISOString(),
  matched_headers: [...row.matched_headers],
  rule_inputs: ruleInputs.nullable().parse(row.rule_inputs),
  server_tool_calls: toolCalls.nullable().parse(row.server_tool_calls),
  units: toolCalls.nullable().parse(row.units),
});
