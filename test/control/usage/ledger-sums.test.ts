// Tests that the sums of usage have every count, keep currencies apart, and show corrections next to the booked cost,
// before and after rows are rolled up.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { TestContext } from 'node:test';

import { sql } from '@databases/pg';

import { createSumUsage } from '../../../src/control/usage/usage-sums.ts';
import { createUsageUpkeep } from '../../../src/control/usage/usage-upkeep.ts';
import { strayBudgets } from '../../../src/db/usage/budget-usage.ts';
import { member, testAdministrator } from '../../harness/admin/admin.ts';
import { reported, reportUsage, sumAgain } from '../../harness/admin/usage.ts';

const dayMs = 86_400_000;

async function ledger(t: TestContext) {
  const started = await testAdministrator(t);
  const price = { input_price_per_mtok: 1_000_000, output_price_per_mtok: 2_000_000 };
  await started.send('POST', '/admin/models', { name: 'small', ...price });
  await started.send('PUT', '/admin/principals/1/budget', { cost_total_micros: 10_000_000 });
  const { db, reports } = started.plane;
  const upkeep = createUsageUpkeep({
    db: reports,
    clock: () => Date.now() + 200 * dayMs,
    retentionDays: 90,
    onFailure: (what, error) => assert.fail(`${what}: ${String(error)}`),
  });
  const sumUsage = createSumUsage({ db: reports, clock: () => Date.now() + 200 * dayMs });
  const groups = async (groupBy: string, ...names: readonly string[]): Promise<unknown[]> => {
    const { body } = await started.send('GET', `/admin/usage?group_by=${groupBy}`);
    assert.ok(Array.isArray(body));
    return body.map((row) => ['key', ...names].map((name) => member(row, name)));
  };
  /** The sums before and after a roll-up must be equal. */
  const always = async (check: () => Promise<void>): Promise<void> => {
    await check();
    await sumUsage();
    await upkeep.run();
    const left = await db.query(sql`select id from op.usage_events`);
    assert.deepEqual(left, []);
    await check();
    assert.deepEqual(await strayBudgets(db), []);
  };
  return { ...started, db, groups, always };
}

describe('the sums of usage', () => {
  it('have the parts of the counts, null if no request reported them', async (t) => {
    const { groups, always, ...started } = await ledger(t);
    await reportUsage(started, [
      reported(1, { cache_read_tokens: 900, reasoning_tokens: 0, service_tier: 'flex' }),
      reported(2, { cache_read_tokens: 50, service_tier: 'flex' }),
      reported(3),
    ]);
    const parts = ['prompt_tokens', 'cache_read_tokens', 'reasoning_tokens', 'input_audio_tokens'];
    await always(async () => {
      assert.deepEqual(await groups('model', ...parts), [['small', 3000, 950, 0, null]]);
      assert.deepEqual(await groups('service_tier', ...parts), [
        ['flex', 2000, 950, 0, null],
        [null, 1000, null, null, null],
      ]);
    });
  });

  it('are by currency, and never add amounts of different currencies', async (t) => {
    const { groups, always, db, ...started } = await ledger(t);
    await reportUsage(started, [reported(1), reported(2), reported(3)]);
    await db.query(sql`
      update op.usage_events set currency = 'EUR', cost_micros = 500 where id = ${reported(3).id}`);
    await db.query(sql`update op.budget_usage set cost_used_micros = 4000`);
    await sumAgain(db);
    const usd = amounts('USD', 4000);
    const eur = amounts('EUR', 500);
    await always(async () => {
      const names = ['cost_micros', 'corrected_cost_micros', 'costs'];
      assert.deepEqual(await groups('model', ...names), [['small', 4000, 4000, [eur, usd]]]);
      assert.deepEqual(await groups('currency', ...names), [
        ['USD', 4000, 4000, [usd]],
        ['EUR', null, null, [eur]],
      ]);
      const { body } = await started.send('GET', '/admin/timeseries?bucket=86400');
      assert.ok(Array.isArray(body));
      const points = body.filter((point) => member(point, 'requests') === 3);
      assert.deepEqual(
        points.map((point) => names.map((name) => member(point, name))),
        [[4000, 4000, [eur, usd]]],
      );
    });
  });

  it('show the corrected cost next to the booked one, and budgets are charged with it', async (t) => {
    const { groups, always, db, ...started } = await ledger(t);
    await reportUsage(started, [reported(1), reported(2)]);
    const { id } = reported(1);
    await db.query(sql`
      insert into op.usage_reprices (id, started_at, heard_at, applied_at)
      values (1, now(), now(), now()), (2, now(), now() - interval '1 hour', null)`);
    await db.query(sql`
      insert into op.usage_corrections
        (usage_id, at, reprice_id, currency, delta_micros, cost_micros, price_version)
      select ${id}, at, reprice, entry.currency, delta, 0, 2 from op.usage_events,
        (values (1, 'USD', -300), (1, 'EUR', 20), (2, 'USD', 999)) as entry
          (reprice, currency, delta)
      where id = ${id}`);
    await db.query(sql`update op.budget_usage set cost_used_micros = 3700`);
    await sumAgain(db);
    const usd = { ...amounts('USD', 4000), corrected_cost_micros: 3700 };
    const eur = { ...amounts('EUR', null), corrected_cost_micros: 20 };
    await always(async () => {
      const names = ['requests', 'cost_micros', 'corrected_cost_micros', 'costs'];
      assert.deepEqual(await groups('model', ...names), [['small', 2, 4000, 3700, [eur, usd]]]);
      assert.deepEqual(await strayBudgets(db), []);
    });
  });
});

const amounts = (currency: string, cost: number | null) => ({
  currency,
  cost_micros: cost,
  corrected_cost_micros: cost,
  estimated_cost_micros: null,
});
