// Tests the last report of each replica: replaced, expired, bounded, and compared with the previous
// one.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { createFleet } from '../../../src/control/fleet/fleet.ts';
import type { Transition } from '../../../src/control/fleet/fleet-transitions.ts';
import { createTakeRefusals } from '../../../src/control/fleet/fleet-refusals.ts';
import { healthOf } from '../../harness/gateway/health.ts';

const noon = Date.parse('2026-11-21T12:00:00Z');
const second = 1000;

function testFleet(bounds = { replicas: 10, backends: 100 }) {
  let elapsedMs = 0;
  const told: Transition[] = [];
  const fleet = createFleet({
    clock: () => noon + elapsedMs,
    monotonic: () => elapsedMs,
    onTransition: (one) => void told.push(one),
    bounds,
  });
  const names = () => fleet.rows().map(({ replica }) => replica);
  return { ...fleet, told, names, pass: (ms: number) => void (elapsedMs += ms) };
}

describe('the fleet', () => {
  it('has a row per replica, by name, with its last report and its age', () => {
    const { take, rows, pass } = testFleet();
    take(healthOf('b', { version: 3, backends: { m: true } }));
    pass(4 * second);
    take(healthOf('a', { version: 4, backends: { m: false } }));
    pass(2.5 * second);
    assert.deepEqual(rows(), [
      {
        ...healthOf('a', { version: 4, backends: { m: false } }),
        reported_at: '2026-11-21T12:00:04.000Z',
        snapshot_since: '2026-11-21T12:00:04.000Z',
        age_seconds: 2,
      },
      {
        ...healthOf('b', { version: 3, backends: { m: true } }),
        reported_at: '2026-11-21T12:00:00.000Z',
        snapshot_since: '2026-11-21T12:00:00.000Z',
        age_seconds: 6,
      },
    ]);
  });

  it('shows since when a replica serves its version', () => {
    const { take, rows, pass } = testFleet();
    const since = (version: number) => {
      take(healthOf('a', { version }));
      pass(10 * second);
      return rows()[0]?.snapshot_since;
    };
    const first = since(1);
    assert.equal(since(1), first);
    const later = since(2);
    assert.equal(later, '2026-11-21T12:00:20.000Z');
    assert.equal(since(2), later);
  });

  it('drops a replica that is silent for 30 seconds, and starts again when it returns', () => {
    const { take, names, told, pass } = testFleet();
    take(healthOf('a', { backends: { m: true } }));
    pass(30 * second - 1);
    assert.deepEqual(names(), ['a']);
    pass(1);
    assert.deepEqual(names(), []);
    take(healthOf('a', { backends: { m: false } }));
    assert.deepEqual(told, []);
  });

  it('reports the changes between two reports of one replica, never of two replicas', () => {
    const { take, told } = testFleet();
    take(healthOf('a', { backends: { m: true } }));
    take(healthOf('b', { backends: { m: false } }));
    take(healthOf('a', { backends: { m: false } }));
    take(healthOf('b', { backends: { m: true } }));
    assert.deepEqual(
      told.map(({ type, data }) => [type, data.replica]),
      [
        ['backend_down', 'a'],
        ['backend_recovered', 'b'],
      ],
    );
  });

  it('bounds replicas and backends, and has capacity again when some are silent', () => {
    const { take, names, pass } = testFleet({ replicas: 2, backends: 3 });
    assert.equal(take(healthOf('a', { backends: { m: true } })), null);
    assert.equal(take(healthOf('b', { backends: { m: true } })), null);
    const third = take(healthOf('c'));
    assert.deepEqual([third?.refused, third?.retryAfterSeconds], ['too_many', 30]);
    const longer = healthOf('b', { backends: { m: true, n: true, o: true } });
    assert.equal(take(longer)?.refused, 'too_many');
    assert.equal(take(healthOf('b', { backends: { m: true, n: true } })), null);
    assert.deepEqual(names(), ['a', 'b']);
    pass(30 * second);
    assert.equal(take(longer), null);
  });
});

describe('unattributed refusals', () => {
  it('are recorded when they change, and again after a failure', async () => {
    const recorded: unknown[] = [];
    const failures: unknown[] = [];
    let isAway = false;
    const take = createTakeRefusals({
      record: async (replica, counts) => {
        if (isAway) throw new Error('away');
        recorded.push([replica, counts.unauthenticated, counts.modelNotFound]);
      },
      onFailure: (error) => failures.push(error),
    });
    await take(healthOf('a'));
    assert.deepEqual(recorded, []);
    for (let turn = 0; turn < 2; turn++) await take(healthOf('a', { unauthenticated: 3 }));
    assert.deepEqual(recorded, [['a', 3, 0]]);
    isAway = true;
    const next = healthOf('a', { unauthenticated: 3, modelNotFound: 2 });
    for (let turn = 0; turn < 2; turn++) await take(next);
    assert.equal(failures.length, 1);
    isAway = false;
    await take(next);
    assert.deepEqual(recorded.slice(1), [['a', 3, 2]]);
  });
});
