// Starts threads that walk ranges of the log, each with its own connection, limited by the cores of
// the machine.

import { availableParallelism } from 'node:os';
import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';

import { walkedMessage } from './walk-message.ts';
import type { Task } from './walk-message.ts';
import type { Walked } from './walk.ts';
import type { ParallelWalk } from './walk-ranges.ts';

/** `.ts` in a checkout, `.js` in a package. */
const thread = new URL(`./walk-thread${extname(import.meta.filename)}`, import.meta.url);

/** Leaves some cores to the database. */
const threadsMax = 3;

/** A thread lives until its range ends or `close` is called. */
export function createWalkThreads(
  url: string,
): ParallelWalk & Readonly<{ close: () => Promise<void> }> {
  const workers = new Set<Worker>();
  const run = async (workerData: Task): Promise<Walked> => {
    const { promise, resolve, reject } = Promise.withResolvers<unknown>();
    const worker = new Worker(thread, { workerData });
    workers.add(worker);
    worker.once('message', resolve);
    worker.once('messageerror', reject);
    worker.once('error', reject);
    worker.once('exit', () => {
      workers.delete(worker);
      reject(new Error('a thread that verifies the log ended before its range was verified'));
    });
    return walkedMessage.parse(await promise);
  };
  return {
    threads: Math.min(threadsMax, availableParallelism() - 1),
    walk: (range) => run({ url, range }),
    close: async () => {
      await Promise.all([...workers].map((worker) => worker.terminate()));
    },
  };
}
