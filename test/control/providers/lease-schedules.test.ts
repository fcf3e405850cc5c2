// Tests random concurrent schedules of heartbeats, losses and sweeps on one database with two
// control planes: the log has exactly the transitions of the state table. Each schedule is a host.
// `npm run test:soak` has a thousand of them.

import assert from 'node:assert/strict';
import { it } from 'node:test';

import type { RecordedEvent } from '../../../events/catalogue.ts';
import { removalMs } from '../../../src/deciders/provider-sweep.ts';
import { eachInParallel } from '../../../src/lib/parallel.ts';
import { startModelHosts } from '../../harness/upstream/model-hosts.ts';
import type { ModelHost } from '../../harness/upstream/model-hosts.ts';
import { leasingPlane, sweepIntervalMs } from '../../harness/control/leases.ts';

const count = Number(process.env['GW_TEST_SCHEDULES'] ?? 40);
const minutes = 60;
/** The first minute without a control plane, and the number of such minutes. */
const away = { from: 35, minutes: 20 };
const hostsOfOneKey = 50;
const beatsAtOnce = 100;

/** Mulberry32: small and deterministic. */
function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** A model of one host in the state table, with its transitions so far. */
type Expected = {
  state: 'unknown' | 'active' | 'degraded';
  leaseEndsAt: number;
  ttlMs: number;
  degradedAt: number;
  absentSince: number | null;
  transitions: string[];
};

const unknown = (): Expected => ({
  state: 'unknown',
  leaseEndsAt: 0,
  ttlMs: 0,
  degradedAt: 0,
  absentSince: null,
  transitions: [],
});

function beat(
  expected: Expected,
  { isUp }: ModelHost,
  { now, ttlMs }: { now: number; ttlMs: number },
) {
  if (expected.state === 'unknown') {
    if (!isUp) return;
    expected.state = 'active';
    expected.absentSince = null;
    expected.transitions.push('created');
  }
  expected.leaseEndsAt = now + ttlMs;
  expected.ttlMs = ttlMs;
  if (expected.state !== 'degraded' || !isUp) return;
  expected.state = 'active';
  expected.absentSince = null;
  expected.transitions.push('recovered');
}

function sweep(expected: Expected, { isUp }: ModelHost, now: number): void {
  if (expected.state === 'unknown') return;
  if (isUp && now < expected.leaseEndsAt) {
    expected.absentSince = null;
    if (expected.state === 'degraded') expected.transitions.push('recovered');
    expected.state = 'active';
    return;
  }
  if (expected.state === 'active') {
    expected.state = 'degraded';
    expected.degradedAt = now;
    expected.transitions.push('degraded');
  } else if (
    expected.absentSince !== null &&
    now - Math.max(expected.absentSince, expected.degradedAt) >= removalMs
  ) {
    expected.state = 'unknown';
    expected.absentSince = null;
    expected.transitions.push('removed');
    return;
  }
  expected.absentSince ??= now;
}

/**
 * After a time without sweeps, leases that had not lapsed restart in full, and absence counts from
 * now on.
 */
function watchAgain(expected: Expected, { since, now }: { since: number; now: number }): void {
  if (expected.leaseEndsAt > since) {
    expected.leaseEndsAt = Math.max(expected.leaseEndsAt, now + expected.ttlMs);
  }
  if (expected.absentSince !== null) expected.absentSince = now;
}

const words: Readonly<Partial<Record<RecordedEvent['type'], string>>> = {
  ProviderCreated: 'created',
  ProviderDegraded: 'degraded',
  ProviderRecovered: 'recovered',
  ProviderDeleted: 'removed',
};

/** The transitions in the log, by address. */
function transitionsIn(events: readonly RecordedEvent[]): ReadonlyMap<string, readonly string[]> {
  const addresses = new Map<number, string>();
  const found = new Map<string, string[]>();
  for (const event of events) {
    const word = words[event.type];
    if (word === undefined || !('id' in event.data)) continue;
    if (event.type === 'ProviderCreated') {
      addresses.set(event.data.id, event.data.endpoint.api_base);
    }
    const address = addresses.get(event.data.id) ?? '';
    found.set(address, [...(found.get(address) ?? []), word]);
  }
  return found;
}

it(`makes exactly the transitions of the state table in ${count} schedules of heartbeats, losses and sweeps`, async (t) => {
  const leasing = await leasingPlane(t);
  const { time, plane, register, sweepBy } = leasing;
  const { all, apiBase, asked } = await startModelHosts(t, count);
  const random = randomFrom(20_300_101);
  const chance = (share: number): boolean => random() < share;
  const schedules = all.map((host, index) => ({ host, index, isBeating: true, it: unknown() }));
  const keys: string[] = [];
  for (let made = 0; made < count; made += hostsOfOneKey) {
    keys.push(await leasing.key(`agent-${made}`));
  }
  let other = await leasing.another();
  let lastSweepAt = 0;

  for (let minute = 0; minute < minutes; minute++) {
    if (minute === away.from) {
      time.now += away.minutes * 60_000;
      await other.close();
      other = await leasing.another();
    }
    await plane.refresh();
    const beating = schedules.filter((one) => {
      // Long enough both ways for some hosts to be removed.
      if (chance(one.isBeating ? 0.05 : 0.03)) one.isBeating = !one.isBeating;
      if (chance(one.host.isUp ? 0.05 : 0.1)) one.host.isUp = !one.host.isUp;
      if (chance(0.05)) one.host.models = chance(0.5) ? ['shared', `m-${one.index}`] : ['shared'];
      return one.isBeating;
    });
    await eachInParallel(beating, beatsAtOnce, async ({ host, index, it }) => {
      const ttlSeconds = [20, 90, 300][index % 3] ?? 90;
      const body = { api_base: apiBase(index), name: `host-${index}`, ttl_seconds: ttlSeconds };
      const key = keys[Math.floor(index / hostsOfOneKey)] ?? '';
      const { status } = await register(key, body);
      assert.equal(status, it.state === 'unknown' && !host.isUp ? 400 : 200);
      beat(it, host, { now: time.now, ttlMs: ttlSeconds * 1000 });
    });
    time.now += sweepIntervalMs / 2;
    const since = lastSweepAt;
    if (time.now - since > 2.5 * sweepIntervalMs) {
      for (const { it } of schedules) watchAgain(it, { since, now: time.now });
    }
    lastSweepAt = time.now;
    const toAsk = schedules.filter(
      ({ it }) => it.state !== 'unknown' && time.now < it.leaseEndsAt,
    ).length;
    const before = asked();
    await Promise.all([sweepBy(plane), sweepBy(other)]);
    assert.equal(asked() - before, toAsk, 'sweeps on one of the two, and asks each provider once');
    for (const { host, it } of schedules) sweep(it, host, time.now);
    time.now += sweepIntervalMs / 2;
  }
  await other.close();

  const events = await leasing.events();
  const found = transitionsIn(events);
  for (const { index, it } of schedules) {
    assert.deepEqual(found.get(apiBase(index)) ?? [], it.transitions, `host ${index}`);
  }
  const seen = new Set([...found.values()].flat());
  assert.deepEqual([...seen].toSorted(), ['created', 'degraded', 'recovered', 'removed']);
  assert.ok(!events.some(({ type }) => type === 'NoChange'));

  const state = plane.store.state();
  const byAddress = new Map(
    [...state.provider.byId.values()].map((provider) => [provider.endpoint.api_base, provider]),
  );
  await plane.publisher.publishNow();
  const out = plane.publisher.current()?.snapshot.overlay.dropped_providers ?? [];
  const dropped = new Set(out.map(({ provider_id: id }) => id));
  for (const { index, host, it } of schedules) {
    const provider = byAddress.get(apiBase(index));
    assert.equal(provider !== undefined, it.state !== 'unknown', `host ${index}`);
    if (provider === undefined) continue;
    assert.equal(dropped.has(provider.id), it.state === 'degraded', `host ${index}`);
    if (it.state !== 'active') continue;
    const served = [...state.model.byId.values()].flatMap(({ backend }) =>
      backend?.providerId === provider.id ? [backend.upstreamModel] : [],
    );
    assert.deepEqual(served.toSorted(), [...host.models].toSorted(), `host ${index}`);
  }
});
