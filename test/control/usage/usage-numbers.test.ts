// Tests that the numbers of stored and dropped usage rows are kept, so that a missing row is visible, and that the log
// counts dropped rows.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { TestContext } from 'node:test';

import { sql } from '@databases/pg';

import { announceDrops, createTakeNumbers } from '../../../src/control/usage/usage-numbers.ts';
import { noNotifier } from '../../../src/control/webhooks/notify.ts';
import { createUsageIntake } from '../../../src/control/usage/usage-intake.ts';
import { usageBatch } from '../../../src/usage/usage-event.ts';
import { receiptOf, reported } from '../../harness/admin/usage.ts';
import { testPlane } from '../../harness/control/plane.ts';

const run = '01ARZ3NDEKTSV4RRFFQ6000000';
const replica = 'r1';

async function ledger(t: TestContext) {
  const { plane, run: execute } = await testPlane(t);
  await execute({ command: { type: 'CreateModel', name: 'small', fields: {} } });
  const { db, vault, store, refresh } = plane;
  const time = { now: Date.now() };
  const clock = (): number => time.now;
  const intake = createUsageIntake({
    db,
    vault,
    state: store.state,
    refresh,
    notifyIn: noNotifier.notifyIn,
    clock,
  });
  return {
    plane,
    time,
    clock,
    deliver: (events: readonly unknown[], more: Readonly<Record<string, unknown>> = {}) =>
      intake(usageBatch.parse({ replica, events, ...more })),
    runs: (): Promise<unknown[]> =>
      db.query(sql`
        select replica, run, received::text, assigned from op.usage_runs order by replica, run`),
    drops: (): Promise<unknown[]> =>
      db.query(sql`
        select reason, replica, run, numbers::text, rows from op.usage_drops
        order by reason, replica, run`),
    announced: (): Promise<unknown[]> =>
      db.query(sql`
        select payload::jsonb as data from es.events where type = 'UsageRowsDropped'
        order by position`),
  };
}

const numbered = (seq: number, change: Readonly<Record<string, unknown>> = {}) =>
  reported(seq, { run, seq, ...change });

describe('the numbers of usage rows in the control plane', () => {
  it('are stored with the rows, once for a batch that is delivered twice', async (t) => {
    const { deliver, runs, plane } = await ledger(t);
    const batch = [1, 2, 3, 7].map((seq) => numbered(seq));
    await deliver(batch);
    await deliver(batch);
    assert.deepEqual(await runs(), [{ replica, run, received: '{[1,4),[7,8)}', assigned: 7 }]);
    const rows = await plane.db.query(sql`select run, seq from op.usage_events order by seq`);
    assert.deepEqual(
      rows,
      [1, 2, 3, 7].map((seq) => ({ run, seq })),
    );
  });

  it('show by the sender how many rows there should be', async (t) => {
    const { deliver, runs } = await ledger(t);
    await deliver([numbered(1)], { sender: { replica, run, assigned: 9 } });
    await deliver([numbered(2)], { sender: { replica, run, assigned: 5 } });
    assert.deepEqual(await runs(), [{ replica, run, received: '{[1,3)}', assigned: 9 }]);
  });

  it('are those of each process, also in a batch of another process', async (t) => {
    const { deliver, runs } = await ledger(t);
    const other = '01ARZ3NDEKTSV4RRFFQ6000001';
    await deliver([numbered(1)], { sender: { replica: 'r2', run: other, assigned: 4 } });
    assert.deepEqual(await runs(), [
      { replica, run, received: '{[1,2)}', assigned: 1 },
      { replica: 'r2', run: other, received: '{}', assigned: 4 },
    ]);
  });

  it('are unknown for rows of older proxies, which are stored as before', async (t) => {
    const { deliver, runs, plane } = await ledger(t);
    const receipt = receiptOf(await deliver([reported(1)]));
    assert.equal(receipt.accepted, 1);
    assert.deepEqual(await runs(), []);
    const rows = await plane.db.query(sql`select run, seq from op.usage_events`);
    assert.deepEqual(rows, [{ run: null, seq: null }]);
  });

  it('of dropped rows are stored with the reason', async (t) => {
    const { deliver, drops, runs } = await ledger(t);
    const batch = [
      numbered(1, { prompt_tokens: -1 }),
      numbered(2, { principal_id: 99 }),
      numbered(3, { model_id: 99 }),
      numbered(4, { at: '2001-01-01T00:00:00Z' }),
      numbered(5),
      reported(6, { model_id: 99 }),
    ];
    const dropped = [{ reason: 'queue_full', first: 6, last: 8 }];
    const sender = { replica, run, assigned: 8, dropped };
    const receipt = receiptOf(await deliver(batch, { sender }));
    assert.equal(receipt.dropped, 5);
    const at = (reason: string, numbers: string, rows = 1) => ({
      reason,
      replica,
      run,
      numbers,
      rows,
    });
    const expected = [
      at('malformed', '{[1,2)}'),
      at('queue_full', '{[6,9)}', 3),
      at('time_out_of_range', '{[4,5)}'),
      { ...at('unknown_model', '{}'), run: '' },
      at('unknown_model', '{[3,4)}'),
      at('unknown_principal', '{[2,3)}'),
    ];
    assert.deepEqual(await drops(), expected);
    await deliver(batch.slice(0, 5), { sender });
    assert.deepEqual(await drops(), expected);
    assert.deepEqual(await runs(), [{ replica, run, received: '{[5,6)}', assigned: 8 }]);
  });

  it('arrive with the health report while batches cannot be delivered', async (t) => {
    const { plane, runs, drops, clock } = await ledger(t);
    const failures: unknown[] = [];
    const onFailure = (error: unknown): void => void failures.push(error);
    const take = createTakeNumbers({ db: plane.db, clock, onFailure });
    const dropped = [{ reason: 'queue_full', first: 11, last: 25 }] as const;
    await take({ ...healthOf(replica), usage: { run, assigned: 25, dropped } });
    await take(healthOf(replica));
    assert.deepEqual(failures, []);
    assert.deepEqual(await runs(), [{ replica, run, received: '{}', assigned: 25 }]);
    const row = { reason: 'queue_full', replica, run, numbers: '{[11,26)}', rows: 15 };
    assert.deepEqual(await drops(), [row]);
  });
});

const healthOf = (name: string) => ({
  replica: name,
  snapshot_version: 1,
  refused_snapshot: null,
  log_seen: [],
  uptime_seconds: 1,
  backends: [],
  process: {
    requests_ok: 0,
    requests_failed: 0,
    usage_dropped: 0,
    cache_hits: 0,
    cache_misses: 0,
    cache_entries: 0,
    cache_bytes: 0,
    rejected_unauthenticated: 0,
    rejected_model_not_found: 0,
  },
});

describe('dropped usage rows', () => {
  it('are counted in the log, at most once a minute for each reason', async (t) => {
    const { deliver, plane, time, clock, announced } = await ledger(t);
    const malformed = (seq: number) => numbered(seq, { path: 7 });
    await deliver([malformed(1), malformed(2), numbered(3, { model_id: 99 })]);
    await announceDrops({ plane, clock });
    const first = [
      { data: { reason: 'malformed', rows: 2, replicas: 1 } },
      { data: { reason: 'unknown_model', rows: 1, replicas: 1 } },
    ];
    assert.deepEqual(await announced(), first);
    await deliver([malformed(2), malformed(4)]);
    await announceDrops({ plane, clock });
    assert.deepEqual(await announced(), first);
    time.now += 60_000;
    await Promise.all([announceDrops({ plane, clock }), announceDrops({ plane, clock })]);
    const second = { data: { reason: 'malformed', rows: 1, replicas: 1 } };
    assert.deepEqual(await announced(), [...first, second]);
    time.now += 60_000;
    await announceDrops({ plane, clock });
    assert.equal((await announced()).length, 3);
  });
});
