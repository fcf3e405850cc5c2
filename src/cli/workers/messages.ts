// Defines the messages between a parent process and its workers.

import { z } from 'zod';

import type { Family } from '../../telemetry/merge-pages.ts';

/** A family of metrics of one worker, in the form of telemetry. */
const family = z.object({
  name: z.string(),
  help: z.string(),
  type: z.enum(['counter', 'gauge', 'histogram']),
  aggregator: z.enum(['sum', 'min', 'max']),
  values: z.array(
    z.object({
      metricName: z.string().optional(),
      labels: z.record(z.string(), z.union([z.string(), z.number()])),
      value: z.number(),
    }),
  ),
}) satisfies z.ZodType<Family>;

/** `drain` ends a worker. The page is the text of /metrics for all workers. */
export const toWorker = z.discriminatedUnion('gw', [
  z.object({ gw: z.literal('drain') }),
  z.object({ gw: z.literal('read_metrics') }),
  z.object({ gw: z.literal('metrics_of_all'), page: z.string() }),
]);

export const toParent = z.discriminatedUnion('gw', [
  z.object({ gw: z.literal('serving'), url: z.string() }),
  z.object({ gw: z.literal('metrics'), page: z.array(family) }),
  z.object({ gw: z.literal('gather_metrics') }),
]);

export type ToWorker = z.output<typeof toWorker>;
/** The families are validated on arrival. */
export type ToParent =
  | Exclude<z.output<typeof toParent>, { gw: 'metrics' }>
  | Readonly<{ gw: 'metrics'; page: readonly Family[] }>;
