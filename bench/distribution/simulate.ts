// Starts the process of simulated proxies, and reads what it tells.

import { fork } from 'node:child_process';
import path from 'node:path';

import { told } from './simulated.ts';
import type { Counts, Held } from './simulated.ts';

export type Simulated = Readonly<{
  count: number;
  /** The time of `performance.now()` at which the removal had arrived at all. */
  removedAt: (id: number) => Promise<number>;
  read: () => Promise<Readonly<{ counts: Counts; cpuSeconds: number }>>;
  stop: () => void;
}>;

type Options = Readonly<{ controlUrl: string; proxyToken: string; count: number; held: Held }>;

export function simulateProxies(options: Options): Simulated {
  const file = path.join(import.meta.dirname, 'simulated.ts');
  const child = fork(file, [JSON.stringify(options)]);
  const removed = new Map<number, PromiseWithResolvers<number>>();
  const waitFor = (id: number): PromiseWithResolvers<number> => {
    const waiting = removed.get(id) ?? Promise.withResolvers<number>();
    removed.set(id, waiting);
    return waiting;
  };
  let reading = Promise.withResolvers<Readonly<{ counts: Counts; cpuSeconds: number }>>();
  child.on('message', (message) => {
    const one = told.parse(message);
    if ('counts' in one) reading.resolve(one);
    else waitFor(one.removed).resolve(one.at - performance.timeOrigin);
  });
  return {
    count: options.count,
    removedAt: (id) => waitFor(id).promise,
    read: () => {
      reading = Promise.withResolvers();
      child.send('read');
      return reading.promise;
    },
    stop: () => child.disconnect(),
  };
}
