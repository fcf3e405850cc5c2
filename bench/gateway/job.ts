// What the run asks of the load generator and what it is told: a line of JSON each way.

import { z } from 'zod';

export const job = z.object({
  port: z.int(),
  /** Whole requests as they go over the wire, in base64; connections take them in turn. */
  requests: z.array(z.base64()).min(1),
  /** The body that each answer must have. */
  answer: z.base64(),
  connections: z.int().positive(),
  warmMs: z.number(),
  measureMs: z.number(),
  /** The process whose time and memory are read; null when there is none in between. */
  pid: z.int().nullable(),
});
export type Job = z.output<typeof job>;

export const measurement = z.object({
  /** Every request of the job, also those outside the measured window; all were answered. */
  sent: z.int(),
  requestsPerSecond: z.number(),
  cpuMicros: z.number().nullable(),
  p50Micros: z.number(),
  p99Micros: z.number(),
  rssMegabytes: z.number().nullable(),
});
export type Measurement = z.output<typeof measurement>;
