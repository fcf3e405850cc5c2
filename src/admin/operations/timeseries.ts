// Usage over time: every bucket of the range, those without a request as explicit zeros (specification, `GET /admin/timeseries`).

import { z } from 'zod';

import { usageCourse, widestSeconds } from '../../control/usage/usage-reports.ts';
import type { UsageCourse } from '../../control/usage/usage-reports.ts';
import { nameField, timestamp, timestampField } from '../../lib/fields.ts';
import { isRefusal } from '../../lib/refusal.ts';
import { wholeNumber } from '../http/fields.ts';
import type { UsageNeeds } from './needs.ts';
import { none, route } from '../http/route.ts';
import { estimateFields, upstreamStatusFields } from './usage.ts';

const latency = z.int().nullable();

const point = z.object({
  /** Where the bucket begins. */
  at: timestamp,
  requests: z.int(),
  /** Answers of 5xx, and 401, 403 and 429, which are said to the gateway and not to its client. */
  upstream_errors: z.int(),
  client_errors: z.int(),
  refused_authorisation: z.int(),
  refused_rate_limit: z.int(),
  refused_budget: z.int(),
  refused_no_backend: z.int(),
  refused_backend_overloaded: z.int(),
  /** Attempts at backends that failed, so that another one followed; null in a bucket that is only known as sums. */
  failed_attempts: z.int().nullable(),
  /** 401s and unknown models, which are nobody's; 0 in a series of one model, provider or principal. */
  refused_unattributed: z.int(),
  /** What backends answered, in classes; null in a bucket that is only known as sums. */
  ...upstreamStatusFields,
  prompt_tokens: z.int(),
  completion_tokens: z.int(),
  /** Null when there are requests and none of them has a price. */
  cost_micros: z.int().nullable(),
  unpriced_requests: z.int(),
  ...estimateFields,
  /** Of answered requests; null in a bucket without any, and percentiles where only sums are left. */
  avg_ms: latency,
  p50_ms: latency,
  p95_ms: latency,
  p99_ms: latency,
  ttft_p50_ms: latency,
  ttft_p95_ms: latency,
  ttft_p99_ms: latency,
});

type Point = z.input<typeof point>;

const nothing: Omit<UsageCourse['points'][number], 'bucket'> = {
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
  cost_micros: 0,
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
      /** Seconds; widened to a width in which the range has at most 720 buckets. */
      bucket: wholeNumber({ from: 1, to: widestSeconds }).optional(),
      model: nameField.optional(),
      provider: nameField.optional(),
      principal_id: wholeNumber({ from: 1 }).optional(),
    }),
    body: none,
    response: z.array(point),
    handle: async ({ query }, _call, { reports, clock }: UsageNeeds) => {
      const untilMs = query.until === undefined ? clock() : Date.parse(query.until);
      const course = await usageCourse(reports, {
        sinceMs: query.since === undefined ? untilMs - dayMs : Date.parse(query.since),
        untilMs,
        bucket: query.bucket ?? 1,
        model: query.model ?? null,
        provider: query.provider ?? null,
        principalId: query.principal_id ?? null,
      });
      if (isRefusal(course)) return course;
      const bucketSeconds = String(course.buckets.widthMs / 1000);
      return { headers: { 'x-gw-bucket-seconds': bucketSeconds }, body: everyBucket(course) };
    },
  }),
] as const;

function everyBucket({ buckets, points, unattributed }: UsageCourse): Point[] {
  const { startMs, widthMs, count } = buckets;
  const found = new Map(points.map(({ bucket, ...sums }) => [bucket, sums]));
  return Array.from({ length: count }, (_value, bucket) => {
    const sums = found.get(bucket) ?? nothing;
    // Refusals alone cost nothing; what was answered and has no price is unpriced.
    const cost = sums.cost_micros ?? (sums.unpriced_requests > 0 ? null : 0);
    return {
      at: new Date(startMs + bucket * widthMs).toISOString(),
      ...sums,
      cost_micros: cost,
      refused_unattributed: unattributed.get(bucket) ?? 0,
    };
  });
}
