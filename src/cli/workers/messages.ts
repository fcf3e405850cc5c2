// What a parent and its workers say to each other over the channel that the fork gave them.

import { z } from 'zod';

/** `drain` begins the end of a worker. Pages of metrics are texts in the format that /metrics answers. */
export const toWorker = z.discriminatedUnion('gw', [
  z.object({ gw: z.literal('drain') }),
  z.object({ gw: z.literal('read_metrics') }),
  z.object({ gw: z.literal('metrics_of_all'), page: z.string() }),
]);

export const toParent = z.discriminatedUnion('gw', [
  z.object({ gw: z.literal('serving'), url: z.string() }),
  z.object({ gw: z.literal('metrics'), page: z.string() }),
  z.object({ gw: z.literal('gather_metrics') }),
]);

export type ToWorker = z.output<typeof toWorker>;
export type ToParent = z.output<typeof toParent>;
