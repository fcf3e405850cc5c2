// Defines the messages to and from a thread that walks a range of the log.

import { z } from 'zod';

import type { Range } from './walk.ts';

const link = z.object({
  position: z.int(),
  hash: z.instanceof(Uint8Array),
  recordedAt: z.number(),
  auditKey: z.string().nullable(),
});

export const task = z.object({
  url: z.string(),
  range: z.object({
    logId: z.string(),
    from: link,
    to: z.int(),
    anchors: z.array(z.string()).readonly(),
  }),
});
export type Task = Readonly<{ url: string; range: Range }>;

export const walkedMessage = z.object({
  checkpoints: z.int(),
  broken: z.object({ position: z.int().nullable(), problem: z.string() }).nullable(),
  link,
});
