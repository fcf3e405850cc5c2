// Defines the messages between the refined encoder and its thread.

import { z } from 'zod';

/** The start options of the thread. */
export const workerModel = z.object({
  modelPath: z.string(),
  /** The text of tokenizer.json. */
  tokenizer: z.string(),
  /** Use the vector of the first token instead of the mean of all. */
  isFirstToken: z.boolean(),
  /** An installed package or a path. */
  runtime: z.string(),
});
export type WorkerModel = Readonly<z.output<typeof workerModel>>;

export const workerTexts = z.array(z.string());

export const workerAnswer = z.object({
  vectors: z.array(z.instanceof(Float32Array).nullable()),
  /** Null on success. */
  error: z.string().nullable(),
});
export type WorkerAnswer = Readonly<z.input<typeof workerAnswer>>;
