// Tests that batches of usage that wait for each other are stored together, and fail alone.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { TestContext } from 'node:test';

import { sql } from '@databases/pg';

import { createStoreUsage } from '../../../src/control/usage/store-usage.ts';
import { createUsageIntake } from '../../../src/control/usage/usage-intake.ts';
import { noNotifier } from '../../../src/control/webhooks/notify.ts';
import type { CountedUsage, StoredBatch, StoredUsage } from '../../../src/db/usage/usage.ts';
import { isRefusal } from '../../../src/lib/refusal.ts';
import { receiptOf, reported } from '../../harness/admin/usage.ts';
import { testAdministrator } from '../../harness/admin/admin.ts';

const run = '01ARZ3NDEKTSV4RRFFQ6000001';

async function withIntake(t: TestContext) {
  const { send, plane } = await testAdministrator(t);
  await send('POST', '/admin/models', { name: 'small' });
  const { db, vault, store, refresh } = plane;
  const { notifyIn } = noNotifier;
  const clock = Date.now;
  const intake = createUsageIntake({ db, vault, state: store.state, refresh, notifyIn, clock });
  return { db, intake };
}

describe('batches of usage', () => {
  it('that arrive while another is stored are stored together, each row once', async (t) => {
    const { db, intake } = await withIntake(t);
    const batches = [1, 3, 5, 7].map((number) => [reported(number), reported(number + 1)]);
    const again = [reported(2), reported(8), reported(9, { tag: 'spill', principal_id: 1 })];
    const answers = await Promise.all(
      [...batches, again].map((events, index) =>
        intake({
          replica: `r${index % 2}`,
          events,
          sender: { replica: `r${index % 2}`, run, assigned: index, dropped: [] },
        }),
      ),
    );
    assert.deepEqual(
      answers.map((one) => receiptOf(one).accepted),
      [2, 2, 2, 2, 3],
    );
    const [stored] = await db.query(sql`select count(*) as rows from op.usage_events`);
    assert.deepEqual(stored, { rows: 9 });
    const deltas: unknown[] = await db.query(sql`
      select tag, requests from op.usage_sums order by tag, requests`);
    assert.deepEqual(deltas, [
      { tag: 'spill', requests: 1 },
      { tag: null, requests: 2 },
      { tag: null, requests: 6 },
    ]);
    const runs: unknown[] = await db.query(sql`
      select replica, assigned from op.usage_runs order by replica`);
    assert.deepEqual(runs, [
      { replica: 'r0', assigned: 4 },
      { replica: 'r1', assigned: 3 },
    ]);
  });

  it('fail alone if their rows are the cause', async () => {
    const { store, stored } = storing((names) => (names.includes('b') ? '22003' : null));
    const found = await Promise.allSettled(['a', 'b', 'c'].map((name) => store(batchOf(name))));
    assert.deepEqual(
      found.map(({ status }) => status),
      ['fulfilled', 'rejected', 'fulfilled'],
    );
    assert.deepEqual(stored, ['a', 'b,c', 'b', 'c']);
  });

  it('fail together if the database is the cause, and later ones are stored', async () => {
    const { store, stored } = storing((names) => (names === 'b,c' ? '57P01' : null));
    const found = await Promise.allSettled(['a', 'b', 'c'].map((name) => store(batchOf(name))));
    assert.deepEqual(
      found.map(({ status }) => status),
      ['fulfilled', 'rejected', 'rejected'],
    );
    await store(batchOf('d'));
    assert.deepEqual(stored, ['a', 'b,c', 'd']);
  });

  it('are stored in halves if the database needs too long for all of them', async () => {
    const { store, stored } = storing((names) => (names.length > 3 ? '57014' : null));
    await Promise.all(['a', 'b', 'c', 'd', 'e'].map((name) => store(batchOf(name))));
    assert.deepEqual(stored, ['a', 'b,c,d,e', 'b,c', 'd,e']);
  });

  it('are refused while too many rows wait', async () => {
    const { store, stored } = storing(() => null);
    const sizes = [1, 7_000, 2_000, 32_000, 5];
    const all = sizes.map((size, index) => store(batchOf(String(index), size)));
    const answers = await Promise.all(all);
    assert.deepEqual(answers.map(isRefusal), [false, false, false, false, true]);
    assert.deepEqual(stored, ['0', '1', '2', '3']);
    assert.equal(isRefusal(await store(batchOf('6'))), false);
  });
});

/** A batch with this number of rows, which is named by its sender. */
function batchOf(name: string, size = 1): StoredBatch {
  const rows: StoredUsage[] = [];
  rows.length = size;
  return { rows, dropped: [], senders: [{ replica: name, run, assigned: 1 }], at: new Date(0) };
}

/** Fails with this SQLSTATE, and lists what was stored together. */
function storing(fails: (names: string) => string | null) {
  const stored: string[] = [];
  const store = createStoreUsage(async ({ senders }): Promise<CountedUsage> => {
    await Promise.resolve();
    const names = senders.map(({ replica }) => replica).join(',');
    stored.push(names);
    const code = fails(names);
    if (code !== null) throw Object.assign(new Error('refused'), { code });
    return { budgets: [], added: [] };
  });
  return { store, stored };
}
