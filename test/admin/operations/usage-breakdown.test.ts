// Tests that single usage rows can be read with their cost by price, and with their corrected cost.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { TestContext } from 'node:test';

import { member, testAdministrator } from '../../harness/admin/admin.ts';
import { reported, reportUsage } from '../../harness/admin/usage.ts';

const hourMs = 3_600_000;
const span = () => ({
  since: new Date(Date.now() - hourMs).toISOString(),
  until: new Date(Date.now() + hourMs).toISOString(),
});

const prices = {
  input_price_per_mtok: 3_000_000,
  output_price_per_mtok: 15_000_000,
  price_card: { cache_read: 300_000, tool_calls: { web_search: 10_000 } },
};

async function priced(t: TestContext) {
  const started = await testAdministrator(t);
  await started.send('POST', '/admin/models', { name: 'small', ...prices });
  /** The members of each row, oldest first. */
  const costs = async (query: string): Promise<unknown[]> => {
    const { status, body } = await started.send('GET', `/admin/usage/events?${query}`);
    assert.equal(status, 200);
    assert.ok(Array.isArray(body));
    return body.toReversed().map((row) => ({
      cost_micros: member(row, 'cost_micros'),
      breakdown: member(row, 'breakdown'),
      corrected: member(row, 'corrected'),
    }));
  };
  const change = async (body: object): Promise<void> => {
    await started.send('PATCH', '/admin/models/1', body);
  };
  const reprice = (card: number | 'booked') =>
    started.send('POST', '/admin/usage/reprice', { ...span(), model: 'small', card });
  return { ...started, costs, change, reprice };
}

const used = { cache_read_tokens: 400, server_tool_calls: { web_search: 2 } };
const amounts = {
  cache_read: 120,
  input: 1_800,
  output: 7_500,
  'tool_calls.web_search': 20_000,
};
const cost = { cost_micros: 29_420, breakdown: amounts, corrected: null };

describe('usage rows with include=breakdown', () => {
  it('have their cost by the price that was used', async (t) => {
    const { costs, ...started } = await priced(t);
    await reportUsage(started, [reported(1, used), reported(2, { reported_cost_micros: 5 })]);
    const reportedCost = { cost_micros: 5, breakdown: { reported: 5 }, corrected: null };
    assert.deepEqual(await costs('include=breakdown'), [cost, reportedCost]);
    assert.deepEqual(await costs(`include=breakdown&id=${reported(1).id}`), [cost]);
  });

  it('have no breakdown if they are unpriced', async (t) => {
    const { costs, ...started } = await priced(t);
    await reportUsage(started, [reported(1, { cache_write_1h_tokens: 9 })]);
    const unpriced = { cost_micros: null, breakdown: null, corrected: null };
    assert.deepEqual(await costs('include=breakdown'), [unpriced]);
  });

  it('keep the breakdown of the prices that they were booked with', async (t) => {
    const { costs, change, ...started } = await priced(t);
    await reportUsage(started, [reported(1, used)]);
    await change({ input_price_per_mtok: 1_000_000 });
    assert.deepEqual(await costs('include=breakdown'), [cost]);
  });

  it('have the cost after the last correction, also in another currency', async (t) => {
    const { costs, change, reprice, ...started } = await priced(t);
    await reportUsage(started, [reported(1, used)]);
    await change({ input_price_per_mtok: 1_000_000 });
    await reprice(2);
    const cheaper = {
      cost_micros: 28_220,
      currency: 'USD',
      price_version: 2,
      breakdown: { ...amounts, input: 600 },
    };
    assert.deepEqual(await costs('include=breakdown'), [{ ...cost, corrected: cheaper }]);
    await change({ price_card: { ...prices.price_card, currency: 'EUR' } });
    await reprice(3);
    const euro = { ...cheaper, currency: 'EUR', price_version: 3 };
    assert.deepEqual(await costs('include=breakdown'), [{ ...cost, corrected: euro }]);
    await reprice('booked');
    const restored = {
      cost_micros: 29_420,
      currency: 'USD',
      price_version: 1,
      breakdown: amounts,
    };
    assert.deepEqual(await costs('include=breakdown'), [{ ...cost, corrected: restored }]);
  });

  it('are paged like all rows', async (t) => {
    const started = await priced(t);
    await reportUsage(started, [reported(1), reported(2)]);
    const { headers } = await started.send('GET', '/admin/usage/events?limit=1&include=breakdown');
    assert.match(headers.get('link') ?? '', /include=breakdown/);
  });

  it('are refused for another part', async (t) => {
    const { send } = await priced(t);
    assert.equal((await send('GET', '/admin/usage/events?include=all')).status, 400);
  });
});

it('usage rows have no breakdown unless it is asked for', async (t) => {
  const { send, ...started } = await priced(t);
  await reportUsage(started, [reported(1)]);
  const { body } = await send('GET', '/admin/usage/events');
  assert.ok(Array.isArray(body));
  assert.equal('breakdown' in body[0] || 'corrected' in body[0], false);
});
