// Tests leader election: there is one leading operator at a time, and another takes over once the
// Lease expired or was released.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { createElection } from '../../src/operator/election.ts';
import type { ClusterApi } from '../harness/cluster/cluster-api.ts';
import { startClusterApi } from '../harness/cluster/cluster-api.ts';
import { memberAt } from '../harness/cluster/cluster-store.ts';

const { signal } = new AbortController();
const path = '/apis/coordination.k8s.io/v1/namespaces/gw/leases/gw-operator';

/**
 * The clocks only move when a test moves them. The wall clocks of the candidates are years apart.
 */
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
  it('is created and renewed by the first candidate, and refused to the second', async (t) => {
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

  it('goes to the second candidate once it expires by that candidate’s own clock', async (t) => {
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

  it('is free at once after a release', async (t) => {
    const { a, b, spec } = await elected(t);
    assert.equal(await a.step(signal), true);
    assert.equal(await b.step(signal), false);
    await b.release(signal);
    assert.equal(memberAt(spec(), 'holderIdentity'), 'a');
    await a.release(signal);
    assert.equal(await b.step(signal), true);
  });

  it('goes to one of two concurrent candidates', async (t) => {
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

  it('gives no leader if it cannot be read', async (t) => {
    const { a, cluster } = await elected(t);
    cluster.setBroken(500);
    await assert.rejects(a.step(signal), /answered 500: broken/);
  });
});
