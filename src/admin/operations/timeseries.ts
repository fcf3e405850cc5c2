// Returns usage over time, one point per bucket, with explicit zeros for buckets without requests
// (specification, `GET /admin/timeseries`).

import { z } from 'zod';

import { usageCourse, widestSeconds } from '../../control/usage/usage-reports.ts';
import type { UsageCourse } from '../../control/usage/usage-reports.ts';
import { nameField, timestamp, timestampField } from '../../lib/fields.ts';
import { isRefusal } from '../../lib/refusal.ts';
import { wholeNumber } from '../http/fields.ts';
import type { UsageNeeds } from './needs.ts';
import { none, route } from '../http/route.ts';
import { membersOf, tokenParts } from '../../usage/counts.ts';
import { costFields, estimateFields, partFields, upstreamStatusFields } from './usage.ts';

const latency = z.int().nullable();

const point = z.object({
  /** Start of the bucket. */
  at: timestamp,
  requests: z.int(),
  /**
   * Upstream responses with status 5xx, and 401, 403 and 429, which are about the gateway and not
   * about its client.
   */
  upstream_errors: z.int(),
  client_errors: z.int(),
  refused_authorisation: z.int(),
  refused_rate_limit: z.int(),
  refused_budget: z.int(),
  refused_no_backend: z.int(),
  refused_backend_overloaded: z.int(),
  /** Failed attempts that were followed by another one. Null if an earlier release rolled up some requests. */
  failed_attempts: z.int().nullable(),
  /**
   * Requests without a principal: 401s and unknown models. 0 in a series of one model, provider or
   * principal.
   */
  refused_unattributed: z.int(),
  /** Upstream responses by status class. Null if an earlier release rolled up some requests. */
  ...upstreamStatusFields,
  prompt_tokens: z.int(),
  completion_tokens: z.int(),
  ...partFields,
  /** Null if there are requests and none has a price in USD. */
  cost_micros: z.int().nullable(),
  ...costFields,
  unpriced_requests: z.int(),
  ...estimateFields,
  /**
   * Latency of answered requests. Null in a bucket without any. Percentiles differ from the recorded
   * values by at most 1 %. They are also null if an earlier release rolled up some requests.
   */
  avg_ms: latency,
  p50_ms: latency,
  p95_ms: latency,
  p99_ms: latency,
  ttft_p50_ms: latency,
  ttft_p95_ms: latency,
  ttft_p99_ms: latency,
});

type Point = z.input<typeof point>;

const nothing: Omit<UsageCourse['points'][number], 'bucket' | 'key'> = {
  requests: 0,
  upstream_errors: 0,
  client_errors: 0,
  refused_authorisation: 0,
  refused_rate_limit: 0,
  refused_budget: 0,
  refused_no_backend: 0,
  refused_backend_overloaded: 0,
  failed_attempts: 0,
  upstream_success: 0,
  upstream_client_error: 0,
  upstream_rate_limited: 0,
  upstream_server_error: 0,
  prompt_tokens: 0,
  completion_tokens: 0,
  ...membersOf(
    tokenParts.map(({ name }) => name),
    0,
  ),
  cost_micros: 0,
  corrected_cost_micros: 0,
  costs: [],
  unpriced_requests: 0,
  estimated_requests: 0,
  estimated_prompt_tokens: 0,
  estimated_completion_tokens: 0,
  estimated_cost_micros: null,
  avg_ms: null,
  p50_ms: null,
  p95_ms: null,
  p99_ms: null,
  ttft_p50_ms: null,
  ttft_p95_ms: null,
  ttft_p99_ms: null,
};

const dayMs = 24 * 60 * 60 * 1000;

export const timeseriesRoutes = [
  route({
    method: 'GET',
    path: '/admin/timeseries',
    operation: 'getTimeseries',
    permission: 'usage:read',
    summary: 'List usage per time bucket, at most 720 buckets; defaults to the last 24 hours',
    refusals: [],
    params: none,
    query: z.strictObject({
      since: timestampField.optional(),
      until: timestampField.optional(),
      /** In seconds. Increased until the range has at most 720 buckets. */
      bucket: wholeNumber({ from: 1, to: widestSeconds }).optional(),
      model: nameField.optional(),
      provider: nameField.optional(),
      principal_id: wholeNumber({ from: 1 }).optional(),
    }),
    body: none,
    response: z.array(point),
    handle: async ({ query }, _call, { reads, clock }: UsageNeeds) => {
      const untilMs = query.until === undefined ? clock() : Date.parse(query.until);
      const asked = {
        sinceMs: query.since === undefined ? untilMs - dayMs : Date.parse(query.since),
        untilMs,
        bucket: query.bucket ?? 1,
        model: query.model ?? null,
        provider: query.provider ?? null,
        principalId: query.principal_id ?? null,
      };
      const course = await reads((db) => usageCourse(db, asked));
      if (isRefusal(course)) return course;
      const bucketSeconds = String(course.buckets.widthMs / 1000);
      return { headers: { 'x-gw-bucket-seconds': bucketSeconds }, body: everyBucket(course) };
    },
  }),
] as const;

function everyBucket({ buckets, points, unattributed }: UsageCourse): Point[] {
  const { startMs, widthMs, count } = buckets;
  const found = new Map(points.map(({ bucket, key: _key, ...sums }) => [bucket, sums]));
  return Array.from({ length: count }, (_value, bucket) => {
    const sums = found.get(bucket) ?? nothing;
    // Refused requests cost nothing. Answered requests without a price are unpriced.
    const cost = sums.cost_micros ?? (sums.unpriced_requests > 0 ? null : 0);
    return {
      at: new Date(startMs + bucket * widthMs).toISOString(),
      ...sums,
      cost_micros: cost,
      corrected_cost_micros: sums.corrected_cost_micros ?? cost,
      refused_unattributed: unattributed.get(bucket) ?? 0,
    };
  });
}
