// Tests budgets that several control planes hand out from one database (specification, "Budget" and
// "Reconciliation"), and the clock of allotments after a failover.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { TestContext } from 'node:test';

import { sql } from '@databases/pg';
import type { Queryable } from '@databases/pg';

import { newAllotmentTally } from '../../../src/control/usage/allotment-tally.ts';
import { createReconcile } from '../../../src/control/usage/reconcile.ts';
import type { Reconcile } from '../../../src/control/usage/reconcile.ts';
import {
  addSpend,
  beginBudgets,
  endBudgets,
  holdBudgets,
} from '../../../src/db/usage/budget-usage.ts';
import { principalId } from '../../../src/lib/ids.ts';
import type { PrincipalId } from '../../../src/lib/ids.ts';
import { isRefusal } from '../../../src/lib/refusal.ts';
import type { SpendAsk } from '../../../src/limits/reconciliation.ts';
import {
  budgetIncreased,
  budgetSet,
  plainName,
  principalCreated,
} from '../../harness/events/examples.ts';
import { given } from '../../harness/events/test-log.ts';
import { testPlane } from '../../harness/control/plane.ts';
import { until } from '../../harness/wait.ts';

const one = principalId.parse(1);
const two = principalId.parse(2);
const three = principalId.parse(3);

/** Principal 1 may spend 1,000 micro-units, principal 2 has only tokens, principal 3 has no budget. */
const { state } = given([
  ...[1, 2, 3].map((id) => principalCreated(id, plainName(`p${id}`))),
  budgetSet(1, { tokens: 5_000, costMicros: 1_000 }),
  budgetSet(2, { tokens: 100 }),
  budgetIncreased(2, 1, 900),
]);
/** The increase is not in force. */
const clock = () => Date.parse('2026-11-23T11:59:59Z');

async function testPlanes(t: TestContext) {
  const test = await testPlane(t);
  const open = async (): Promise<Reconcile> => {
    const { plane } = await test.another();
    return createReconcile({ db: plane.db, state: () => state, tally: newAllotmentTally(), clock });
  };
  const { db } = test.plane;
  const windowStart = new Date();
  const startOf = (principalId: PrincipalId) =>
    ({ principalId, windowStart, windowEnd: null, initialTokensUsed: 0 }) as const;
  await beginBudgets(db, [startOf(one), startOf(two)]);
  const spend = (tokens: number, costMicros: number) =>
    addSpend(db, [{ principalId: 1, tokens, costMicros }]);
  return { db, x: await open(), y: await open(), spend };
}

/** True while a transaction on this database waits for a lock. */
const isAnyWaiting = async (db: Queryable): Promise<boolean> =>
  (
    await db.query(sql`
      select from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock'`)
  ).length > 0;

type Asked = Partial<SpendAsk>;

const askOf = (asked: Asked): SpendAsk => ({
  principal_id: asked.principal_id ?? one,
  dimension: asked.dimension ?? 'micros',
  keeps: asked.keeps ?? 0,
  spare: asked.spare ?? 0,
  wants: asked.wants ?? 0,
  unit: asked.unit ?? 1,
});

/** Reports of one replica, numbered. */
function replicaOf(replica: string) {
  let sequence = 0;
  const reportKnowing = async (
    replicas: number | undefined,
    reconcile: Reconcile,
    ...asked: readonly Asked[]
  ) => {
    sequence += 1;
    const budgets = asked.map(askOf);
    const asks = { sequence, replicas, limits: [], budgets };
    const answer = await reconcile.take({ replica_id: replica, counts: [], asks });
    assert.ok(!isRefusal(answer) && answer.allotments?.budgets !== undefined);
    return answer.allotments;
  };
  const report = (reconcile: Reconcile, ...asked: readonly Asked[]) =>
    reportKnowing(undefined, reconcile, ...asked);
  const amounts = async (reconcile: Reconcile, ...asked: readonly Asked[]) =>
    (await report(reconcile, ...asked)).budgets?.amounts.map(({ amount }) => amount);
  return { report, reportKnowing, amounts };
}

type Replica = ReturnType<typeof replicaOf>;

/** Two replicas that know of each other. */
async function joined(reconcile: Reconcile, one: Replica, other: Replica): Promise<void> {
  await one.report(reconcile);
  await other.report(reconcile);
  await one.reportKnowing(2, reconcile);
}

describe('control planes that share a database', () => {
  it('hand out a budget once, whichever of them is asked', async (t) => {
    const { x, y, spend } = await testPlanes(t);
    const [a, b] = [replicaOf('a'), replicaOf('b')];
    await joined(x, b, a);
    // The other replica may spend a tenth of the rest without an allotment, and has none yet.
    assert.deepEqual(await a.amounts(x, { keeps: 700, wants: 900 }), [800]);
    const { budgets } = await b.report(y, { keeps: 50, wants: 100, unit: 100 });
    assert.deepEqual(
      budgets?.amounts.map(({ amount }) => amount),
      [150],
    );
    assert.deepEqual(budgets?.short, [{ principal_id: one, dimension: 'micros' }]);
    // The request that exceeds the budget completes; there is nothing for another one.
    assert.deepEqual(await b.amounts(x, { keeps: 150, wants: 100, unit: 100 }), [250]);
    assert.deepEqual(await a.amounts(y, { keeps: 800, wants: 1 }), [800]);
    await spend(0, 850);
    assert.deepEqual(await a.amounts(y, { keeps: 0, wants: 1 }), [0]);
    assert.deepEqual(await b.amounts(y, { keeps: 0, wants: 100, unit: 1 }), [75]);
    assert.deepEqual(await a.amounts(x, { keeps: 0, wants: 100, unit: 1 }), [38]);
  });

  it('allot every cap of a budget, with increases in force, and nothing without a cap', async (t) => {
    const { x } = await testPlanes(t);
    const [a, b] = [replicaOf('a'), replicaOf('b')];
    await joined(x, a, b);
    const { budgets } = await a.report(
      x,
      { wants: 10 },
      { dimension: 'tokens', wants: 10 },
      { principal_id: two, dimension: 'tokens', wants: 10 },
      { principal_id: two, dimension: 'micros', wants: 10 },
      { principal_id: three, dimension: 'micros', wants: 10 },
    );
    assert.deepEqual(
      budgets?.amounts.map((one) => [one.principal_id, one.dimension, one.amount]),
      [
        [1, 'micros', 225],
        [1, 'tokens', 1125],
        [2, 'tokens', 22],
      ],
    );
  });

  it('keep the allotment of a silent replica for two minutes', async (t) => {
    const { x, db } = await testPlanes(t);
    const [a, b] = [replicaOf('a'), replicaOf('b')];
    await joined(x, a, b);
    await b.amounts(x, { keeps: 800 });
    const age = (seconds: number) =>
      db.query(sql`
        update op.limit_replicas set seen_at = seen_at - make_interval(secs => ${seconds})
        where replica = 'b'`);
    await age(110);
    assert.deepEqual(await a.amounts(x, { wants: 1_000, unit: 1 }), [88]);
    await age(20);
    assert.deepEqual(await a.amounts(x, { keeps: 100, wants: 1_000, unit: 1 }), [1_000]);
  });

  it('hand out a part until a replica that was alone has declared what it spends', async (t) => {
    const { x } = await testPlanes(t);
    const [a, b] = [replicaOf('a'), replicaOf('b')];
    await a.report(x);
    // The first may spend half of what is left, until it knows that another one has joined.
    assert.deepEqual(await b.amounts(x, { wants: 500 }), [250]);
    await a.reportKnowing(1, x);
    assert.deepEqual(await b.amounts(x, { keeps: 300, wants: 300 }), [400]);
    await a.reportKnowing(2, x, { keeps: 500 });
    assert.deepEqual(await b.amounts(x, { keeps: 400, wants: 200 }), [450]);
  });

  it('tell replicas that start at the same moment of each other', async (t) => {
    const { x, y } = await testPlanes(t);
    const replicas = Array.from({ length: 9 }, (_, index) => replicaOf(`replica-${index}`));
    const answers = await Promise.all(
      replicas.map((replica, index) => replica.report(index % 2 === 0 ? x : y)),
    );
    const told = answers.flatMap(({ budgets }) => budgets?.replicas ?? []);
    assert.deepEqual(
      told.toSorted((a, b) => a - b),
      [1, 2, 3, 4, 5, 6, 7, 8, 9],
    );
  });

  it('reserve what a replica may spend by the figures that it knows', async (t) => {
    const { x, db, spend } = await testPlanes(t);
    const [a, b] = [replicaOf('a'), replicaOf('b')];
    await joined(x, a, b);
    await spend(0, 900);
    // The other one may still spend a tenth of the whole budget.
    assert.deepEqual(await a.amounts(x, { wants: 10 }), [0]);
    await db.query(sql`
      update op.budget_usage set published_tokens_used = 0, published_cost_used_micros = 900`);
    assert.deepEqual(await a.amounts(x, { wants: 10 }), [10]);
  });

  it('judge increases by their own clock, also if that of allotments is ahead', async (t) => {
    const { x, db } = await testPlanes(t);
    // Then the increase is in force.
    await db.query(sql`
      update op.limit_clock set ahead = timestamptz '2026-11-25T00:00:00Z' - clock_timestamp()`);
    const ask = { principal_id: two, dimension: 'tokens', wants: 1_000 } as const;
    assert.deepEqual(await replicaOf('a').amounts(x, ask), [100]);
  });

  it('allot a budget while its usage is counted', async (t) => {
    const { x, db } = await testPlanes(t);
    const a = replicaOf('a');
    await db.tx(async (tx) => {
      await holdBudgets(tx, [one]);
      assert.deepEqual(await a.amounts(x, { wants: 10 }), [500]);
    });
  });

  it('give starts to a replica while another one waits for a budget', async (t) => {
    const { x, y, db } = await testPlanes(t);
    const [a, b] = [replicaOf('a'), replicaOf('b')];
    await a.report(x, {});
    const waiting = await db.tx(async (tx) => {
      await tx.query(sql`select from op.budget_allotments for update`);
      const asked = replicaOf('c').report(x, {});
      await until(() => isAnyWaiting(db), { what: 'a report that waits for the budget' });
      await b.report(y);
      return { asked };
    });
    await waiting.asked;
  });

  it('are not in a deadlock with the removal of budgets', async (t) => {
    const { x, y, db } = await testPlanes(t);
    const [a, b] = [replicaOf('a'), replicaOf('b')];
    const asks = [
      { principal_id: two, dimension: 'tokens' },
      { principal_id: one, dimension: 'tokens' },
      { principal_id: one, dimension: 'micros' },
    ] as const;
    for (let round = 0; round < 100; round++) {
      await Promise.all([
        a.report(x, ...asks),
        b.report(y, ...asks),
        db.tx(async (tx) => endBudgets(tx, [two, one])),
      ]);
      const windowStart = new Date();
      const begun = { windowStart, windowEnd: null, initialTokensUsed: 0 };
      await beginBudgets(db, [
        { principalId: one, ...begun },
        { principalId: two, ...begun },
      ]);
      // Next time, one budget has allotments and the other one has none.
      await a.report(x, asks[round % asks.length] ?? {});
    }
  });

  it('forget the allotments of a budget that was removed', async (t) => {
    const { x, db } = await testPlanes(t);
    const a = replicaOf('a');
    await a.amounts(x, { keeps: 800 });
    await endBudgets(db, [one]);
    assert.deepEqual(await db.query(sql`select * from op.budget_allotments`), []);
    assert.deepEqual(await a.amounts(x, { keeps: 800 }), []);
  });
});

describe('a database whose clock went back', () => {
  it('continues with the minute that was answered last, and never repeats one', async (t) => {
    const { x, y, db } = await testPlanes(t);
    const a = replicaOf('a');
    const before = await a.report(x);
    // The same happens after a failover from a server whose clock is ten minutes ahead.
    await db.query(sql`update op.limit_replicas set seen_at = seen_at + interval '10 minutes'`);
    const after = await a.report(y);
    assert.ok(after.minute >= before.minute + 10);
    const again = await a.report(x);
    const timeOf = ({ minute, ends_in_ms: left }: typeof after) => (minute + 1) * 60_000 - left;
    assert.ok(timeOf(again) > timeOf(after));
    // Other parts of gw use the clock of the database as it is.
    const [ahead] = await db.query(sql`
      select extract(epoch from ahead)::integer as seconds from op.limit_clock`);
    assert.ok(ahead.seconds >= 599 && ahead.seconds <= 601);
  });
});
