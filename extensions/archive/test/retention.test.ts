// Tests that rows leave the database only once the archive has them and was read back, and that sums,
// budgets and the verification of the ledger stay right without them.

import assert from 'node:assert/strict';
import { appendFile, chmod } from 'node:fs/promises';
import path from 'node:path';
import { describe, it } from 'node:test';
import type { TestContext } from 'node:test';

import { sql } from '@databases/pg';

import { verifyLedger } from '../../../src/control/usage/ledger/verify-ledger.ts';
import { createUsageUpkeep } from '../../../src/control/usage/usage-upkeep.ts';
import { agreeOnNone } from '../agree.ts';
import { archived, begin, hourMs, nameIn, rowIn } from './archived.ts';

const dayMs = 24 * hourMs;

async function retained(t: TestContext) {
  const started = await archived(t);
  const { archiving, time, due } = started;
  const { db, reports } = archiving.plane;
  const { clock } = archiving;
  const upkeep = createUsageUpkeep({
    db: reports,
    clock,
    retentionDays: 2,
    onFailure: assert.fail,
  });
  return {
    ...started,
    upkeep,
    /** Archives, and reads back what is older than a day. */
    keep: () => due({ verifyBefore: () => new Date(time.now - dayMs) }),
    stored: async (): Promise<readonly string[]> => {
      const rows: { id: string }[] = await db.query(sql`
        select id from op.usage_events order by id`);
      return rows.map(({ id }) => id);
    },
    proven: async (): Promise<void> => {
      const { problems } = await verifyLedger({ db: reports, clock });
      assert.deepEqual(problems, []);
    },
    due,
  };
}

const ids = (...seqs: readonly number[]): string[] => seqs.map((seq) => rowIn(0, seq).id);

describe('the retention of rows with an archive', () => {
  it('removes rows once the archive has them and was read back', async (t) => {
    const { deliver, keep, due, upkeep, stored, time, send, proven, problems } = await retained(t);
    await deliver(rowIn(0, 1), rowIn(1, 2));
    await due();
    const { body: before } = await send('GET', '/admin/usage?group_by=all');
    await deliver(rowIn(0, 3));
    time.now += 4 * dayMs;
    await upkeep.run();
    assert.deepEqual(await stored(), ids(1, 2, 3));
    await keep();
    await upkeep.run();
    // The late row made another segment, so its hour is read back again first.
    await keep();
    await upkeep.run();
    assert.deepEqual(await stored(), []);
    const { body: after } = await send('GET', '/admin/usage?group_by=all');
    assert.ok(Array.isArray(before) && Array.isArray(after));
    assert.equal(after[0].cost_micros, before[0].cost_micros + 2000);
    await proven();
    assert.deepEqual(await problems(), []);
  });

  it('keeps rows that a proxy delivers after their hour was archived', async (t) => {
    const { deliver, keep, upkeep, stored, time, proven } = await retained(t);
    await deliver(rowIn(0, 1));
    await keep();
    time.now += 3 * dayMs;
    await deliver(rowIn(0, 2));
    await keep();
    await keep();
    time.now += 2 * dayMs;
    await deliver(rowIn(0, 3));
    await upkeep.run();
    assert.deepEqual(await stored(), ids(3));
    await proven();
  });

  it('removes the rows of an hour while those of older hours wait', async (t) => {
    const { archiving, deliver, due, upkeep, stored, time, proven } = await retained(t);
    await deliver(rowIn(0, 1), rowIn(1, 2), rowIn(2, 3));
    await due();
    time.now += 4 * dayMs;
    await archiving.plane.db.query(sql`
      update op.usage_archive_hours set verified_at = now()
      where hour = ${new Date(begin + hourMs).toISOString()}::timestamptz`);
    await upkeep.run();
    assert.deepEqual(await stored(), ids(1, 3));
    await proven();
  });

  it('keeps the rows of an hour if the archive lacks one of them', async (t) => {
    const { archiving, deliver, due, keep, upkeep, stored, time } = await retained(t);
    await deliver(rowIn(0, 1));
    await due();
    await deliver(rowIn(0, 2));
    // This simulates a fault that counted the row as archived.
    const { db } = archiving.plane;
    await db.query(sql`update op.usage_events set archive_generation = 0`);
    await db.query(sql`delete from op.usage_archive_notes`);
    time.now += 4 * dayMs;
    await assert.rejects(keep(), /the database has 2 archived rows, but the archive has 1/);
    await upkeep.run();
    assert.deepEqual(await stored(), ids(1, 2));
  });

  it('keeps the rows of an hour whose segment was changed, and names it', async (t) => {
    const { deliver, due, keep, upkeep, stored, time, directory } = await retained(t);
    await deliver(rowIn(0, 1), rowIn(1, 2));
    await due();
    const file = path.join(directory, nameIn(0, '0001.parquet'));
    await chmod(file, 0o640);
    await appendFile(file, 'x');
    time.now += 4 * dayMs;
    await assert.rejects(keep(), /stays in the database: .*0001\.parquet was changed/);
    await upkeep.run();
    assert.deepEqual(await stored(), ids(1));
  });

  it('keeps rows until their corrections are archived', async (t) => {
    const { deliver, due, keep, upkeep, stored, time, send, proven, problems } = await retained(t);
    await deliver(rowIn(0, 1));
    await due();
    await send('PATCH', '/admin/models/1', { input_price_per_mtok: 3_000_000 });
    const until = new Date(begin + hourMs).toISOString();
    await send('POST', '/admin/usage/reprice', { since: new Date(begin).toISOString(), until });
    time.now += 4 * dayMs;
    await upkeep.run();
    assert.deepEqual(await stored(), ids(1));
    await keep();
    await keep();
    await upkeep.run();
    assert.deepEqual(await stored(), []);
    await proven();
    assert.deepEqual(await problems(), []);
  });

  it('removes rows without an archive once that is configured as off', async (t) => {
    const { deliver, due, upkeep, stored, time, archiving } = await retained(t);
    await deliver(rowIn(0, 1));
    await due();
    await deliver(rowIn(1, 2));
    time.now += 4 * dayMs;
    await upkeep.run();
    assert.deepEqual(await stored(), ids(1, 2));
    const { plane } = archiving;
    await assert.rejects(agreeOnNone({ plane, process: 'two' }), /another control process/);
    await upkeep.run();
    assert.deepEqual(await stored(), ids(1, 2));
    await agreeOnNone({ plane, process: 'one' });
    await agreeOnNone({ plane, process: 'two' });
    await upkeep.run();
    assert.deepEqual(await stored(), []);
  });

  it('says where the rows are that a list no longer has', async (t) => {
    const { deliver, due, upkeep, time, send, directory } = await retained(t);
    await deliver(rowIn(0, 1));
    await due();
    time.now += 4 * dayMs;
    await upkeep.run();
    const { headers } = await send('GET', '/admin/usage/events');
    assert.equal(headers.get('x-gw-usage-archive'), directory);
    const before = headers.get('x-gw-usage-archive-before') ?? '';
    assert.ok(Date.parse(before) > begin);
    const recent = await send('GET', `/admin/usage/events?since=${before}`);
    assert.equal(recent.headers.get('x-gw-usage-archive'), null);
  });
});
