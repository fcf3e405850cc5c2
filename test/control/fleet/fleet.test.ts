// Tests the last report of each replica on a real database: replaced, expired, bounded, and compared
// with the previous one by any control plane.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { TestContext } from 'node:test';

import { sql } from '@databases/pg';

import { createFleet } from '../../../src/control/fleet/fleet.ts';
import type { Fleet } from '../../../src/control/fleet/fleet.ts';
import { createTakeRefusals } from '../../../src/control/fleet/fleet-refusals.ts';
import type { Notification } from '../../../src/notifications/types.ts';
import { testPlane } from '../../harness/control/plane.ts';
import { healthOf } from '../../harness/gateway/health.ts';

/** Two control planes on one database. */
async function testFleets(t: TestContext, bounds = { replicas: 10, backends: 100 }) {
  const test = await testPlane(t);
  const { db } = test.plane;
  const other = (await test.another()).plane.db;
  const told: Notification[] = [];
  const notifyIn = async (_tx: unknown, given: readonly Notification[]) => void told.push(...given);
  const [fleet, second] = [db, other].map((db) => createFleet({ db, notifyIn, bounds }));
  assert.ok(fleet !== undefined && second !== undefined);
  return {
    db,
    fleet,
    second,
    told,
    names: async () => (await fleet.rows()).map(({ replica }) => replica),
    /** Moves the reports into the past. */
    pass: (ms: number) =>
      db.query(sql`
        update op.fleet set reported_at = reported_at - make_interval(secs => ${ms / 1000}),
          snapshot_since = snapshot_since - make_interval(secs => ${ms / 1000})`),
  };
}

/** Without their ages, which depend on the time of reading. */
const rowsOf = async ({ rows }: Pick<Fleet, 'rows'>) =>
  (await rows()).map(({ reported_at, snapshot_since, backends }) => [
    reported_at,
    snapshot_since,
    backends,
  ]);

const report = (sequence: number, m: boolean) => healthOf('a', { sequence, backends: { m } });

describe('the fleet', () => {
  it('is the same at every control plane, by name, with the last report of each replica', async (t) => {
    const { fleet, second, pass } = await testFleets(t);
    const b = healthOf('b', { version: 3, backends: { m: true } });
    const a = healthOf('a', { version: 4, backends: { m: false } });
    await fleet.take(b);
    await pass(4_000);
    await second.take(a);
    const [first, last, ...more] = await second.rows();
    assert.deepEqual(more, []);
    assert.ok(first !== undefined && last !== undefined);
    const { reported_at: at, snapshot_since: since, age_seconds: age, ...report } = first;
    assert.deepEqual([report, since, age], [a, at, 0]);
    assert.equal(last.replica, 'b');
    assert.ok(last.age_seconds >= 4);
    assert.deepEqual(await rowsOf(fleet), await rowsOf(second));
    assert.deepEqual(await fleet.measure(), { replicas: 2, backends: 2, affected: 1 });
    assert.deepEqual(fleet.measured(), { replicas: 2, backends: 2, affected: 1 });
  });

  it('shows since when a replica serves its version', async (t) => {
    const { fleet, second, pass } = await testFleets(t);
    const secondsSince = async (version: number) => {
      await fleet.take(healthOf('a', { version }));
      const [row] = await second.rows();
      assert.ok(row !== undefined);
      await pass(10_000);
      return (Date.parse(row.reported_at) - Date.parse(row.snapshot_since)) / 1000;
    };
    assert.equal(await secondsSince(1), 0);
    assert.ok((await secondsSince(1)) >= 10);
    assert.equal(await secondsSince(2), 0);
  });

  it('drops a replica that is silent for 30 seconds everywhere, and starts again when it returns', async (t) => {
    const { db, fleet, second, names, told, pass } = await testFleets(t);
    await fleet.take(healthOf('a', { sequence: 9, backends: { m: true } }));
    await pass(25_000);
    assert.deepEqual(await names(), ['a']);
    await pass(5_000);
    assert.deepEqual([await names(), await second.rows()], [[], []]);
    await second.take(healthOf('a', { sequence: 1, backends: { m: false } }));
    assert.deepEqual(told, []);
    assert.deepEqual(await names(), ['a']);
    await pass(30_000);
    await second.measure();
    assert.deepEqual(await db.query(sql`select 1 from op.fleet`), []);
  });

  it('reports the changes between two reports of one replica, never of two replicas', async (t) => {
    const { fleet, second, told } = await testFleets(t);
    await fleet.take(healthOf('a', { backends: { m: true } }));
    await second.take(healthOf('b', { backends: { m: false } }));
    await second.take(healthOf('a', { backends: { m: false } }));
    await fleet.take(healthOf('b', { backends: { m: true } }));
    assert.deepEqual(
      told.map(({ type, data }) => [type, 'replica' in data && data.replica]),
      [
        ['backend_down', 'a'],
        ['backend_recovered', 'b'],
      ],
    );
  });

  it('ignores a report that arrives again or after a later one', async (t) => {
    const { fleet, second, told } = await testFleets(t);
    await fleet.take(report(1, true));
    await second.take(report(3, true));
    await fleet.take(report(2, false));
    await fleet.take(report(3, false));
    assert.deepEqual(told, []);
    await fleet.take(report(4, false));
    await second.take(report(4, false));
    assert.equal(told.length, 1);
  });

  it('notifies once of a change that is reported to both control planes at the same time', async (t) => {
    const { fleet, second, told } = await testFleets(t);
    await fleet.take(healthOf('a', { backends: { m: true } }));
    const down = healthOf('a', { backends: { m: false } });
    await Promise.all([fleet, second, fleet, second].map((one) => one.take(down)));
    assert.equal(told.length, 1);
  });

  it('keeps the previous report if the notification cannot be stored', async (t) => {
    const { db, fleet, told } = await testFleets(t);
    const failing = createFleet({ db, notifyIn: () => Promise.reject(new Error('full disk')) });
    await fleet.take(healthOf('a', { backends: { m: true } }));
    const down = healthOf('a', { backends: { m: false } });
    await assert.rejects(failing.take(down), /full disk/);
    await fleet.take(down);
    assert.equal(told.length, 1);
  });

  it('bounds replicas and backends, and has capacity again when some are silent', async (t) => {
    const { fleet, second, names, pass } = await testFleets(t, { replicas: 2, backends: 3 });
    assert.equal(await fleet.take(healthOf('a', { backends: { m: true } })), null);
    assert.equal(await second.take(healthOf('b', { backends: { m: true } })), null);
    const third = await fleet.take(healthOf('c'));
    assert.deepEqual([third?.refused, third?.retryAfterSeconds], ['too_many', 30]);
    const longer = healthOf('b', { backends: { m: true, n: true, o: true } });
    assert.equal((await second.take(longer))?.refused, 'too_many');
    assert.equal(await fleet.take(healthOf('b', { backends: { m: true, n: true } })), null);
    assert.deepEqual(await names(), ['a', 'b']);
    await pass(30_000);
    assert.equal(await fleet.take(longer), null);
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
