// What the refined encoder and its thread say to each other. Texts go there as a list of strings.

import { z } from 'zod';

/** What the thread is started with. */
export const workerModel = z.object({
  modelPath: z.string(),
  /** Of tokenizer.json. */
  tokenizer: z.string(),
  /** The vector of the first token is the text's, not the mean of all. */
  isFirstToken: z.boolean(),
  /** An installed package, or a path. */
  runtime: z.string(),
});
export type WorkerModel = Readonly<z.output<typeof workerModel>>;

export const workerTexts = z.array(z.string());

export const workerAnswer = z.object({
  vectors: z.array(z.instanceof(Float32Array).nullable()),
  /** Null when all went well. */
  error: z.string().nullable(),
});
export type WorkerAnswer = Readonly<z.input<typeof workerAnswer>>;
