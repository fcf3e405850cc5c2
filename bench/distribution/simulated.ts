// Simulates a proxy: it long-polls with the client of a proxy and names the root that it holds, but
// keeps nothing of the answers except when each removed key arrived.

import { setTimeout as sleep } from 'node:timers/promises';

import { createControlClient } from '../../src/gateway/control-link/client.ts';
import { baseHeader } from '../../src/snapshot/delta/delta.ts';
import { readDelta } from '../../src/snapshot/delta/follower.ts';
import { isRefusal } from '../../src/lib/refusal.ts';

/** Identifies the snapshot that a proxy holds. */
export type Held = Readonly<{ etag: string; root: string; version: number }>;

export type Simulated = Readonly<{
  /** By id, the time of `performance.now()` at which the removal arrived. */
  removedAt: ReadonlyMap<number, number>;
  counts: Readonly<{ deltas: number; wholes: number; failures: number; deltaBytes: number }>;
  stop: () => Promise<void>;
}>;

const waitSeconds = 5;

type Options = Readonly<{ controlUrl: string; proxyToken: string; held: Held }>;

export function simulateProxy({ controlUrl, proxyToken, held: first }: Options): Simulated {
  const client = createControlClient({ controlUrl, proxyToken, caBundle: [] });
  const stopping = new AbortController();
  const removedAt = new Map<number, number>();
  const counts = { deltas: 0, wholes: 0, failures: 0, deltaBytes: 0 };
  const poll = async (held: Held): Promise<Held> => {
    const answer = await client.get(`/snapshot?at_least=${held.version}&wait=${waitSeconds}`, {
      headers: { 'if-none-match': held.etag, [baseHeader]: held.root },
      signal: stopping.signal,
      waitMs: waitSeconds * 1000,
    });
    const at = performance.now();
    if (answer.status === 304) return held;
    const { etag, root } = answer;
    if (answer.status !== 200 || etag === null || root === null) {
      throw new Error(`the control plane answered ${answer.status}`);
    }
    if (!answer.isDelta) {
      counts.wholes += 1;
      return { etag, root, version: Number(/\d+/.exec(etag)?.[0]) };
    }
    const read = readDelta(JSON.parse(answer.body.toString()));
    if (isRefusal(read)) throw new Error(read.message);
    counts.deltas += 1;
    counts.deltaBytes += answer.body.length;
    for (const id of read.delta.config.api_keys?.removed ?? []) removedAt.set(id, at);
    return { etag, root, version: read.delta.version };
  };
  const run = async (): Promise<void> => {
    let held = first;
    while (!stopping.signal.aborted) {
      try {
        held = await poll(held);
      } catch {
        if (stopping.signal.aborted) return;
        counts.failures += 1;
        await sleep(500);
      }
    }
  };
  const running = run();
  return {
    removedAt,
    counts,
    stop: async () => {
      stopping.abort();
      await running;
      await client.close();
    },
  };
}
