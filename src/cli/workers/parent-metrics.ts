// Builds the page of metrics of all workers: the current values of each, and the last values of ended workers.

import { mergePages } from '../../telemetry/merge-pages.ts';
import type { Family } from '../../telemetry/merge-pages.ts';

/** A worker that does not answer in time is shown with its last values. */
const answerMs = 1000;

export type ParentMetrics<Worker> = Readonly<{
  /** Asks every worker. Concurrent requests share the page. */
  gather: () => Promise<string>;
  answered: (worker: Worker, page: readonly Family[]) => void;
  gone: (worker: Worker) => void;
}>;

export function createParentMetrics<Worker>(
  workers: () => Iterable<Worker>,
  ask: (worker: Worker) => void,
): ParentMetrics<Worker> {
  const pages = new Map<Worker, readonly Family[]>();
  /** Otherwise the counters would decrease whenever a worker is replaced. */
  let departed: Promise<readonly Family[]> = Promise.resolve([]);
  let waiting: Readonly<{ left: Set<Worker>; done: () => void }> | null = null;
  let gathering: Promise<string> | null = null;

  const settle = (worker: Worker): void => {
    if (waiting?.left.delete(worker) === true && waiting.left.size === 0) waiting.done();
  };
  const gatherOnce = async (): Promise<string> => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const left = new Set(workers());
    waiting = { left, done: resolve };
    const late = setTimeout(resolve, answerMs);
    for (const worker of left) ask(worker);
    if (left.size > 0) await promise;
    clearTimeout(late);
    waiting = null;
    // Read together, so that a worker that ends in between is counted exactly once.
    const living = [...pages.values()].map((families) => ({ families, isGone: false }));
    const gone = departed;
    return mergePages([...living, { families: await gone, isGone: true }]).metrics();
  };
  return {
    gather: () =>
      (gathering ??= gatherOnce().finally(() => {
        gathering = null;
      })),
    answered: (worker, page) => {
      pages.set(worker, page);
      settle(worker);
    },
    gone: (worker) => {
      const last = pages.get(worker);
      pages.delete(worker);
      settle(worker);
      if (last === undefined) return;
      departed = departed.then((before) =>
        mergePages(
          [before, last].map((families) => ({ families, isGone: true })),
        ).getMetricsAsJSON(),
      );
    },
  };
}
