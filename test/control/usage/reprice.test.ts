// Tests that costs of past usage can be computed again: rows never change, sums and budgets take the difference, and a
// recomputation and its reverse cancel out.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { TestContext } from 'node:test';

import { sql } from '@databases/pg';
import * as fc from 'fast-check';

import { createReprice } from '../../../src/control/usage/ledger/record-reprice.ts';
import { verifyLedger } from '../../../src/control/usage/ledger/verify-ledger.ts';
import { createSumUsage } from '../../../src/control/usage/usage-sums.ts';
import { strayBudgets } from '../../../src/db/usage/budget-usage.ts';
import { addCorrections, claimReprice } from '../../../src/db/usage/ledger/reprices.ts';
import { usageByDay } from '../../../src/db/usage/usage-by-day.ts';
import { foldUsage } from '../../../src/db/usage/usage-rollups.ts';
import { isRefusal } from '../../../src/lib/refusal.ts';
import { member, testAdministrator } from '../../harness/admin/admin.ts';
import { reported, reportUsage } from '../../harness/admin/usage.ts';
import { person } from '../../harness/control/plane.ts';

const hourMs = 3_600_000;
const span = () => ({
  since: new Date(Date.now() - hourMs).toISOString(),
  until: new Date(Date.now() + hourMs).toISOString(),
});
const prices = (input: number | null, output: number | null, card: object | null) => ({
  input_price_per_mtok: input,
  output_price_per_mtok: output,
  price_card: card,
});

/** A model with these versions of its prices, of which the first prices rows, and a budget of principal 1. */
async function ledger(t: TestContext) {
  const started = await testAdministrator(t);
  const first = prices(1_000_000, 2_000_000, null);
  await started.send('POST', '/admin/models', { name: 'small', ...first });
  await started.send('PUT', '/admin/principals/1/budget', { cost_total_micros: 10_000_000 });
  const { db, reports } = started.plane;
  const reprice = async (body: object) => {
    const answer = await started.send('POST', '/admin/usage/reprice', { ...span(), ...body });
    return { ...answer, made: answer.status === 200 ? answer.body : null };
  };
  const costs = async (): Promise<unknown> => {
    const { body } = await started.send('GET', '/admin/usage?group_by=all');
    assert.ok(Array.isArray(body));
    return ['cost_micros', 'corrected_cost_micros'].map((name) => member(body[0], name));
  };
  const charged = async (): Promise<unknown> => {
    const [row]: unknown[] = await db.query(sql`select cost_used_micros from op.budget_usage`);
    return member(row, 'cost_used_micros');
  };
  const isProven = async (): Promise<void> => {
    const { problems } = await verifyLedger({ db: reports, clock: Date.now });
    assert.deepEqual(problems, []);
  };
  /** Writes the corrections of a recomputation. `record` applies them, after `before` in its transaction. */
  const planned = async () => {
    const { state } = started.plane.store;
    const { plan, record } = createReprice({
      db: reports,
      state,
      clock: Date.now,
      rebuild: async () => {},
      onFailure: (error) => assert.fail(String(error)),
    });
    const asked = { ...span(), model: null, card: 'current' } as const;
    const made = await plan(asked, { isDryRun: false, breaksGlass: false });
    assert.ok(!isRefusal(made) && made.id !== null);
    const { id } = made;
    const apply = (before = (): void => {}) =>
      record({ ...made, id }, ({ command, precondition, conclude }) =>
        started.plane.execute(
          { command },
          {
            ...person,
            precondition,
            conclude: (_made, tx) => {
              before();
              return conclude(tx);
            },
          },
        ),
      );
    return { id, record: apply };
  };
  const later = new Date(Date.now() + hourMs);
  /** Rolls up all rows. */
  const fold = () => foldUsage(reports, { horizon: later, settled: later, limit: 10 });
  const rows = (): Promise<unknown[]> => db.query(sql`select * from op.usage_events order by id`);
  const setPrices = (change: object) => started.send('PATCH', '/admin/models/1', change);
  const ledger = { db, reports, reprice, costs, charged, isProven, rows, setPrices, planned, fold };
  return { ...started, ...ledger };
}

describe('a recomputation of costs', () => {
  it('appends the differences, charges the budget, and leaves rows as they are', async (t) => {
    const { reprice, costs, charged, isProven, rows, setPrices, ...started } = await ledger(t);
    await reportUsage(started, [reported(1), reported(2, { cached: true }), reported(3)]);
    const before = await rows();
    await setPrices(prices(500_000, 2_000_000, null));
    const { made } = await reprice({ reason: 'the price list was wrong' });
    assert.equal(member(made, 'corrected_rows'), 2);
    assert.deepEqual(member(made, 'totals'), [{ currency: 'USD', delta_micros: -1000 }]);
    assert.deepEqual(await costs(), [4000, 3000]);
    assert.equal(await charged(), 3000);
    assert.deepEqual(await rows(), before);
    await isProven();
    const again = await reprice({});
    assert.equal(member(again.made, 'corrected_rows'), 0);
    assert.deepEqual(await costs(), [4000, 3000]);
  });

  it('is an event with its totals and an audit entry', async (t) => {
    const { reprice, setPrices, db, ...started } = await ledger(t);
    await reportUsage(started, [reported(1)]);
    await setPrices(prices(2_000_000, 2_000_000, null));
    const asked = span();
    await reprice({ ...asked, model: 'small', card: 2, reason: 'wrong price' });
    const events: unknown[] = await db.query(sql`
      select payload::jsonb as data, metadata ->> 'reason_ref' is not null as has_reason
      from es.events where type = 'UsageRepriced'`);
    const data = {
      reprice_id: 1,
      ...asked,
      model_id: 1,
      card: 2,
      rows: 1,
      corrected_rows: 1,
      unpriced_rows: 0,
      totals: [{ currency: 'USD', delta_micros: 1000 }],
    };
    assert.deepEqual(events, [{ data, has_reason: true }]);
    const { body } = await started.send('GET', '/admin/audit?limit=1');
    assert.ok(Array.isArray(body));
    assert.equal(member(body[0], 'target'), '/admin/usage/reprice');
  });

  it('changes nothing in a dry run', async (t) => {
    const { reprice, costs, charged, setPrices, db, ...started } = await ledger(t);
    await reportUsage(started, [reported(1)]);
    await setPrices(prices(2_000_000, 2_000_000, null));
    const { made } = await reprice({ dry_run: true });
    assert.deepEqual(member(made, 'totals'), [{ currency: 'USD', delta_micros: 1000 }]);
    assert.equal(member(made, 'reprice_id'), null);
    assert.deepEqual([await costs(), await charged()], [[2000, 2000], 2000]);
    assert.deepEqual(await db.query(sql`select * from op.usage_reprices`), []);
  });

  it('gives rows without a cost their price, in place of the estimate of the budget', async (t) => {
    const { reprice, costs, charged, isProven, setPrices, ...started } = await ledger(t);
    await setPrices(prices(1_000_000, 2_000_000, { input_audio: 3_000_000 }));
    const at = new Date(Date.now() + 1000).toISOString();
    await reportUsage(started, [reported(1, { at, cache_read_tokens: 400 })]);
    assert.deepEqual(await costs(), [null, null]);
    const estimated = await charged();
    await setPrices({ price_card: { cache_read: 100_000 } });
    await reprice({});
    assert.deepEqual(await costs(), [null, 1640]);
    assert.equal(await charged(), 1640);
    await isProven();
    await reprice({ card: 'booked' });
    assert.deepEqual(await costs(), [null, null]);
    assert.equal(await charged(), estimated);
    await isProven();
  });

  it('keeps the cost of rows that the prices do not cover', async (t) => {
    const { reprice, costs, setPrices, ...started } = await ledger(t);
    await reportUsage(started, [reported(1, { cache_read_tokens: 400 })]);
    await setPrices({ price_card: { input_audio: 3_000_000 } });
    const { made } = await reprice({});
    assert.deepEqual([member(made, 'unpriced_rows'), member(made, 'corrected_rows')], [1, 0]);
    assert.deepEqual(await costs(), [2000, 2000]);
  });

  it('refuses to run twice at a time, and takes over one that has stopped', async (t) => {
    const { reprice, reports, db, ...started } = await ledger(t);
    await reportUsage(started, [reported(1)]);
    assert.equal(typeof (await claimReprice(reports)), 'number');
    const { status, body } = await reprice({});
    assert.equal(status, 409);
    assert.match(String(member(member(body, 'error'), 'message')), /is running/);
    await db.query(sql`update op.usage_reprices set heard_at = now() - interval '5 minutes'`);
    assert.equal((await reprice({})).status, 200);
  });

  it('is refused whole if it was silent for so long that its rows may be rolled up', async (t) => {
    const { costs, charged, isProven, db, planned, fold, ...started } = await ledger(t);
    await reportUsage(started, [reported(1)]);
    await started.setPrices(prices(2_000_000, 2_000_000, null));
    const { id, record } = await planned();
    await db.query(sql`update op.usage_reprices set heard_at = now() - interval '61 seconds'`);
    assert.equal(await fold(), 1);
    assert.equal(await addCorrections(started.reports, id, []), false);
    const done = await record();
    assert.ok(isRefusal(done));
    assert.equal(done.refused, 'conflict');
    assert.match(done.message, /no page for more than a minute.*no cost was changed.*run it again/);
    assert.deepEqual([await costs(), await charged()], [[2000, 2000], 2000]);
    const left = sql`
      select reprice_id from op.usage_sums where reprice_id is not null
      union all select reprice_id from op.usage_corrections
      union all select id from op.usage_reprices
      union all select position from es.events where type = 'UsageRepriced'`;
    assert.deepEqual(await db.query(left), []);
    await isProven();
  });

  it('is whole in the hourly sums if its rows are rolled up while it is applied', async (t) => {
    const { costs, isProven, planned, fold, ...started } = await ledger(t);
    await reportUsage(started, [reported(1)]);
    await started.setPrices(prices(2_000_000, 2_000_000, null));
    const { record } = await planned();
    const folding: Promise<number | null>[] = [];
    const done = await record(() => void folding.push(fold()));
    assert.ok(!isRefusal(done));
    assert.deepEqual(await Promise.all(folding), [1]);
    assert.deepEqual(await costs(), [2000, 3000]);
    await isProven();
  });

  it('keeps its rows from being rolled up, and corrections are rolled up with their rows', async (t) => {
    const { reprice, reports, costs, db, setPrices, fold, ...started } = await ledger(t);
    await reportUsage(started, [reported(1)]);
    await setPrices(prices(2_000_000, 2_000_000, null));
    await reprice({});
    const id = await claimReprice(reports);
    assert.equal(await fold(), null);
    await db.query(sql`delete from op.usage_reprices where id = ${id}`);
    assert.equal(await fold(), 1);
    assert.deepEqual(await costs(), [2000, 3000]);
    assert.deepEqual(await db.query(sql`select * from op.usage_corrections`), []);
    assert.deepEqual(await strayBudgets(db), []);
  });

  it('refuses a version without a model, an unknown version, and an empty range', async (t) => {
    const { reprice, ...started } = await ledger(t);
    await reportUsage(started, [reported(1)]);
    const { since } = span();
    for (const body of [
      { card: 1 },
      { card: 9, model: 'small' },
      { model: 'other' },
      { since, until: since },
    ]) {
      assert.equal((await reprice(body)).status, 400, JSON.stringify(body));
    }
    assert.equal((await reprice({ card: 1, model: 'small' })).status, 200);
  });

  it('and its reverse leave usage without a price unpriced', async (t) => {
    const { reprice, costs, setPrices, ...started } = await ledger(t);
    await setPrices(prices(null, null, null));
    await reportUsage(started, [reported(1, { at: new Date().toISOString() })]);
    assert.deepEqual(await costs(), [null, null]);
    assert.equal((await reprice({ card: 1, model: 'small' })).status, 200);
    assert.deepEqual(await costs(), [null, 2000]);
    assert.equal((await reprice({ card: 'booked' })).status, 200);
    assert.deepEqual(await costs(), [null, null]);
  });

  it('shows a price of 0 as 0, and after its reverse as unpriced, rolled up or not', async (t) => {
    const { reprice, costs, setPrices, fold, isProven, db, reports, ...started } = await ledger(t);
    await setPrices(prices(null, null, null));
    await reportUsage(started, [reported(1, { at: new Date().toISOString() })]);
    await setPrices(prices(0, 0, null));
    const bill = async (): Promise<readonly (string | null)[]> => {
      const days = await usageByDay(db, { ...span(), providers: [] });
      return days.flatMap(({ micros, unpriced_requests: unpriced }) => [micros, unpriced]);
    };
    for (const [card, cost, onBill] of [
      ['current', 0, ['0', '0']],
      ['booked', null, [null, '1']],
      ['current', 0, ['0', '0']],
    ] as const) {
      assert.equal((await reprice({ card })).status, 200);
      assert.deepEqual([card, await costs(), await bill()], [card, [null, cost], onBill]);
    }
    await isProven();
    const sumUsage = createSumUsage({ db: reports, clock: () => Date.now() + 40 * 24 * hourMs });
    await sumUsage();
    assert.deepEqual(await costs(), [null, 0]);
    assert.equal(await fold(), 1);
    assert.deepEqual(
      [await costs(), await bill()],
      [
        [null, 0],
        ['0', '0'],
      ],
    );
  });

  it('needs to break the glass under a policy for prices, and is reviewed', async (t) => {
    const { reprice, costs, setPrices, db, ...started } = await ledger(t);
    await started.login('ada', ['admin']);
    await reportUsage(started, [reported(1)]);
    await setPrices(prices(500_000, 2_000_000, null));
    const policy = await started.send('PUT', '/admin/change-policy', { kinds: ['prices'] });
    assert.equal(policy.status, 200, JSON.stringify(policy.body));
    const refused = await reprice({ reason: 'the price list was wrong' });
    assert.deepEqual(
      [refused.status, member(member(refused.body, 'error'), 'code')],
      [403, 'approval_required'],
    );
    assert.deepEqual(await costs(), [2000, 2000]);
    assert.deepEqual(await db.query(sql`select * from op.usage_reprices`), []);
    assert.equal((await reprice({ dry_run: true })).status, 200);
    const made = await started.ask({
      method: 'POST',
      path: '/admin/usage/reprice',
      cookie: started.cookie,
      headers: { 'x-gw-break-glass': 'the month is closed today' },
      body: span(),
    });
    assert.equal(made.status, 200, JSON.stringify(made.body));
    assert.deepEqual(await costs(), [2000, 1500]);
    assert.ok(made.headers.has('x-gw-review-due'));
  });

  it('and its reverse sum to zero, for any counts and prices', async (t) => {
    const { reprice, charged, isProven, rows, setPrices, db, ...started } = await ledger(t);
    const cards = [
      prices(3_000_000, 15_000_000, { cache_read: 300_000, per_request: 7 }),
      prices(2_500_000, 10_000_000, { currency: 'EUR', cache_read: 0, cache_write_5m: 1 }),
      prices(null, 9_999_999, { input_audio: 5 }),
    ];
    for (const card of cards) await setPrices(card);
    const tokens = fc.nat(5_000);
    const counts = fc.record({
      prompt_tokens: tokens.map((more) => more + 5_000),
      completion_tokens: tokens,
      cache_read_tokens: fc.option(tokens, { nil: null }),
      input_audio_tokens: fc.option(fc.nat(9), { nil: null }),
    });
    const steps = fc.array(fc.integer({ min: 1, max: 4 }), { minLength: 1, maxLength: 4 });
    let number = 0;
    const property = fc.asyncProperty(
      fc.array(counts, { maxLength: 6 }),
      steps,
      async (made, to) => {
        await reportUsage(
          started,
          made.map((one) => reported(++number, one)),
        );
        const booked = [await charged(), await rows()];
        for (const card of to) await reprice({ card, model: 'small' });
        await isProven();
        await reprice({ card: 'booked' });
        assert.deepEqual([await charged(), await rows()], booked);
        const sums: unknown[] = await db.query(sql`
        select currency from op.usage_corrections group by usage_id, currency
        having sum(delta_micros) <> 0 or sum(estimated_delta_micros) <> 0`);
        assert.deepEqual(sums, []);
        await isProven();
      },
    );
    await fc.assert(property, { numRuns: 8 });
  });
});
