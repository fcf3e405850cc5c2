// Tests rate limits divided among the reporting replicas (specification, "Reconciliation").

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import * as fc from 'fast-check';

import { createReconcile } from '../../../src/control/usage/reconcile.ts';
import { principalId } from '../../../src/lib/ids.ts';
import { isRefusal } from '../../../src/lib/refusal.ts';
import { limitsSet, plainName, principalCreated } from '../../harness/events/examples.ts';
import { given } from '../../harness/events/test-log.ts';

/** Principals 1 and 2 have limits, 3 has none. */
const { state } = given([
  ...[1, 2, 3].map((id) => principalCreated(id, plainName(`p${id}`))),
  limitsSet(1, 60, 1000),
  limitsSet(2, 60),
]);

/** Principal -> requests and tokens. */
type Counts = Readonly<Record<number, readonly [requests: number, tokens: number]>>;

function start(replicasMax?: number) {
  const clock = { ms: 0 };
  const reconcile = createReconcile({
    state: () => state,
    monotonic: () => clock.ms,
    ...(replicasMax === undefined ? {} : { replicasMax }),
  });
  const report = (replica: string, counts: Counts) => {
    const answer = reconcile({
      replica_id: replica,
      counts: Object.entries(counts).map(([id, [requests, tokens]]) => ({
        principal_id: principalId.parse(Number(id)),
        requests,
        tokens,
      })),
    });
    if (isRefusal(answer)) return answer.refused;
    return answer.allowances.map((one) => [one.principal_id, one.requests_share, one.tokens_share]);
  };
  return { clock, report };
}

describe('a replica', () => {
  it('has all of each limit when it is alone', () =>
    assert.deepEqual(start().report('a', { 1: [5, 50], 2: [0, 0] }), [
      [1, 1, 1],
      [2, 1, 1],
    ]));

  it('gets its share of the demand, separately for requests and tokens', () => {
    const { report } = start();
    report('a', { 1: [90, 1000] });
    assert.deepEqual(report('b', { 1: [30, 3000] }), [[1, 0.25, 0.75]]);
    assert.deepEqual(report('a', { 1: [90, 1000] }), [[1, 0.75, 0.25]]);
  });

  it('gets an even share when idle, without reducing those of others', () => {
    const { report } = start();
    report('a', { 1: [60, 1000] });
    report('b', {});
    assert.deepEqual(report('c', { 1: [0, 0] }), [[1, 1 / 3, 1 / 3]]);
    assert.deepEqual(report('a', { 1: [60, 1000] }), [[1, 1, 1]]);
  });

  it('may use everything that was not claimed in the last minute, also for an unseen principal', () => {
    const { clock, report } = start();
    report('a', { 1: [15, 900] });
    assert.deepEqual(report('b', {}), [[1, 0.75, 0.5]]);
    assert.deepEqual(report('b', { 1: [0, 0] }), [[1, 0.75, 0.5]]);
    // The claim decays: about a third is left after a minute, and nothing in the end.
    for (const second of [20, 40, 60]) {
      clock.ms = second * 1000;
      report('a', { 1: [0, 0] });
    }
    assert.deepEqual(
      report('b', { 1: [0, 0] })
        .at(0)
        ?.at(1),
      1 - 0.25 * Math.exp(-1),
    );
    for (let second = 80; second <= 1000; second += 20) {
      clock.ms = second * 1000;
      report('a', { 1: [0, 0] });
    }
    assert.deepEqual(report('b', {}), []);
  });

  it('replaces its previous report', () => {
    const { report } = start();
    report('a', { 1: [30, 0], 2: [4, 0] });
    report('a', { 1: [10, 0] });
    assert.deepEqual(report('b', { 1: [10, 0], 2: [4, 0] }), [
      [1, 0.5, 1],
      [2, 1, 1],
    ]);
  });

  it('is ignored after 30 seconds of silence', () => {
    const { clock, report } = start();
    report('a', { 1: [90, 0] });
    clock.ms = 29_999;
    assert.deepEqual(report('b', { 1: [30, 0] }), [[1, 0.25, 1]]);
    clock.ms = 30_000;
    assert.deepEqual(report('b', { 1: [30, 0] }), [[1, 1, 1]]);
  });

  it('gets nothing for principals without limits or deleted ones', () =>
    assert.deepEqual(start().report('a', { 1: [1, 1], 3: [5, 50], 99: [1, 1] }), [[1, 1, 1]]));

  it('is refused beyond the maximum, unless it is known', () => {
    const { clock, report } = start(2);
    report('a', {});
    report('b', {});
    assert.equal(report('c', {}), 'too_many');
    assert.deepEqual(report('a', {}), []);
    clock.ms = 30_000;
    assert.deepEqual(report('c', {}), []);
  });
});

it('gets the number of reporting replicas', () => {
  const reconcile = createReconcile({ state: () => state, monotonic: () => 0 });
  const told = ['a', 'b', 'a', 'c'].map((replica_id) => {
    const answer = reconcile({ replica_id, counts: [] });
    return isRefusal(answer) ? answer.refused : answer.replicas;
  });
  assert.deepEqual(told, [1, 2, 2, 3]);
});

it('gets shares that do not exceed the limit once demand reaches it', () => {
  const count = fc.oneof(fc.constant(0), fc.integer({ min: 1000, max: 1_000_000 }));
  fc.assert(
    fc.property(fc.array(fc.tuple(count, count), { minLength: 1, maxLength: 20 }), (demand) => {
      const { report } = start();
      const round = () =>
        demand.map(([requests, tokens], index) => report(`r${index}`, { 1: [requests, tokens] }));
      round();
      for (const dimension of [1, 2] as const) {
        const shares = round().map((answer, index) =>
          Array.isArray(answer) && (demand[index]?.[dimension - 1] ?? 0) > 0
            ? Number(answer[0]?.[dimension])
            : 0,
        );
        const sum = shares.reduce((sum, share) => sum + share, 0);
        assert.ok(sum <= 1 + 1e-9, `${sum}`);
      }
    }),
  );
});
