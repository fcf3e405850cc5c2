// Tests that a proxy which follows two control planes by deltas always has the lookups and the root
// of a whole snapshot that was published, whatever is lost, repeated, reordered, damaged or killed.

import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { readFile, rm, truncate, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { it } from 'node:test';

import * as fc from 'fast-check';

import { createDeltaHistory } from '../../../src/control/publishing/history.ts';
import { createSnapshotCache } from '../../../src/gateway/control-link/cache.ts';
import { isRefusal } from '../../../src/lib/refusal.ts';
import { inOneGo } from '../../../src/lib/steps.ts';
import type { CompiledSnapshot } from '../../../src/snapshot/compile.ts';
import { snapshotDelta } from '../../../src/snapshot/delta/delta.ts';
import type { Edition } from '../../../src/snapshot/delta/edition.ts';
import { followerSteps } from '../../../src/snapshot/delta/follower.ts';
import type { Follower } from '../../../src/snapshot/delta/follower.ts';
import { wholeOf } from '../../../src/snapshot/paged.ts';
import { deltaBetween } from '../../harness/gateway/editions.ts';
import {
  applyTo,
  arounds,
  compiledOf,
  damage,
  editionsOf,
  lookupsOf,
  preludeLength,
  received,
  shortHistories,
} from '../../harness/gateway/published-editions.ts';
import { runs } from '../../harness/property-runs.ts';
import { temporaryDirectory } from '../../harness/temporary-directory.ts';

/** A control plane publishes its next edition, or something happens between it and the proxy. */
const step = fc.record({
  kind: fc.oneof(
    { weight: 6, arbitrary: fc.constant('publish' as const) },
    { weight: 6, arbitrary: fc.constant('poll' as const) },
    fc.constantFrom('lose', 'repeat', 'damage', 'compact', 'kill', 'tear', 'spoil'),
  ),
  /** The proxy mostly stays with one. */
  replica: fc.oneof({ weight: 3, arbitrary: fc.constant(0) }, fc.constant(1)),
  where: fc.nat(),
});
type Step = (typeof step extends fc.Arbitrary<infer Value> ? Value : never) & object;

type Answer =
  | Readonly<{ kind: 'whole'; edition: Edition }>
  | Readonly<{ kind: 'delta'; json: unknown }>;

/** Publishes its editions one after the other. */
function createReplica(editions: readonly Edition[]) {
  const history = createDeltaHistory(() => 0);
  let at = 0;
  const current = (): Edition => {
    const edition = editions[at];
    assert.ok(edition);
    return edition;
  };
  return {
    publish: (): void => {
      const next = editions[at + 1];
      if (next === undefined) return;
      history.add(deltaBetween(current(), next));
      at += 1;
    },
    isLast: (): boolean => at === editions.length - 1,
    /** Null if the proxy has the newest snapshot. */
    answer: (base: string | null): Answer | null => {
      if (base === current().root) return null;
      const delta = base === null ? null : history.from(base);
      return delta === null
        ? { kind: 'whole', edition: current() }
        : { kind: 'delta', json: JSON.parse(delta.bytes.toString()) };
    },
    newest: current,
  };
}

type Served = Readonly<{ root: string; compiled: CompiledSnapshot }>;

/** The part of a proxy that applies answers, with its cache. */
async function createProxy(file: string) {
  const open = () => createSnapshotCache({ path: file, secret: 'a secret of the tests' });
  let cache = open();
  let follower: Follower | null = null;
  let served: Served | null = null;

  const take = (snapshot: ReturnType<typeof wholeOf>): void => {
    const compiled = compiledOf(snapshot);
    follower = inOneGo(followerSteps({ received: received(snapshot), snapshot, compiled }));
    served = { root: follower.root(), compiled };
  };
  const deliver = async (answer: Answer): Promise<void> => {
    if (answer.kind === 'whole') {
      const snapshot = wholeOf(answer.edition);
      take(snapshot);
      await cache.write({ snapshot, seen: [], root: answer.edition.root });
      return;
    }
    const own = follower;
    const applied = own === null ? null : applyTo(own, answer.json);
    follower = null;
    // The next poll fetches the whole snapshot.
    if (own === null || applied === null || isRefusal(applied)) return;
    follower = own;
    const { base, root } = snapshotDelta.parse(answer.json);
    served = { root: own.root(), compiled: applied };
    assert.equal(root, own.root());
    if (await cache.append({ delta: answer.json, seen: [], base, root })) return;
    await cache.write({ snapshot: own.snapshot(), seen: [], root });
  };
  return {
    base: (): string | null => follower?.root() ?? null,
    served: () => served,
    deliver,
    /** Happens when the appended deltas are large. */
    compact: async (): Promise<void> => {
      if (follower === null) return;
      await cache.write({ snapshot: follower.snapshot(), seen: [], root: follower.root() });
    },
    restart: async (): Promise<void> => {
      [follower, served, cache] = [null, null, open()];
      const { cached } = await cache.read();
      if (cached !== null) take(cached.snapshot);
    },
  };
}

it('has at every moment what a whole fetch of a published snapshot gives', async (t) => {
  const folder = await temporaryDirectory(t);
  await fc.assert(
    fc.asyncProperty(
      shortHistories,
      fc.tuple(arounds, fc.option(arounds, { nil: null })),
      fc.array(step, { minLength: 8, maxLength: 30 }),
      async (commands, [around, other], steps) => {
        const all = editionsOf(commands, around).slice(preludeLength - 1);
        // Replicas publish the same snapshots, unless their overlays or secrets differ.
        const others = other === null ? all : editionsOf(commands, other).slice(preludeLength - 1);
        const file = path.join(folder, randomUUID());
        await follow({ editions: [all, others], steps, file });
        for (const suffix of ['', '.1', '.deltas', '.deltas.1']) {
          await rm(`${file}${suffix}`, { force: true });
        }
      },
    ),
    runs(40),
  );
});

type Story = Readonly<{
  editions: readonly (readonly Edition[])[];
  steps: readonly Step[];
  file: string;
}>;

async function follow({ editions, steps, file }: Story): Promise<void> {
  const published = new Map(editions.flat().map((one) => [one.root, one]));
  const [first, second] = editions.map(createReplica);
  assert.ok(first && second);
  const proxy = await createProxy(file);
  const expected = new Map<string, string>();
  const check = (): void => {
    const { root, compiled } = proxy.served() ?? {};
    if (root === undefined || compiled === undefined) return;
    const edition = published.get(root);
    assert.ok(edition, `root ${root} was published`);
    const lookups = expected.get(root) ?? lookupsOf(compiledOf(wholeOf(edition)));
    expected.set(root, lookups);
    assert.equal(lookupsOf(compiled), lookups);
  };
  const sent: Answer[] = [];
  const happen = async ({ kind, replica: which, where }: Step): Promise<void> => {
    const replica = which === 0 ? first : second;
    const before = proxy.served()?.root;
    if (kind === 'publish') return replica.publish();
    if (kind === 'compact') return proxy.compact();
    if (kind === 'repeat') {
      const old = sent[where % Math.max(1, sent.length)];
      return old === undefined ? undefined : proxy.deliver(old);
    }
    if (kind === 'kill' || kind === 'tear' || kind === 'spoil') {
      if (kind === 'tear') await tear(`${file}.deltas`, where);
      if (kind === 'spoil') await spoil(file, where);
      await proxy.restart();
      if (kind === 'kill') assert.equal(proxy.served()?.root, before);
      return;
    }
    const answer = replica.answer(proxy.base());
    if (answer === null) return;
    if (kind !== 'damage') sent.push(answer);
    if (kind === 'poll') await proxy.deliver(answer);
    if (kind !== 'damage' || answer.kind === 'whole') return;
    const damaged = damage(JSON.stringify(answer.json), where, where % 7);
    if (damaged !== null) await proxy.deliver({ kind: 'delta', json: damaged });
  };
  for (const one of steps) {
    await happen(one);
    check();
  }
  // The first poll may get a refused delta, and the second gets the whole snapshot.
  while (!first.isLast()) first.publish();
  for (let poll = 0; poll < 2; poll++) {
    const answer = first.answer(proxy.base());
    if (answer !== null) await proxy.deliver(answer);
  }
  check();
  assert.equal(proxy.served()?.root, first.newest().root);
}

/** Cuts bytes off the end, like a crash in the middle of a write. */
async function tear(file: string, where: number): Promise<void> {
  const bytes = await readFile(file).catch(() => null);
  if (bytes !== null) await truncate(file, Math.max(0, bytes.length - (where % 400)));
}

/** Changes one byte. */
async function spoil(file: string, where: number): Promise<void> {
  const bytes = await readFile(file).catch(() => null);
  if (bytes === null) return;
  const at = where % bytes.length;
  bytes[at] = (bytes[at] ?? 0) ^ 1;
  await writeFile(file, bytes);
}
