// Totals usage by a grouping. Usage without a price is counted separately, never as zero cost.

import { z } from 'zod';

import { totals } from '../../control/usage/usage-reports.ts';
import { timestampField } from '../../lib/fields.ts';
import { isRefusal } from '../../lib/refusal.ts';
import { usageGrouping } from '../../lib/vocabulary.ts';
import { membersOf, tokenParts } from '../../usage/counts.ts';
import { limitQuery, wholeNumber } from '../http/fields.ts';
import type { UsageNeeds } from './needs.ts';
import { none, route } from '../http/route.ts';

/** Status classes of gw_upstream_status_total. */
export const upstreamStatusFields = {
  upstream_success: z.int().nullable(),
  /** 4xx except 429. */
  upstream_client_error: z.int().nullable(),
  /** 429. */
  upstream_rate_limited: z.int().nullable(),
  upstream_server_error: z.int().nullable(),
};

/** Parts of prompt_tokens and completion_tokens. Null if no request reported the count. */
export const partFields = membersOf(
  tokenParts.map(({ name }) => name),
  z.int().nullable(),
);

export const costFields = {
  /** The cost after corrections, in USD. Rows and their booked cost never change. */
  corrected_cost_micros: z.int().nullable(),
  /** The amounts by currency, which are never added together. Empty if nothing has a price. */
  costs: z
    .array(
      z.object({
        currency: z.string(),
        cost_micros: z.int().nullable(),
        corrected_cost_micros: z.int().nullable(),
        estimated_cost_micros: z.int().nullable(),
      }),
    )
    .readonly(),
};

/**
 * Requests without readable usage. Their estimates are in no other total; the requests are also in
 * `requests`.
 */
export const estimateFields = {
  estimated_requests: z.int(),
  estimated_prompt_tokens: z.int(),
  estimated_completion_tokens: z.int(),
  /** Null if none of these requests has a price. */
  estimated_cost_micros: z.int().nullable(),
};

const usageTotal = z.object({
  /** Null for requests without a key: refused before a model was chosen, or tagged by no rule. */
  key: z.string().nullable(),
  requests: z.int(),
  refused_requests: z.int(),
  /** No backend could be reached, or none answered in time. */
  refused_no_backend: z.int(),
  /** The queue of a backend was full, or the request waited in it for too long. */
  refused_backend_overloaded: z.int(),
  /**
   * Failed attempts that were followed by another one, and those of requests that no backend
   * answered. Counted in the group of their request. Null if an earlier release rolled up some
   * requests.
   */
  failed_attempts: z.int().nullable(),
  /** Upstream responses by status class. Null if an earlier release rolled up some requests. */
  ...upstreamStatusFields,
  prompt_tokens: z.int(),
  completion_tokens: z.int(),
  ...partFields,
  /** Null if no request of the group has a price in USD. */
  cost_micros: z.int().nullable(),
  ...costFields,
  unpriced_requests: z.int(),
  ...estimateFields,
  /** Average over answered requests. */
  avg_ms: z.int().nullable(),
  /**
   * Percentiles differ from the recorded values by at most 1 %. They are also null if an earlier
   * release rolled up some requests.
   */
  p50_ms: z.int().nullable(),
  p95_ms: z.int().nullable(),
  p99_ms: z.int().nullable(),
  ttft_p50_ms: z.int().nullable(),
  ttft_p95_ms: z.int().nullable(),
  ttft_p99_ms: z.int().nullable(),
});

/** Opaque to clients: the number of groups before the page. */
const cursor = z
  .string()
  .max(20)
  .meta({ pattern: '^[A-Za-z0-9_-]*$' })
  .transform((text) => Buffer.from(text, 'base64url').toString('utf8'))
  .pipe(wholeNumber({ from: 1 }));

export const usageRoutes = [
  route({
    method: 'GET',
    path: '/admin/usage',
    operation: 'getUsage',
    permission: 'usage:read',
    summary: 'Get requests, tokens, latency and spend by group, or in total',
    refusals: [],
    params: none,
    query: z.strictObject({
      group_by: usageGrouping.default('model'),
      since: timestampField.optional(),
      until: timestampField.optional(),
      limit: limitQuery({ standard: 100 }),
      after: cursor.optional(),
    }),
    body: none,
    response: z.array(usageTotal),
    handle: async ({ query }, { path }, { reads }: UsageNeeds) => {
      const { group_by: groupBy, since = null, until = null, limit, after: skip = 0 } = query;
      const found = await reads((db) => totals(db, { groupBy, since, until, skip, limit }));
      if (isRefusal(found)) return found;
      const groups = found[0]?.groups ?? 0;
      const total = found.length === 0 && skip > 0 ? {} : { 'x-total-count': String(groups) };
      const end = skip + found.length;
      const next = end < groups ? { link: `<${nextPath(path, query, end)}>; rel="next"` } : {};
      const body = found.map(({ groups: _groups, ...sums }) => sums);
      return { headers: { ...total, ...next }, body };
    },
  }),
] as const;

type Asked = Readonly<{
  group_by: string;
  since?: string | undefined;
  until?: string | undefined;
  limit: number;
}>;

/** The query of the next page, which starts at this group. */
function nextPath(path: string, { group_by, since, until, limit }: Asked, place: number): string {
  const parameters = new URLSearchParams({ group_by, limit: String(limit) });
  if (since !== undefined) parameters.set('since', since);
  if (until !== undefined) parameters.set('until', until);
  parameters.set('after', Buffer.from(String(place)).toString('base64url'));
  return `${path}?${parameters.toString()}`;
}
