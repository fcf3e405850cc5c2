// Tests rate limits that several control planes hand out from one database (specification,
// "Reconciliation"), with random demand, lost answers, and control planes that are replaced.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { TestContext } from 'node:test';

import { sql } from '@databases/pg';
import * as fc from 'fast-check';

import { readMoment } from '../../../src/db/allotments.ts';
import { newAllotmentTally } from '../../../src/control/usage/allotment-tally.ts';
import { createReconcile } from '../../../src/control/usage/reconcile.ts';
import type { Reconcile } from '../../../src/control/usage/reconcile.ts';
import { principalId } from '../../../src/lib/ids.ts';
import { isRefusal } from '../../../src/lib/refusal.ts';
import { Limiter } from '../../../src/limits/limiter.ts';
import type { Dimension } from '../../../src/limits/reconciliation.ts';
import { limitsSet, plainName, principalCreated } from '../../harness/events/examples.ts';
import { given } from '../../harness/events/test-log.ts';
import { testPlane } from '../../harness/control/plane.ts';
import { until } from '../../harness/wait.ts';

/** Principals 1 and 2 have limits, 3 has none. */
const { state } = given([
  ...[1, 2, 3].map((id) => principalCreated(id, plainName(`p${id}`))),
  limitsSet(1, 600, 100_000),
  limitsSet(2, 60),
]);
const one = principalId.parse(1);
const minuteMs = 60_000;
/** Longer than the tests whose reports must be in one minute. */
const spareMs = 5_000;

async function testPlanes(t: TestContext, count: number, replicasMax?: number) {
  const test = await testPlane(t);
  const open = async (): Promise<Reconcile> => {
    const { plane } = await test.another();
    const options = replicasMax === undefined ? {} : { replicasMax };
    return createReconcile({
      db: plane.db,
      state: () => state,
      tally: newAllotmentTally(),
      clock: Date.now,
      ...options,
    });
  };
  const planes = await Promise.all(Array.from({ length: count }, open));
  const [first] = planes;
  assert.ok(first !== undefined);
  const { db } = test.plane;
  await until(async () => minuteMs - ((await readMoment(db, 0)).nowMs % minuteMs) > spareMs, {
    what: 'a minute that lasts until the end of the test',
  });
  return { db, planes, first, open };
}

type Asked = Readonly<{
  keeps?: number;
  wants?: number;
  unit?: number;
  principal?: number;
  dimension?: Dimension;
  minute?: number;
}>;

/** Reports of one replica, numbered. */
function replicaOf(replica: string) {
  let sequence = 0;
  let minute = 0;
  const ask = async (reconcile: Reconcile, ...asked: readonly Asked[]) => {
    sequence += 1;
    const answer = await reconcile.take({
      replica_id: replica,
      counts: [],
      asks: {
        sequence,
        limits: asked.map((ask) => ({
          principal_id: principalId.parse(ask.principal ?? 1),
          dimension: ask.dimension ?? 'requests',
          minute: ask.minute ?? minute,
          keeps: ask.keeps ?? 0,
          wants: ask.wants ?? 0,
          unit: ask.unit ?? 1,
        })),
      },
    });
    assert.ok(!isRefusal(answer) && answer.allotments !== undefined);
    minute = answer.allotments.minute;
    return answer.allotments;
  };
  const amounts = async (reconcile: Reconcile, ...asked: readonly Asked[]) =>
    (await ask(reconcile, ...asked)).limits.map(({ amount }) => amount);
  return { ask, amounts };
}

describe('control planes that share a database', () => {
  it('hand out a limit once, whichever of them is asked', async (t) => {
    const { planes } = await testPlanes(t, 2);
    const [x, y] = planes;
    assert.ok(x !== undefined && y !== undefined);
    const [a, b] = [replicaOf('a'), replicaOf('b')];
    assert.equal((await a.ask(x)).start_share, 10_000);
    assert.equal((await b.ask(y)).start_share, 0);
    assert.deepEqual(await b.amounts(y, { wants: 10 }), [0]);
    // The first replica learns that others need the limit, and keeps only what it has used.
    const { short } = await a.ask(x);
    assert.deepEqual(
      short.map(({ principal_id, dimension }) => [principal_id, dimension]),
      [[1, 'requests']],
    );
    assert.deepEqual(await a.amounts(y, { keeps: 100 }), [100]);
    assert.deepEqual(await b.amounts(x, { wants: 400 }), [250]);
    assert.deepEqual(await a.amounts(x, { keeps: 100, wants: 400 }), [225]);
    assert.deepEqual(await b.amounts(y, { keeps: 250, wants: 1000, unit: 125 }), [375]);
    assert.deepEqual(await a.amounts(y, { keeps: 225, wants: 1 }), [225]);
  });

  it('answer a report once, and take back what an answer that was lost allotted', async (t) => {
    const { first, db } = await testPlanes(t, 1);
    const a = replicaOf('a');
    await a.ask(first);
    const [granted] = await a.amounts(first, { keeps: 10, wants: 50 });
    assert.equal(granted, 60);
    assert.deepEqual(await a.amounts(first, { keeps: 10, wants: 0 }), [10]);
    const late = { sequence: 2, limits: [] };
    const answer = await first.take({ replica_id: 'a', counts: [], asks: late });
    assert.ok(isRefusal(answer) && answer.refused === 'conflict');
    const rows: unknown[] = await db.query(sql`select held from op.allotments`);
    assert.deepEqual(rows, [{ held: { a: 10 } }]);
  });

  it('give a new replica what one that stopped did not use', async (t) => {
    const { first } = await testPlanes(t, 1);
    const [a, b] = [replicaOf('a'), replicaOf('b')];
    const { minute } = await a.ask(first);
    const limits = [
      { principal_id: one, dimension: 'requests', minute, keeps: 200, wants: 0, unit: 1 } as const,
    ];
    const asks = { sequence: 2, limits, leaves: true };
    assert.ok(!isRefusal(await first.take({ replica_id: 'a', counts: [], asks })));
    assert.equal((await b.ask(first)).start_share, 5_000);
    assert.deepEqual(await b.amounts(first, { keeps: 300, wants: 500 }), [400]);
    assert.deepEqual(await b.amounts(first, { principal: 2, keeps: 30, wants: 500 }), [60]);
  });

  it('hand out nothing of unknown limits, or of other minutes', async (t) => {
    const { first } = await testPlanes(t, 1);
    const a = replicaOf('a');
    const { minute } = await a.ask(first);
    const asked = [
      { principal: 3, wants: 1 },
      { principal: 99, wants: 1 },
      { principal: 2, dimension: 'tokens', wants: 1 },
      { minute: minute - 1, wants: 1 },
      { minute: minute + 2, wants: 1 },
      { principal: 2, wants: 7 },
    ] as const;
    const { limits } = await a.ask(first, ...asked);
    assert.deepEqual(
      limits.map(({ principal_id, amount }) => [principal_id, amount]),
      [[2, 7]],
    );
  });

  it('give older replicas even shares, which the others do not get', async (t) => {
    const { first } = await testPlanes(t, 1);
    const [a, b] = [replicaOf('a'), replicaOf('b')];
    await a.ask(first);
    await b.ask(first);
    const count = { principal_id: one, requests: 5, tokens: 50 };
    const limited = [count, { ...count, principal_id: principalId.parse(3) }];
    const older = await first.take({ replica_id: 'old', counts: limited });
    const share = { principal_id: 1, requests_share: 1 / 3, tokens_share: 1 / 3 };
    assert.deepEqual(older, { replicas: 3, allowances: [share] });
    await a.amounts(first, { keeps: 0 });
    assert.deepEqual(await b.amounts(first, { wants: 600, unit: 600 }), [0]);
    assert.deepEqual(await b.amounts(first, { wants: 600, unit: 400 }), [400]);
  });

  it('accept no more replicas than the maximum, and forget silent ones', async (t) => {
    const { first, db } = await testPlanes(t, 1, 2);
    const age = () =>
      db.query(sql`update op.limit_replicas set seen_at = seen_at - interval '3 minutes'`);
    const [a, b, c] = [replicaOf('a'), replicaOf('b'), replicaOf('c')];
    await a.ask(first);
    await b.ask(first);
    const third = { replica_id: 'd', counts: [], asks: { sequence: 1, limits: [] } };
    const refused = await first.take(third);
    assert.ok(isRefusal(refused) && refused.refused === 'too_many');
    await age();
    await c.ask(first);
    await db.query(sql`update op.limit_starts set minute = minute - 3`);
    await db.query(sql`
      insert into op.allotments (minute, principal_id, dimension, held, is_short)
      values (1, 1, 'requests', '{}', false)`);
    await first.prune();
    const left: unknown[] = await db.query(sql`
      select (select count(*) from op.limit_starts) as starts,
        (select count(*) from op.allotments) as allotments,
        (select string_agg(replica, ' ') from op.limit_replicas) as replicas`);
    assert.deepEqual(left, [{ starts: 0, allotments: 0, replicas: 'c' }]);
  });
});

type Event = Readonly<{
  replica: number;
  plane: number;
  requests: number;
  fate: 'answered' | 'lost' | 'unanswered' | 'replica crashed' | 'control replaced';
}>;

const eventOf = (fates: readonly Event['fate'][]) =>
  fc.record<Event>({
    replica: fc.nat(4),
    plane: fc.nat(2),
    requests: fc.integer({ min: 0, max: 60 }),
    fate: fc.constantFrom(...Array.from({ length: 8 }, () => 'answered' as const), ...fates),
  });

/** Five proxies that report to any of three control planes. */
async function testFleet(t: TestContext) {
  const { planes, open } = await testPlanes(t, 3);
  const limits = { requests_per_min: 600, tokens_per_min: null };
  const admitted = new Map<number, number>();
  let starts = 0;
  const start = () => ({
    name: `proxy-${(starts += 1)}`,
    // Without an answer it refuses.
    limiter: new Limiter({ outageShare: 0 }),
    sequence: 0,
  });
  const proxies = Array.from({ length: 5 }, start);
  const minuteNow = () => proxies[0]?.limiter.allotted.minuteAt(performance.now())?.number ?? 0;
  const ask = ({ limiter }: (typeof proxies)[number]): void => {
    const nowMs = performance.now();
    const minute = limiter.allotted.minuteAt(nowMs)?.number ?? 0;
    const verdict = limiter.admit(one, limits, { tokens: 1, nowMs });
    if (verdict.refusedBy === null) admitted.set(minute, (admitted.get(minute) ?? 0) + 1);
  };
  /** Sends the requests, then a report. */
  const run = async ({ replica, plane, requests, fate }: Event): Promise<void> => {
    const proxy = proxies[replica];
    const control = planes[plane];
    assert.ok(proxy !== undefined && control !== undefined);
    for (let count = 0; count < requests; count++) ask(proxy);
    const sentAtMs = performance.now();
    const { allotted } = proxy.limiter;
    const asks = {
      sequence: (proxy.sequence += 1),
      limits: allotted.takeAsks({ nowMs: sentAtMs, intervalMs: 5_000, countMax: 100 }),
    };
    if (fate === 'lost') return;
    const answer = await control.take({ replica_id: proxy.name, counts: [], asks });
    if (fate === 'control replaced') planes[plane] = await open();
    if (fate === 'replica crashed') proxies[replica] = start();
    else if (fate !== 'unanswered') {
      assert.ok(!isRefusal(answer) && answer.allotments !== undefined);
      allotted.apply(answer.allotments, { sentAtMs, nowMs: performance.now() });
    }
    for (const count of admitted.values()) assert.ok(count <= 600, `${count} of 600`);
  };
  const everyProxy = (requests: number, round: number) =>
    Promise.all(
      proxies.map((_, replica) =>
        run({ replica, plane: (replica + round) % 3, requests, fate: 'answered' }),
      ),
    );
  await everyProxy(0, 0);
  return {
    /** Reports of different proxies run at the same time. */
    runRandom: async (fates: readonly Event['fate'][]) => {
      const event = eventOf(fates);
      for (const events of fc.sample(fc.array(event, { minLength: 5, maxLength: 5 }), 60)) {
        const byReplica = new Map(events.map((one) => [one.replica, one]));
        await Promise.all([...byReplica.values()].map(run));
      }
    },
    everyProxy,
    isUsed: () => (admitted.get(minuteNow()) ?? 0) >= 0.95 * 600,
  };
}

describe('five proxies and three control planes', () => {
  it('never admit more than the limit in a minute while any of them crash', async (t) => {
    const { runRandom } = await testFleet(t);
    await runRandom(['lost', 'unanswered', 'replica crashed', 'control replaced']);
  });

  it('use 95 % of the limit after answers were lost and control planes replaced', async (t) => {
    const { runRandom, everyProxy, isUsed } = await testFleet(t);
    await runRandom(['lost', 'unanswered', 'control replaced']);
    // The minute may end in between.
    let hasUsed = false;
    for (let round = 0; round < 1_000 && !hasUsed; round++) {
      await everyProxy(50, round);
      hasUsed = isUsed();
    }
    assert.ok(hasUsed);
  });
});
