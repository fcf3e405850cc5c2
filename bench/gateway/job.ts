// The messages between the run and the load generator: one line of JSON each way.

import { z } from 'zod';

export const job = z.object({
  port: z.int(),
  /** Complete requests as sent over the wire, in base64. Connections use them in turn. */
  requests: z.array(z.base64()).min(1),
  /** The expected body of each answer. */
  answer: z.base64(),
  connections: z.int().positive(),
  warmMs: z.number(),
  measureMs: z.number(),
  /** The process whose time and memory are measured; null for the upstream alone. */
  pid: z.int().nullable(),
});
export type Job = z.output<typeof job>;

export const measurement = z.object({
  /** All answered requests of the job, including those outside the measured window. */
  sent: z.int(),
  requestsPerSecond: z.number(),
  cpuMicros: z.number().nullable(),
  p50Micros: z.number(),
  p99Micros: z.number(),
  rssMegabytes: z.number().nullable(),
});
export type Measurement = z.output<typeof measurement>;
