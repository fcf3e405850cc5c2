// Holds who leads: one operator at a time, another once the first is silent for as long as its Lease lasts, or has given it up.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { createElection } from '../../src/operator/election.ts';
import type { ClusterApi } from '../harness/cluster/cluster-api.ts';
import { startClusterApi } from '../harness/cluster/cluster-api.ts';
import { memberAt } from '../harness/cluster/cluster-store.ts';

const { signal } = new AbortController();
const path = '/apis/coordination.k8s.io/v1/namespaces/gw/leases/gw-operator';

/** Clocks that stand until they are moved; the candidates' times of day are years apart. */
function candidates({ place }: ClusterApi, clock: { ms: number }) {
  return ['a', 'b'].map((self, at) =>
    createElection({
      place,
      holder: { name: 'gw-operator', namespace: 'gw', self, seconds: 15 },
      monotonic: () => clock.ms,
      nowMs: () => Date.UTC(2026 + at * 4) + clock.ms,
    }),
  );
}

async function elected(t: Parameters<typeof startClusterApi>[0]) {
  const cluster = await startClusterApi(t);
  const clock = { ms: 1_000 };
  const [a, b] = candidates(cluster, clock);
  assert.ok(a !== undefined && b !== undefined);
  const spec = () => memberAt(cluster.store.objects.get(path), 'spec');
  return { cluster, clock, a, b, spec };
}

describe('the lease', () => {
  it('is made by the first, who renews it, and kept from the second', async (t) => {
    const { clock, a, b, spec } = await elected(t);
    assert.equal(await a.step(signal), true);
    for (let steps = 0; steps < 20; steps++) {
      assert.equal(await b.step(signal), false);
      clock.ms += 10_000;
      assert.equal(await a.step(signal), true);
    }
    assert.equal(memberAt(spec(), 'holderIdentity'), 'a');
    assert.equal(memberAt(spec(), 'leaseTransitions'), 0);
    assert.match(String(memberAt(spec(), 'renewTime')), /^2026-01-01T00:03:21\.000000Z$/);
    assert.match(String(memberAt(spec(), 'acquireTime')), /^2026-01-01T00:00:01\.000000Z$/);
  });

  it('goes to the second once nothing was heard of the first for as long as it lasts, by its own clock', async (t) => {
    const { clock, a, b, spec } = await elected(t);
    assert.equal(await a.step(signal), true);
    assert.equal(await b.step(signal), false);
    clock.ms += 14_999;
    assert.equal(await b.step(signal), false);
    clock.ms += 1;
    assert.equal(await b.step(signal), true);
    assert.equal(memberAt(spec(), 'holderIdentity'), 'b');
    assert.equal(memberAt(spec(), 'leaseTransitions'), 1);
    assert.equal(await a.step(signal), false);
  });

  it('that is given up is free at once', async (t) => {
    const { a, b, spec } = await elected(t);
    assert.equal(await a.step(signal), true);
    assert.equal(await b.step(signal), false);
    await b.release(signal);
    assert.equal(memberAt(spec(), 'holderIdentity'), 'a');
    await a.release(signal);
    assert.equal(await b.step(signal), true);
  });

  it('that two take at once goes to one', async (t) => {
    const { clock, a, b, cluster } = await elected(t);
    const first = await Promise.all([a.step(signal), b.step(signal)]);
    assert.equal(first.filter(Boolean).length, 1);
    await Promise.all([a.step(signal), b.step(signal)]);
    const [winner, loser] = first[0] ? [a, b] : [b, a];
    await winner.release(signal);
    clock.ms += 1;
    const again = await Promise.all([winner.step(signal), loser.step(signal)]);
    assert.equal(again.filter(Boolean).length, 1);
    assert.ok(cluster.asked.every(({ status }) => status < 300 || [404, 409].includes(status)));
  });

  it('that cannot be read is nobody\u2019s word', async (t) => {
    const { a, cluster } = await elected(t);
    cluster.setBroken(500);
    await assert.rejects(a.step(signal), /answered 500: broken/);
  });
});
