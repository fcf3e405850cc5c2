// Serves the totals and histograms of the requests that a filter selects.

import { z } from 'zod';

import type { ExtensionNeeds } from '../../src/admin/extension.ts';
import { wholeNumber } from '../../src/admin/http/fields.ts';
import { none, route } from '../../src/admin/http/route.ts';
import { usageFilter } from '../../src/admin/operations/usage-filter.ts';
import { refuseBackwards } from '../../src/control/usage/usage-reports.ts';
import { summarizeUsage } from '../../src/db/usage/usage-summary.ts';
import type { UsageSummary } from '../../src/db/usage/usage-summary.ts';
import { timestamp, timestampField } from '../../src/lib/fields.ts';
import { refuse } from '../../src/lib/refusal.ts';
import { bucketsMax, bucketsOf, bucketWidths } from '../../src/usage/buckets.ts';
import type { Buckets } from '../../src/usage/buckets.ts';

/** The newest rows of a range that one call reads. */
export const summaryRowsMax = 200_000;

/** 1, 2, 5, 10, 20, ... up to a billion. */
export const bounds: readonly number[] = Array.from({ length: 10 }, (_, power) => 10 ** power)
  .flatMap((unit) => [unit, 2 * unit, 5 * unit])
  .slice(0, -2);

const widestSeconds = Math.max(...bucketWidths);

const bar = z.object({
  from: z.int(),
  /** Null is unbounded. */
  below: z.int().nullable(),
  requests: z.int(),
  failed: z.int(),
});
const percentiles = z.object({ p50: z.int(), p95: z.int(), p99: z.int() }).nullable();

/** Costs are in USD. */
const answer = z.object({
  requests: z.int(),
  /** Refused, not answered, or with a status from 400. */
  failed: z.int(),
  cached: z.int(),
  tokens: z.int(),
  /** Null if no request has a cost. */
  cost_micros: z.int().nullable(),
  /** Requests with a cost. */
  priced: z.int(),
  duration_ms: percentiles,
  ttft_ms: percentiles,
  request_cost_micros: percentiles,
  /** Requests before this time are not in the answer, because there are too many. Null if all are. */
  searched_since: timestamp.nullable(),
  histograms: z.object({
    duration_ms: z.array(bar),
    ttft_ms: z.array(bar),
    tokens: z.array(bar),
    cost_micros: z.array(bar),
  }),
  bucket_seconds: z.int(),
  /** Null before `searched_since`. */
  times: z.array(
    z.object({ at: timestamp, requests: z.int().nullable(), failed: z.int().nullable() }),
  ),
});

export const summaryRoute = route({
  method: 'GET',
  path: '/admin/usage/summary',
  operation: 'summarizeUsage',
  permission: 'usage:read',
  tag: 'Usage and prices',
  summary: 'Get totals and histograms of the requests that a filter selects',
  refusals: [],
  params: none,
  query: z.strictObject({
    ...usageFilter,
    since: timestampField,
    bucket: wholeNumber({ from: 1 }).default(1),
  }),
  body: none,
  response: answer,
  parameters: { stream: 'Only streamed requests, or only others.' },
  handle: async ({ query }, _call, { plane, clock }: ExtensionNeeds) => {
    const { bucket, ...filter } = query;
    const { since, until = new Date(clock()).toISOString() } = filter;
    const backwards = refuseBackwards({ since, until });
    if (backwards !== null) return backwards;
    const buckets = bucketsOf({ sinceMs: Date.parse(since), untilMs: Date.parse(until) }, bucket);
    if (buckets === null) {
      const message = `since ${since} is more than ${bucketsMax} of the widest buckets (${widestSeconds} s) before until`;
      return refuse('invalid', message, { param: 'since' });
    }
    const asked = { filter: { ...filter, until }, ...buckets, bounds, rows: summaryRowsMax };
    const found = await plane.reads((db) => summarizeUsage(db, asked));
    return { body: toAnswer(found, buckets) };
  },
});

function toAnswer(found: UsageSummary, buckets: Buckets): z.input<typeof answer> {
  const { requests, failed, cached, tokens, cost_micros, priced, read_since: readSince } = found;
  const searchedSince = readSince?.toISOString() ?? null;
  return {
    requests,
    failed,
    cached,
    tokens: tokens ?? 0,
    cost_micros,
    priced,
    duration_ms: percentilesOf(found.durations),
    ttft_ms: percentilesOf(found.ttfts),
    request_cost_micros: percentilesOf(found.costs),
    searched_since: searchedSince,
    histograms: {
      duration_ms: barsOf(found, 'duration_ms'),
      ttft_ms: barsOf(found, 'ttft_ms'),
      tokens: barsOf(found, 'tokens'),
      cost_micros: barsOf(found, 'cost_micros'),
    },
    bucket_seconds: buckets.widthMs / 1_000,
    times: timesOf(found, buckets),
  };
}

const percentilesOf = (given: UsageSummary['durations']): z.input<typeof percentiles> =>
  given === null ? null : { p50: given[0], p95: given[1], p99: given[2] };

type Measure = keyof z.input<typeof answer>['histograms'];

/** From the first to the last bar with requests. */
function barsOf({ buckets }: UsageSummary, measure: Measure): z.input<typeof bar>[] {
  const found = new Map(
    (buckets ?? []).filter(({ of }) => of === measure).map((one) => [one.bucket, one]),
  );
  if (found.size === 0) return [];
  const first = Math.min(...found.keys());
  return Array.from({ length: Math.max(...found.keys()) - first + 1 }, (_, index) => {
    const { requests = 0, failed = 0 } = found.get(first + index) ?? {};
    const at = first + index;
    return { from: bounds[at - 1] ?? 0, below: bounds[at] ?? null, requests, failed };
  });
}

function timesOf(found: UsageSummary, { startMs, widthMs, count }: Buckets) {
  const counted = new Map(
    (found.buckets ?? []).filter(({ of }) => of === 'at').map((one) => [one.bucket, one]),
  );
  const readFrom = found.read_since?.getTime() ?? -Infinity;
  return Array.from({ length: count }, (_, index) => {
    const start = startMs + index * widthMs;
    const isRead = start >= readFrom;
    const { requests = 0, failed = 0 } = counted.get(index) ?? {};
    return {
      at: new Date(start).toISOString(),
      requests: isRead ? requests : null,
      failed: isRead ? failed : null,
    };
  });
}
