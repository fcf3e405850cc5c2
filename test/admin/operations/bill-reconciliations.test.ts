// Tests the comparison of a provider's bill with the ledger over the admin API.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { TestContext } from 'node:test';

import { sql } from '@databases/pg';

import { foldUsage } from '../../../src/db/usage/usage-rollups.ts';
import { errorOf, member, testAdministrator } from '../../harness/admin/admin.ts';
import { exportText } from '../../harness/admin/focus.ts';
import { reported, reportUsage } from '../../harness/admin/usage.ts';
import { listedProvider } from '../../harness/upstream/model-list.ts';

const path = '/admin/usage/reconciliations';
const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
/** The start of the UTC day before yesterday. */
const start = Math.floor(Date.now() / dayMs - 2) * dayMs;
const at = (hours: number): string => new Date(start + hours * hourMs + 60_000).toISOString();
const day = (days: number): string => new Date(start + days * dayMs).toISOString().slice(0, 10);

/** A provider `openai` with the model `chat`, whose upstream name is gpt-5. */
async function withProvider(t: TestContext) {
  const started = await testAdministrator(t);
  const { apiBase } = await listedProvider(t, { models: ['gpt-5'] });
  await started.send('POST', '/admin/providers', { name: 'openai', api_base: apiBase });
  const price = { input_price_per_mtok: 3_000_000, output_price_per_mtok: 15_000_000 };
  await started.send('POST', '/admin/provider-models', { name: 'chat', ...price });
  const backend = { provider_id: 1, upstream_model: 'gpt-5' };
  const attached = await started.send('POST', '/admin/provider-models/1/backends', backend);
  assert.ok(attached.status < 300, JSON.stringify(attached.body));
  await started.send('POST', '/admin/provider-models', { name: 'elsewhere', ...price });
  return started;
}

/** Costs 10,500 micro-units. */
const used = (number: number, change: Readonly<Record<string, unknown>> = {}) =>
  reported(number, { model: 'chat', provider_id: 1, at: at(1), ...change });

const bill = (...lines: readonly string[]): string =>
  ['start_time_iso,end_time_iso,amount_value,amount_currency,line_item', ...lines].join('\n');

const exact = { tolerance_micros: 0, tolerance_percent: 0 };

describe('a reconciliation', () => {
  it('stores the differences by day and model as a report, and its totals in the log', async (t) => {
    const started = await withProvider(t);
    await reportUsage(started, [
      used(1),
      used(2),
      used(3, { at: at(25) }),
      used(4, { model_id: 2, model: 'elsewhere', provider_id: null }),
    ]);
    const content = bill(
      `${day(0)},${day(1)},0.02,usd,"gpt-5-2025-08-07, input"`,
      `${day(0)},${day(1)},0.001,usd,"gpt-5-2025-08-07, output"`,
      `${day(1)},${day(2)},0.02,usd,"gpt-5-2025-08-07, input"`,
      `${day(1)},${day(2)},0.5,usd,"web search tool calls"`,
    );
    const body = { content, file_name: 'costs.csv', providers: ['openai'], ...exact };
    const { status, body: made } = await started.send('POST', path, body);
    assert.equal(status, 201, JSON.stringify(made));
    assert.partialDeepStrictEqual(made, {
      format: 'openai-costs',
      file_name: 'costs.csv',
      providers: ['openai'],
      first_day: day(0),
      last_day: day(1),
      lines: 4,
      matches: 1,
      difference_count: 2,
      totals: [
        {
          currency: 'USD',
          bill_micros: 541_000,
          ledger_micros: 31_500,
          difference_micros: 509_500,
        },
      ],
      differences: [
        {
          kind: 'only_in_bill',
          period: day(1),
          model: 'web search tool calls',
          ledger_micros: null,
          difference_micros: 500_000,
        },
        {
          kind: 'differs',
          period: day(1),
          model: 'gpt-5',
          billed_as: ['gpt-5-2025-08-07'],
          bill_micros: 20_000,
          ledger_micros: 10_500,
          difference_micros: 9_500,
          percent: 47.5,
        },
      ],
    });
    const id = String(member(made, 'id'));
    assert.deepEqual((await started.send('GET', `${path}/${id}`)).body, made);
    const { body: listed } = await started.send('GET', path);
    assert.ok(Array.isArray(listed));
    assert.deepEqual(
      listed.map((one) => member(one, 'id')),
      [id],
    );
    const [event]: { data: Record<string, unknown> }[] = await started.plane.db.query(sql`
      select payload::jsonb as data from es.events where type = 'UsageReconciled'`);
    assert.partialDeepStrictEqual(event?.data, {
      report: id,
      totals: [{ currency: 'USD', bill_micros: 541_000, ledger_micros: 31_500 }],
      matches: 1,
      differences: 2,
    });
  });

  it('finds usage that no price was set for, and days that the bill does not have', async (t) => {
    const started = await withProvider(t);
    await started.send('POST', '/admin/provider-models', { name: 'unpriced' });
    await reportUsage(started, [
      used(1, { model_id: 3, model: 'unpriced' }),
      used(2, { at: at(25) }),
    ]);
    const content = `date,model,amount\n${day(0)},unpriced,0.3`;
    const body = { content, providers: ['openai'], last_day: day(1), ...exact };
    const { body: made } = await started.send('POST', path, body);
    assert.partialDeepStrictEqual(made, {
      format: 'generic',
      differences: [
        { kind: 'unpriced', model: 'unpriced', ledger_micros: null, unpriced_requests: 1 },
        { kind: 'only_in_ledger', period: day(1), model: 'gpt-5', bill_micros: null },
      ],
    });
  });

  it('of an export of the ledger has no difference, before and after roll-up', async (t) => {
    const started = await withProvider(t);
    await reportUsage(started, [
      used(1),
      used(2, { at: at(30), tag: '=1' }),
      used(3, { cached: true }),
      used(4, { model_id: 2, model: 'elsewhere', provider_id: null, reported_cost_micros: 77 }),
    ]);
    const range = `since=${day(0)}T00:00:00Z&until=${day(2)}T00:00:00Z`;
    for (const horizon of [null, new Date(start + 12 * hourMs)]) {
      const settled = new Date(Date.now() + hourMs);
      if (horizon !== null) await foldUsage(started.plane.db, { horizon, settled, limit: 10 });
      const content = await exportText(started, range);
      for (const by of ['day', 'month']) {
        const { body } = await started.send('POST', path, { content, by, ...exact });
        assert.partialDeepStrictEqual(body, { format: 'focus', difference_count: 0 });
        assert.deepEqual(member(body, 'totals'), [
          { currency: 'USD', bill_micros: 21_077, ledger_micros: 21_077, difference_micros: 0 },
        ]);
      }
    }
  });

  it('has no unpriced usage in a currency that corrections replaced, before and after roll-up', async (t) => {
    const started = await withProvider(t);
    await started.send('POST', '/admin/provider-models', { name: 'unpriced' });
    const other = { model_id: 3, model: 'unpriced' };
    await reportUsage(started, [used(1), used(2, other), used(3, { ...other, at: at(25) })]);
    const euros = { input_price_per_mtok: 1_000_000, price_card: { currency: 'EUR' } };
    for (const id of [1, 3]) {
      const body = { ...euros, output_price_per_mtok: 1_000_000 };
      await started.send('PATCH', `/admin/provider-models/${id}`, body);
    }
    const span = { since: `${day(0)}T00:00:00Z`, until: `${day(1)}T00:00:00Z` };
    const { status, body: made } = await started.send('POST', '/admin/usage/reprice', span);
    assert.deepEqual([status, member(made, 'corrected_rows')], [200, 2], JSON.stringify(made));
    const lines = ['gpt-5', 'unpriced'].map((name) => `${day(0)},${name},1,USD`);
    const content = ['date,model,amount,currency', ...lines, `${day(1)},unpriced,1,USD`].join('\n');
    for (const horizon of [null, new Date(start + 48 * hourMs)]) {
      const settled = new Date(Date.now() + hourMs);
      if (horizon !== null) await foldUsage(started.plane.db, { horizon, settled, limit: 10 });
      const { body } = await started.send('POST', path, { content, ...exact });
      const differences = member(body, 'differences');
      assert.ok(Array.isArray(differences));
      const found = differences.map((one) =>
        ['period', 'model', 'currency', 'kind', 'unpriced_requests'].map((name) =>
          member(one, name),
        ),
      );
      assert.deepEqual(
        found.toSorted((one, other) => (String(one) < String(other) ? -1 : 1)),
        [
          [day(0), 'gpt-5', 'EUR', 'only_in_ledger', 0],
          [day(0), 'gpt-5', 'USD', 'differs', 0],
          [day(0), 'unpriced', 'EUR', 'only_in_ledger', 0],
          [day(0), 'unpriced', 'USD', 'differs', 0],
          [day(1), 'unpriced', 'USD', 'unpriced', 1],
        ],
      );
    }
  });

  it('refuses an unknown provider, an invalid line, and a wrong range', async (t) => {
    const started = await withProvider(t);
    const content = `date,model,amount\n${day(0)},m,1`;
    const cases = [
      [{ content, providers: ['opena'] }, 'providers', 'known are openai'],
      [{ content: `${content}\nx,m,1` }, 'content', 'line 3: date must be a date'],
      [{ content, first_day: day(1), last_day: day(0) }, 'first_day', 'is after last_day'],
      [{ content, first_day: '2026-02-30' }, 'first_day', 'must be a day of the calendar'],
    ] as const;
    for (const [body, param, problem] of cases) {
      const answer = await started.send('POST', path, body);
      assert.deepEqual(errorOf(answer), [400, 'invalid', param]);
      const message = String(member(member(answer.body, 'error'), 'message'));
      assert.ok(message.includes(problem), message);
    }
    assert.equal((await started.send('GET', `${path}/${crypto.randomUUID()}`)).status, 404);
    assert.deepEqual((await started.send('GET', path)).body, []);
  });
});
