// Tests the export of usage as FOCUS charges.

import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { describe, it } from 'node:test';
import type { TestContext } from 'node:test';

import { sql } from '@databases/pg';
import {
  array,
  assert as holds,
  asyncProperty,
  boolean,
  constantFrom,
  integer,
  record,
} from 'fast-check';

import { focusCsv } from '../../../src/control/usage/focus-export.ts';
import { foldUsage } from '../../../src/db/usage/usage-rollups.ts';
import { focusColumns } from '../../../src/usage/focus/columns.ts';
import { errorOf, member, testAdministrator } from '../../harness/admin/admin.ts';
import { exportText } from '../../harness/admin/focus.ts';
import { focusRows, sumOf } from '../../harness/focus/rows.ts';
import { reported, reportUsage } from '../../harness/admin/usage.ts';
import { runs } from '../../harness/property-runs.ts';

const hourMs = 3_600_000;
/** The start of an hour, some hours ago. */
const start = Math.floor(Date.now() / hourMs - 30) * hourMs;
const at = (hours: number, minutes = 5): string =>
  new Date(start + hours * hourMs + minutes * 60_000).toISOString();
const range = `since=${at(0, 0)}&until=${at(24, 0)}`;

const refused = { refusal: 'budget', status: 402, prompt_tokens: 0, completion_tokens: 0 };

async function withModels(t: TestContext) {
  const started = await testAdministrator(t);
  const price = { input_price_per_mtok: 3_000_000, output_price_per_mtok: 15_000_000 };
  await started.send('POST', '/admin/models', { name: 'small', ...price });
  await started.send('POST', '/admin/models', { name: 'free of price' });
  return started;
}

describe('the FOCUS export', () => {
  it('has a row for each hour, principal and model, with the cost of the ledger', async (t) => {
    const started = await withModels(t);
    await reportUsage(started, [
      reported(1, { at: at(0) }),
      reported(2, { at: at(0, 50) }),
      reported(3, { at: at(3), tag: 'research' }),
      reported(4, { at: at(24) }),
    ]);
    const text = await exportText(started, range);
    assert.equal(text.slice(0, text.indexOf('\r\n')), focusColumns.join(','));
    const rows = focusRows(text);
    assert.deepEqual(
      rows.map((row) => [
        row['ChargePeriodStart'],
        row['SkuMeter'],
        row['BilledCost'],
        row['Tags'],
      ]),
      [
        [at(0, 0).replace('.000Z', 'Z'), 'Input', '0.006', '{}'],
        [at(0, 0).replace('.000Z', 'Z'), 'Output', '0.015', '{}'],
        [at(3, 0).replace('.000Z', 'Z'), 'Input', '0.003', '{"tag":"research"}'],
        [at(3, 0).replace('.000Z', 'Z'), 'Output', '0.0075', '{"tag":"research"}'],
      ],
    );
  });

  it('leaves the cost of usage without a price empty, or leaves the usage out', async (t) => {
    const started = await withModels(t);
    await reportUsage(started, [
      reported(1, { at: at(0), model_id: 2 }),
      reported(2, { at: at(0) }),
      reported(3, { at: at(0), usage_reported: false, usage_estimated: true }),
      reported(4, { ...refused, at: at(0) }),
    ]);
    const rows = focusRows(await exportText(started, range));
    assert.deepEqual(
      rows.map((row) => [row['ResourceName'], row['x_Dimension'], row['BilledCost']]),
      [
        ['free of price', 'input', ''],
        ['free of price', 'output', ''],
        ['small', 'input', '0.003'],
        ['small', 'output', '0.0075'],
      ],
    );
    const priced = focusRows(await exportText(started, `${range}&unpriced=omit`));
    assert.deepEqual(
      priced.map((row) => row['ResourceName']),
      ['small', 'small'],
    );
  });

  it('has applied corrections as rows of their own', async (t) => {
    const started = await withModels(t);
    const { db } = started.plane;
    const [first, second] = [reported(1, { at: at(0) }), reported(2, { at: at(1) })];
    await reportUsage(started, [first, second]);
    await db.query(sql`
      insert into op.usage_reprices (id, started_at, heard_at, applied_at)
      values (1, now(), now(), now()), (2, now(), now(), null)`);
    for (const [run, { id, at: time }, delta] of [
      [1, first, -500],
      [2, second, 700],
    ] as const) {
      await db.query(sql`
        insert into op.usage_corrections
          (usage_id, at, reprice_id, currency, delta_micros, cost_micros, price_version)
        values (${id}, ${time}::timestamptz, ${run}, 'USD', ${delta}, 1, 2)`);
    }
    const rows = focusRows(await exportText(started, range));
    assert.deepEqual(
      rows.map((row) => [row['ChargeClass'], row['BilledCost'], row['PricingQuantity']]),
      [
        ['', '0.003', '0.001'],
        ['', '0.0075', '0.0005'],
        ['Correction', '-0.0005', ''],
        ['', '0.003', '0.001'],
        ['', '0.0075', '0.0005'],
      ],
    );
  });

  it('splits the cost by the price card that applied', async (t) => {
    const started = await withModels(t);
    const parts = { cache_read_tokens: 99_000, reasoning_tokens: 50 };
    const tools = { server_tool_calls: { web_search: 1 } };
    const tier = { above_tokens: 200_000, input: 6_000_000, output: 30_000_000 };
    const card = { cache_read: 300_000, tool_calls: { web_search: 10_000 } };
    const body = { price_card: { ...card, context_tiers: [{ ...tier, cache_read: 600_000 }] } };
    const priced = await started.send('PATCH', '/admin/models/1', body);
    assert.equal(priced.status, 200, JSON.stringify(priced.body));
    const prompt = { prompt_tokens: 100_000, completion_tokens: 100 };
    const now = new Date().toISOString();
    const long = { prompt_tokens: 300_000, completion_tokens: 0 };
    await reportUsage(started, [
      reported(1, { at: now, ...prompt, ...parts, ...tools }),
      reported(2, { at: now, ...prompt, ...parts }),
      reported(3, { at: now, ...long }),
      reported(4, { at: now, reported_cost_micros: 77 }),
    ]);
    const rows = focusRows(await exportText(started, `since=${at(24)}`));
    assert.deepEqual(
      rows.map((row) => [row['x_Dimension'], row['ConsumedQuantity'], row['BilledCost']]),
      [
        ['input', '2000.0', '0.006'],
        ['cache_read', '198000.0', '0.0594'],
        ['output', '200.0', '0.003'],
        ['tool_calls.web_search', '1.0', '0.01'],
        ['input', '300000.0', '1.8'],
        ['all', '1500.0', '0.000077'],
      ],
    );
    assert.equal(rows[1]?.['ListUnitPrice'], '0.3');
    assert.equal(rows[1]?.['SkuPriceId'], 'gw/small/cache_read@2');
  });

  it('has the counts of each part and of tool calls', async (t) => {
    const started = await withModels(t);
    const parts = { cache_read_tokens: 600, reasoning_tokens: 100 };
    const tools = { server_tool_calls: { web_search: 2 } };
    await reportUsage(started, [
      reported(1, { at: at(0), model_id: 2, ...parts }),
      reported(2, { at: at(0), model_id: 2, ...parts, ...tools }),
      reported(3, { at: at(0), model_id: 2, ...tools }),
    ]);
    const rows = focusRows(await exportText(started, range));
    assert.deepEqual(
      rows.map((row) => [row['x_Dimension'], row['ConsumedQuantity'], row['ConsumedUnit']]),
      [
        ['input', '1800.0', 'Tokens'],
        ['cache_read', '1200.0', 'Tokens'],
        ['output', '1300.0', 'Tokens'],
        ['reasoning', '200.0', 'Tokens'],
        ['tool_calls.web_search', '4.0', 'Calls'],
      ],
    );
  });

  it('has the cost of generated images and of seconds, also without tokens', async (t) => {
    const started = await withModels(t);
    const price_card = { per_output_image: 40_000, input_seconds: 100_000_000 };
    const priced = await started.send('PATCH', '/admin/models/1', { price_card });
    assert.equal(priced.status, 200, JSON.stringify(priced.body));
    const now = { at: new Date().toISOString(), prompt_tokens: 0, completion_tokens: 0 };
    const unpriced = { model_id: 2, units: { output_images: 3 } };
    await reportUsage(started, [
      reported(1, { ...now, units: { output_images: 1 } }),
      reported(2, { ...now, units: { output_images: 2, input_seconds: 90 } }),
      reported(3, { ...now, ...unpriced }),
    ]);
    const rows = focusRows(await exportText(started, `since=${at(24)}`));
    assert.deepEqual(
      rows.map((row) => [
        row['x_Dimension'],
        row['ConsumedQuantity'],
        row['ConsumedUnit'],
        row['BilledCost'],
      ]),
      [
        ['per_output_image', '3.0', 'Images', ''],
        ['per_output_image', '3.0', 'Images', '0.12'],
        ['input_seconds', '90.0', 'Seconds', '0.009'],
      ],
    );
  });

  it('is the same for any page size', async (t) => {
    const started = await withModels(t);
    const { reports: db, store } = started.plane;
    const made = await started.send('POST', '/admin/principals', { name: 'other' });
    const other = Number(member(made.body, 'id'));
    const tags = ['a', 'b', 'c', 'd', 'e'];
    const events = [1, other].flatMap((principal_id) =>
      tags.map((tag) => ({ principal_id, tag, at: at(0) })),
    );
    await reportUsage(
      started,
      events.map((event, number) => reported(number, event)),
    );
    const expected = await exportText(started, range);
    assert.equal(focusRows(expected).length, 2 * events.length);
    const options = { since: at(0, 0), until: at(24, 0), unpriced: 'null' } as const;
    for (const pageRows of [1, 2, 5, 6, 10, 11]) {
      const source = { db, state: () => store.state(), pageRows };
      const exported = await text(Readable.from(focusCsv(source, options)));
      assert.equal(exported, expected, `pages of ${pageRows}`);
    }
  });

  it('has the sums of GET /admin/usage, before and after roll-up', async (t) => {
    const started = await withModels(t);
    const { db } = started.plane;
    const row = record({
      hours: integer({ min: 0, max: 5 }),
      model_id: constantFrom(1, 1, 2),
      prompt_tokens: integer({ min: 0, max: 5_000 }),
      completion_tokens: integer({ min: 0, max: 5_000 }),
      tag: constantFrom(null, 'a', '=b'),
      cached: boolean(),
    });
    let count = 0;
    await holds(
      asyncProperty(array(row, { minLength: 1, maxLength: 20 }), boolean(), async (given, old) => {
        const events = given.map(({ hours, ...one }) =>
          reported((count += 1), { at: at(hours), ...one }),
        );
        await reportUsage(started, events);
        const far = new Date(Date.now() + hourMs);
        if (old) await foldUsage(db, { horizon: new Date(at(3, 0)), settled: far, limit: 5 });
        const rows = focusRows(await exportText(started, range));
        const { body } = await started.send('GET', `/admin/usage?group_by=all&${range}`);
        assert.ok(Array.isArray(body));
        const total = (name: string): number => Number(member(body[0], name) ?? 0);
        const tokens = rows.filter((one) => one['ConsumedUnit'] === 'Tokens');
        assert.equal(sumOf(rows, 'BilledCost'), total('cost_micros'));
        assert.equal(
          sumOf(tokens, 'ConsumedQuantity') / 1_000_000,
          total('prompt_tokens') + total('completion_tokens'),
        );
      }),
      runs(10),
    );
  });

  it('needs the permission to read usage, and a range of at most 366 days', async (t) => {
    const started = await withModels(t);
    const cookie = await started.login('anyone', []);
    const path = `/admin/usage/export?${range}`;
    assert.equal((await started.ask({ path, cookie })).status, 403);
    const cases = [
      ['', 'since: is required'],
      ['since=2026-01-01T00:00:00Z&until=2025-01-01T00:00:00Z', 'is not before until'],
      ['since=2024-01-01T00:00:00Z&until=2026-01-01T00:00:00Z', 'more than 366 days before until'],
    ] as const;
    for (const [query, problem] of cases) {
      const answer = await started.send('GET', `/admin/usage/export?${query}`);
      assert.deepEqual(errorOf(answer), [400, 'invalid', 'since']);
      const message = String(member(member(answer.body, 'error'), 'message'));
      assert.ok(message.includes(problem), message);
    }
  });
});
