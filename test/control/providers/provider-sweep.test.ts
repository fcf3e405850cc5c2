// Tests the sweep on a real database: results of non-dynamic providers, ownership of the sweep, and
// time without sweeps.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { TestContext } from 'node:test';

import { takeSweepTurn } from '../../../src/db/provider-sweep.ts';
import { member } from '../../harness/admin/admin.ts';
import { startModelHosts } from '../../harness/upstream/model-hosts.ts';
import { leasingPlane, sweepIntervalMs } from '../../harness/control/leases.ts';
import type { LeasingPlane } from '../../harness/control/leases.ts';
import { until } from '../../harness/wait.ts';

async function only({ send }: LeasingPlane) {
  const { body } = await send('GET', '/admin/providers');
  assert.ok(Array.isArray(body));
  assert.equal(body.length, 1);
  const found: unknown = body[0];
  const read = (name: string): unknown => member(found, name);
  return [read('last_seen_at'), read('degraded_since'), read('degraded_reason')];
}

const minute = (number: number): string =>
  new Date(Date.parse('2030-01-01T00:00:00Z') + number * 60_000).toISOString();

async function sweepLater(leasing: LeasingPlane, minutes = 1): Promise<void> {
  leasing.time.now += minutes * 60_000;
  await leasing.sweep();
}

describe('the sweep of a static provider', () => {
  it('reports since when it fails and when it answers again, and keeps it in rotation', async (t) => {
    const leasing = await leasingPlane(t);
    const { all, apiBase } = await startModelHosts(t, 1);
    const [host] = all;
    assert.ok(host);
    await leasing.send('POST', '/admin/providers', { api_base: apiBase(0) });
    const before = await leasing.events();
    await sweepLater(leasing);
    assert.deepEqual(await only(leasing), [minute(1), null, null]);
    host.isUp = false;
    await sweepLater(leasing);
    await sweepLater(leasing, 60);
    const reason = `${apiBase(0)}/models responded with status 503`;
    assert.deepEqual(await only(leasing), [minute(1), minute(2), reason]);
    assert.deepEqual(leasing.plane.publisher.current()?.snapshot.overlay.dropped_providers, []);
    host.isUp = true;
    await sweepLater(leasing);
    assert.deepEqual(await only(leasing), [minute(63), null, null]);
    assert.deepEqual(await leasing.events(), before);
  });

  it('reports registered models that it no longer serves; additional ones are not drift', async (t) => {
    const leasing = await leasingPlane(t);
    const { all, apiBase } = await startModelHosts(t, 1);
    const [host] = all;
    assert.ok(host);
    host.models = ['a', 'b'];
    await leasing.send('POST', '/admin/providers', { api_base: apiBase(0) });
    await leasing.send('POST', '/admin/models', { name: 'b' });
    await leasing.send('POST', '/admin/models/1/backends', { provider_id: 1 });
    await sweepLater(leasing);
    assert.deepEqual((await only(leasing))[2], null);
    host.models = ['a'];
    await sweepLater(leasing);
    assert.deepEqual(await only(leasing), [minute(2), minute(2), 'no longer serves b']);
  });
});

/** Registers two hosts of one agent. `first` reads the state of the first one. */
async function sweeping(t: TestContext) {
  const leasing = await leasingPlane(t);
  const { all, apiBase, asked } = await startModelHosts(t, 2);
  const [host, other] = all;
  assert.ok(host && other);
  const key = await leasing.key('agent');
  const beat = (index: number) =>
    leasing.register(key, { api_base: apiBase(index), ttl_seconds: 3600 });
  for (const index of [0, 1]) await beat(index);
  const first = async () => {
    const { body } = await leasing.send('GET', '/admin/providers');
    assert.ok(Array.isArray(body));
    const found: unknown = body.find((one) => member(one, 'api_base') === apiBase(0));
    return ['last_seen_at', 'degraded_reason'].map((name) => member(found, name));
  };
  return { leasing, host, other, asked, beat, first };
}

describe('a host that returns while it is swept', () => {
  it('was seen then, whatever the sweep stored before', async (t) => {
    const { leasing, host, other, beat, first } = await sweeping(t);
    host.isUp = false;
    const { promise, resolve } = Promise.withResolvers<void>();
    other.held = promise;
    leasing.time.now += sweepIntervalMs;
    const swept = leasing.sweep();
    await until(async () => (await first())[1] !== null, { what: 'the host to be out' });
    host.isUp = true;
    leasing.time.now += 1000;
    await beat(0);
    const seenAt = new Date(leasing.time.now).toISOString();
    assert.deepEqual(await first(), [seenAt, null]);
    resolve();
    await swept;
    assert.deepEqual(await first(), [seenAt, null]);
  });

  it('is not taken out of rotation by an earlier result', async (t) => {
    const { leasing, host, asked, beat, first } = await sweeping(t);
    host.isUp = false;
    await sweepLater(leasing);
    const before = asked();
    const { promise, resolve } = Promise.withResolvers<void>();
    host.held = promise;
    leasing.time.now += sweepIntervalMs;
    const swept = leasing.sweep();
    await until(() => asked() === before + 2, { what: 'both hosts to be asked' });
    host.isUp = true;
    delete host.held;
    await beat(0);
    const seenAt = new Date(leasing.time.now).toISOString();
    resolve();
    await swept;
    assert.deepEqual(await first(), [seenAt, null]);
    const types = (await leasing.events()).map(({ type }) => type);
    assert.equal(types.filter((type) => type === 'ProviderDegraded').length, 1);
  });
});

describe('the sweep of several control planes', () => {
  it('runs on one at a time, once per interval', async (t) => {
    const leasing = await leasingPlane(t);
    const { apiBase, asked } = await startModelHosts(t, 3);
    const key = await leasing.key('agent');
    for (const index of [0, 1, 2]) {
      await leasing.register(key, { api_base: apiBase(index), ttl_seconds: 3600 });
    }
    const other = await leasing.another();
    try {
      const before = asked();
      leasing.time.now += sweepIntervalMs;
      await Promise.all([leasing.sweep(), leasing.sweepBy(other)]);
      leasing.time.now += sweepIntervalMs / 2;
      await Promise.all([leasing.sweep(), leasing.sweepBy(other)]);
      assert.equal(asked() - before, 3);
      leasing.time.now += sweepIntervalMs / 2;
      await leasing.sweepBy(other);
      assert.equal(asked() - before, 6);
    } finally {
      await other.close();
    }
  });

  it('is taken over when its owner stops in the middle', async (t) => {
    const leasing = await leasingPlane(t);
    const { apiBase, asked } = await startModelHosts(t, 1);
    await leasing.register(await leasing.key('agent'), { api_base: apiBase(0), ttl_seconds: 3600 });
    const now = new Date(leasing.time.now);
    const heldUntil = new Date(leasing.time.now + 90_000);
    await takeSweepTurn(leasing.plane.db, { now, heldUntil, notSince: now });
    const before = asked();
    await sweepLater(leasing);
    assert.equal(asked(), before);
    await sweepLater(leasing);
    assert.equal(asked(), before + 1);
  });
});

it('does not count as an outage when it takes many intervals', async (t) => {
  const leasing = await leasingPlane(t);
  const { all, apiBase, asked } = await startModelHosts(t, 2);
  const key = await leasing.key('agent');
  await leasing.register(key, { api_base: apiBase(0), ttl_seconds: 3600 });
  await leasing.register(key, { api_base: apiBase(1), ttl_seconds: 90 });
  const [slow] = all;
  assert.ok(slow !== undefined);
  const { promise, resolve } = Promise.withResolvers<void>();
  slow.held = promise;
  const before = asked();
  leasing.time.now += sweepIntervalMs;
  const swept = leasing.sweep();
  await until(() => asked() === before + 2, { what: 'both hosts to be asked' });
  leasing.time.now += 4 * sweepIntervalMs;
  resolve();
  await swept;
  await sweepLater(leasing);
  const degraded = (await leasing.events()).filter(({ type }) => type === 'ProviderDegraded');
  assert.deepEqual(
    degraded.map(({ data }) => data),
    [{ id: 2, reason: 'the lease lapsed' }],
  );
});

describe('time without sweeps', () => {
  it('lapses no lease, removes no provider and brings none back', async (t) => {
    const leasing = await leasingPlane(t);
    const { apiBase } = await startModelHosts(t, 2);
    const key = await leasing.key('agent');
    const types = async () => (await leasing.events()).map(({ type }) => type);
    await leasing.register(key, { api_base: apiBase(0), ttl_seconds: 30 });
    await sweepLater(leasing);
    await sweepLater(leasing);
    assert.ok((await types()).includes('ProviderDegraded'), 'after more sweeps, it lapses');
    await leasing.register(key, { api_base: apiBase(1), ttl_seconds: 120 });
    await sweepLater(leasing, 120);
    const after = (await types()).filter((type) => /^Provider(?:De|Re)/.test(type));
    assert.deepEqual(after, ['ProviderRegistered', 'ProviderDegraded', 'ProviderRegistered']);
  });
});
