// Threads that walk ranges of the log, each on a connection of its own, as far as the machine has cores for them.

import { availableParallelism } from 'node:os';
import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';

import { walkedMessage } from './walk-message.ts';
import type { Task } from './walk-message.ts';
import type { Walked } from './walk.ts';
import type { WalkBeside } from './walk-ranges.ts';

/** Has this module's own ending: `.ts` in a checkout, `.js` in a package. */
const thread = new URL(`./walk-thread${extname(import.meta.filename)}`, import.meta.url);

/** The database needs some of the cores, too. */
const threadsMax = 3;

/** `url` is the database's. A thread begins with its range and ends with it, or with `close`. */
export function createWalkThreads(
  url: string,
): WalkBeside & Readonly<{ close: () => Promise<void> }> {
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
      reject(new Error('a thread that verifies the log ended before its range did'));
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
