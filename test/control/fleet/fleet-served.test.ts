// Tests which replica served which version since when: the first report counts, rows expire, and
// the database may be unreachable.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { createTakeServed, keepServed, servedBy } from '../../../src/control/fleet/fleet-served.ts';
import { openDatabase } from '../../../src/db/pool.ts';
import { pruneServed } from '../../../src/db/snapshots-served.ts';
import { healthOf } from '../../harness/gateway/health.ts';
import { testPlane } from '../../harness/control/plane.ts';

const dayMs = 24 * 60 * 60 * 1000;
const noon = Date.parse('2026-11-21T12:00:00Z');

describe('the versions that replicas serve', () => {
  it('date from the first report of a version, on any control process', async (t) => {
    const { plane } = await testPlane(t);
    let now = noon;
    const one = () =>
      createTakeServed({
        db: plane.db,
        clock: () => now,
        onFailure: (error) => assert.fail(String(error)),
      });
    const [first, other] = [one(), one()];
    for (const [take, replica, version] of [
      [first, 'a', 3],
      [first, 'a', 3],
      [other, 'a', 3],
      [other, 'b', 3],
      [first, 'a', 4],
      [first, 'c', 0],
    ] as const) {
      await take(healthOf(replica, { version }));
      now += 1000;
    }
    const since = (seconds: number) => new Date(noon + seconds * 1000).toISOString();
    assert.deepEqual(
      [...(await servedBy(plane.db, [0, 3, 4, 5]))],
      [
        [
          3,
          {
            replicas: 2,
            first: [
              { replica: 'a', since: since(0) },
              { replica: 'b', since: since(3) },
            ],
          },
        ],
        [4, { replicas: 1, first: [{ replica: 'a', since: since(4) }] }],
      ],
    );
  });

  it('are deleted after 400 days, or oldest first beyond a number of rows', async (t) => {
    const { plane } = await testPlane(t);
    let now = noon;
    const take = createTakeServed({ db: plane.db, clock: () => now, onFailure: () => {} });
    for (const version of [1, 2, 3, 4]) {
      await take(healthOf('a', { version }));
      now += dayMs;
    }
    assert.equal(await keepServed(plane.db, () => noon + 400 * dayMs), 0);
    assert.equal(await keepServed(plane.db, () => noon + 400 * dayMs + 1), 1);
    assert.equal(await pruneServed(plane.db, { horizon: new Date(0), kept: 2 }), 0);
    assert.equal(await pruneServed(plane.db, { horizon: new Date(0), kept: 1 }), 1);
    const left = await servedBy(plane.db, [1, 2, 3, 4]);
    assert.deepEqual([...left.keys()], [3, 4]);
  });

  it('report a failure to record once, and the report is accepted', async (t) => {
    const { url } = await testPlane(t);
    const db = openDatabase({
      url,
      purpose: 'reports',
      applicationName: 'test',
      connectionsMax: 1,
    });
    await db.dispose();
    let failures = 0;
    const take = createTakeServed({ db, clock: () => noon, onFailure: () => void (failures += 1) });
    for (const version of [7, 8]) await take(healthOf('a', { version }));
    assert.equal(failures, 1);
  });
});
