// Runs the refined encoder in a thread that the first text starts. The queue and every wait are bounded. The thread takes one batch at a
// time, so a batch that timed out in the queue never starts.

import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';

import type { RefinedEncoder } from '../../classifier/encoder.ts';
import type { Clock } from '../../lib/clock.ts';
import { workerAnswer } from './messages.ts';
import type { WorkerModel } from './messages.ts';

type Options = WorkerModel & Readonly<{ identity: string; now: Clock }>;

type Vectors = readonly (Float32Array | null)[];
type Waiting = Readonly<{
  texts: readonly string[];
  resolve: (vectors: Vectors) => void;
  reject: (error: Error) => void;
}>;

/** `.ts` in a checkout, `.js` in a package. */
const thread = new URL(`./worker${extname(import.meta.filename)}`, import.meta.url);

const queuedMax = 64;
/** The wait after a failed start. */
const restartMs = 10_000;

export function createRefinedEncoder(
  options: Options,
): RefinedEncoder & Readonly<{ close: () => Promise<void> }> {
  const { identity, now, ...workerData } = options;
  const queue: Waiting[] = [];
  let worker: Worker | null = null;
  let current: Waiting | null = null;
  let failure: Readonly<{ error: Error; untilMs: number }> | null = null;

  const fail = (error: Error): void => {
    failure = { error, untilMs: now() + restartMs };
    worker = null;
    for (const waiting of [current, ...queue.splice(0)]) waiting?.reject(error);
    current = null;
  };
  const start = (): Worker => {
    const started = new Worker(thread, { workerData });
    started.unref();
    started.on('message', (message: unknown) => {
      const answer = workerAnswer.parse(message);
      const asked = current;
      current = null;
      if (answer.error === null) asked?.resolve(answer.vectors);
      else asked?.reject(new Error(answer.error));
      next();
    });
    started.on('error', fail);
    return started;
  };
  const next = (): void => {
    if (current !== null) return;
    current = queue.shift() ?? null;
    if (current === null) return;
    worker ??= start();
    worker.postMessage(current.texts, []);
  };
  const embed: RefinedEncoder['embed'] = (texts, { timeoutMs }) =>
    new Promise((resolve, reject) => {
      if (failure !== null && now() < failure.untilMs) return reject(failure.error);
      if (queue.length >= queuedMax) {
        return reject(new Error(`${queuedMax} prompts wait for the refined encoder`));
      }
      const timer = timeoutMs === null ? undefined : setTimeout(() => giveUp(), timeoutMs);
      const waiting: Waiting = {
        texts,
        resolve: (vectors) => {
          clearTimeout(timer);
          resolve(vectors);
        },
        reject: (error) => {
          clearTimeout(timer);
          reject(error);
        },
      };
      const giveUp = (): void => {
        const at = queue.indexOf(waiting);
        if (at !== -1) queue.splice(at, 1);
        reject(new Error(`the refined encoder took longer than ${timeoutMs} ms`));
      };
      queue.push(waiting);
      next();
    });
  return {
    identity,
    embed,
    close: async () => {
      await worker?.terminate();
    },
  };
}
