// Simulates proxies in a process of their own: each long-polls with the client of a proxy and names
// the root that it holds, but keeps nothing of the answers. The process tells its parent when a
// removed key has arrived at all of them, and at the end what they got.

import { setTimeout as sleep } from 'node:timers/promises';

import { z } from 'zod';

import { createControlClient } from '../../src/gateway/control-link/client.ts';
import { baseHeader } from '../../src/snapshot/delta/delta.ts';

/** Identifies the snapshot that a proxy holds. */
const held = z.object({ etag: z.string(), root: z.string(), version: z.int() });
export type Held = Readonly<z.output<typeof held>>;

export const simulation = z.object({
  controlUrl: z.string(),
  proxyToken: z.string(),
  count: z.int(),
  held,
});

const counts = z.object({ deltas: z.int(), wholes: z.int(), failures: z.int() });
export type Counts = Readonly<z.output<typeof counts>>;

/** `at` is in epoch milliseconds with fractions, equal for all processes of a machine. */
export const told = z.union([
  z.object({ removed: z.int(), at: z.number() }),
  z.object({ counts, cpuSeconds: z.number() }),
]);

const waitSeconds = 5;

/** A proxy verifies and applies more than this, which would take a whole core for 100 of them. */
const delta = z.object({
  version: z.int(),
  config: z.object({ api_keys: z.object({ removed: z.array(z.int()) }).optional() }),
});

const tell = (message: z.input<typeof told>): void => void process.send?.(message);

async function run(options: z.output<typeof simulation>): Promise<void> {
  const sum = { deltas: 0, wholes: 0, failures: 0 };
  const arrived = new Map<number, number>();
  const noteRemoved = (id: number): void => {
    const count = (arrived.get(id) ?? 0) + 1;
    arrived.set(id, count);
    if (count < options.count) return;
    arrived.delete(id);
    tell({ removed: id, at: performance.timeOrigin + performance.now() });
  };
  const poll = async (client: ReturnType<typeof createControlClient>, from: Held) => {
    const answer = await client.get(`/snapshot?at_least=${from.version}&wait=${waitSeconds}`, {
      headers: { 'if-none-match': from.etag, [baseHeader]: from.root },
      signal: new AbortController().signal,
      waitMs: waitSeconds * 1000,
    });
    if (answer.status === 304) return from;
    const { etag, root } = answer;
    if (answer.status !== 200 || etag === null || root === null) {
      throw new Error(`the control plane answered ${answer.status}`);
    }
    if (!answer.isDelta) {
      sum.wholes += 1;
      return { etag, root, version: Number(/\d+/.exec(etag)?.[0]) };
    }
    const { version, config } = delta.parse(JSON.parse(answer.body.toString()));
    sum.deltas += 1;
    for (const id of config.api_keys?.removed ?? []) noteRemoved(id);
    return { etag, root, version };
  };
  const follow = async (): Promise<void> => {
    const client = createControlClient({ ...options, caBundle: [] });
    for (let from = options.held; ;) {
      try {
        from = await poll(client, from);
      } catch {
        sum.failures += 1;
        await sleep(500);
      }
    }
  };
  process.on('message', () => {
    const { user, system } = process.cpuUsage();
    tell({ counts: sum, cpuSeconds: (user + system) / 1e6 });
  });
  process.once('disconnect', () => process.exit());
  await Promise.all(Array.from({ length: options.count }, follow));
}

const [given] = process.argv.slice(2);
if (import.meta.main && given !== undefined) await run(simulation.parse(JSON.parse(given)));
