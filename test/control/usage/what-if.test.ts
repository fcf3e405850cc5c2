// Tests what past usage would have cost with other prices: those of a version, of another model, or given ones.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { TestContext } from 'node:test';

import { sql } from '@databases/pg';
import * as fc from 'fast-check';

import { member, testAdministrator } from '../../harness/admin/admin.ts';
import { reported, reportUsage } from '../../harness/admin/usage.ts';

const hourMs = 3_600_000;
const span = () => ({
  since: new Date(Date.now() - hourMs).toISOString(),
  until: new Date(Date.now() + hourMs).toISOString(),
});
const fields = (input: number, output: number, card: object | null = null) => ({
  input_price_per_mtok: input,
  output_price_per_mtok: output,
  price_card: card,
});

type Asked = Readonly<Record<string, string>>;

/** A model at 1 and 2 dollars per million tokens, so that a reported row costs 2,000 micro-units. */
async function ledger(t: TestContext) {
  const started = await testAdministrator(t);
  const { send, plane } = started;
  await send('POST', '/admin/models', { name: 'small', ...fields(1_000_000, 2_000_000) });
  const ask = (asked: Asked) => {
    const query = new URLSearchParams({ ...span(), ...asked });
    return send('GET', `/admin/usage/what-if?${query.toString()}`);
  };
  const whatIf = async (asked: Asked): Promise<object> => {
    const answer = await ask(asked);
    assert.equal(answer.status, 200, JSON.stringify(answer.body));
    const { since: _since, until: _until, ...made } = Object(answer.body);
    return made;
  };
  const refusal = async (asked: Asked): Promise<string> => {
    const { status, body } = await ask(asked);
    assert.equal(status, 400, JSON.stringify(asked));
    return String(member(member(body, 'error'), 'message'));
  };
  const setPrices = (change: object) => send('PATCH', '/admin/models/1', change);
  const corrections = (): Promise<unknown[]> =>
    plane.db.query(sql`select * from op.usage_corrections`);
  return { ...started, whatIf, refusal, setPrices, corrections };
}

const inDollars = (booked: number, whatIf: number, change: object = {}) => ({
  currency: 'USD',
  cost_micros: booked,
  corrected_cost_micros: booked,
  what_if_cost_micros: whatIf,
  newly_priced_cost_micros: 0,
  ...change,
});
const compared = (rows: number, costs: readonly object[], change: object = {}) => ({
  model: null,
  rows,
  unpriced_rows: 0,
  newly_priced_rows: 0,
  costs,
  ...change,
});

describe('what past usage would have cost', () => {
  it('with given prices, of the rows that a card prices', async (t) => {
    const { whatIf, corrections, ...started } = await ledger(t);
    const free = [reported(2, { cached: true }), reported(3, { reported_cost_micros: 5 })];
    await reportUsage(started, [reported(1), ...free]);
    const card = fields(500_000, 2_000_000, { per_request: 7 });
    assert.deepEqual(
      await whatIf({ prices: JSON.stringify(card) }),
      compared(1, [inDollars(2_000, 1_507)]),
    );
    assert.deepEqual(await corrections(), []);
  });

  it('with the prices of another model, present or past', async (t) => {
    const { whatIf, send, ...started } = await ledger(t);
    await send('POST', '/admin/models', { name: 'large', ...fields(2_000_000, 4_000_000) });
    await send('PATCH', '/admin/models/2', { input_price_per_mtok: 3_000_000 });
    await reportUsage(started, [reported(1)]);
    const present = await whatIf({ model: 'small', card_of: 'large' });
    assert.deepEqual(present, compared(1, [inDollars(2_000, 5_000)], { model: 'small' }));
    const past = await whatIf({ card_of: 'large', card: '1' });
    assert.deepEqual(past, compared(1, [inDollars(2_000, 4_000)]));
  });

  it('with an earlier version of the model, or the present one', async (t) => {
    const { whatIf, setPrices, ...started } = await ledger(t);
    await setPrices({ input_price_per_mtok: 3_000_000 });
    await reportUsage(started, [reported(1, { at: new Date().toISOString() })]);
    const first = await whatIf({ model: 'small', card: '1' });
    assert.deepEqual(first, compared(1, [inDollars(4_000, 2_000)], { model: 'small' }));
    assert.deepEqual(await whatIf({ card: 'current' }), compared(1, [inDollars(4_000, 4_000)]));
  });

  it('with cached tokens at the base price, by the version of the prices of each row', async (t) => {
    const { whatIf, setPrices, ...started } = await ledger(t);
    await setPrices({ price_card: { cache_read: 100_000 } });
    const at = new Date().toISOString();
    const cached = { at, cache_read_tokens: 400 };
    await reportUsage(started, [reported(1, cached), reported(2, { at })]);
    await setPrices({ input_price_per_mtok: 9_000_000 });
    const expected = compared(2, [inDollars(3_640, 4_000)], { model: 'small' });
    assert.deepEqual(await whatIf({ model: 'small', card: 'uncached' }), expected);
  });

  it('with cached audio at the price of audio', async (t) => {
    const { whatIf, setPrices, ...started } = await ledger(t);
    const prices = { cache_read: 100_000, cache_read_audio: 200_000, input_audio: 5_000_000 };
    await setPrices({ price_card: prices });
    const units = { cache_read_audio_tokens: 300 };
    const at = new Date().toISOString();
    await reportUsage(started, [reported(1, { at, cache_read_tokens: 400, units })]);
    // 600 + 10 + 60 + 1,000 instead of 700 + 1,500 + 1,000
    assert.deepEqual(await whatIf({ card: 'uncached' }), compared(1, [inDollars(1_670, 3_200)]));
  });

  it('counts rows that the prices do not cover, and keeps them out of all amounts', async (t) => {
    const { whatIf, ...started } = await ledger(t);
    await reportUsage(started, [reported(1), reported(2, { cache_read_tokens: 400 })]);
    const card = fields(500_000, 2_000_000, { input_audio: 1 });
    const expected = compared(2, [inDollars(2_000, 1_500)], { unpriced_rows: 1 });
    assert.deepEqual(await whatIf({ prices: JSON.stringify(card) }), expected);
  });

  it('keeps rows that are unpriced now apart', async (t) => {
    const { whatIf, send, ...started } = await ledger(t);
    await send('POST', '/admin/models', { name: 'free' });
    await reportUsage(started, [reported(1), reported(2, { model_id: 2 })]);
    const costs = [inDollars(2_000, 2_000, { newly_priced_cost_micros: 2_000 })];
    const expected = compared(2, costs, { newly_priced_rows: 1 });
    assert.deepEqual(await whatIf({ card_of: 'small' }), expected);
  });

  it('never adds currencies, and shows the cost after corrections', async (t) => {
    const { whatIf, setPrices, send, ...started } = await ledger(t);
    await reportUsage(started, [reported(1)]);
    await setPrices({ input_price_per_mtok: 500_000 });
    await send('POST', '/admin/usage/reprice', { ...span() });
    const euro = fields(1_000_000, 1_000_000, { currency: 'EUR' });
    const { costs } = Object(await whatIf({ prices: JSON.stringify(euro) }));
    assert.deepEqual(costs, [
      inDollars(0, 1_500, { currency: 'EUR' }),
      inDollars(2_000, 0, { corrected_cost_micros: 1_500 }),
    ]);
  });

  it('differs from the cost after corrections as a dry run of a recomputation says', async (t) => {
    const { whatIf, setPrices, send, ...started } = await ledger(t);
    const events = fc.sample(
      fc.tuple(fc.nat({ max: 100_000 }), fc.nat({ max: 100_000 }), fc.boolean()),
      { numRuns: 40, seed: 7 },
    );
    await reportUsage(
      started,
      events.map(([prompt_tokens, completion_tokens, cached], index) =>
        reported(index, { prompt_tokens, completion_tokens, cached }),
      ),
    );
    await setPrices({ input_price_per_mtok: 333_333 });
    await send('POST', '/admin/usage/reprice', { ...span() });
    await setPrices({ input_price_per_mtok: 777_777 });
    const dry = await send('POST', '/admin/usage/reprice', { ...span(), dry_run: true });
    const { rows, costs } = Object(await whatIf({ card: 'current' }));
    const [one] = costs;
    assert.equal(rows, member(dry.body, 'rows'));
    assert.deepEqual(member(dry.body, 'totals'), [
      { currency: 'USD', delta_micros: one.what_if_cost_micros - one.corrected_cost_micros },
    ]);
  });

  it('is empty for a range without usage', async (t) => {
    const { whatIf } = await ledger(t);
    assert.deepEqual(await whatIf({ card: 'current' }), compared(0, []));
  });

  it('refuses unknown models and versions, and names them', async (t) => {
    const { refusal } = await ledger(t);
    const cases: readonly (readonly [Asked, RegExp])[] = [
      [{ card: '2' }, /version 2 needs a model/],
      [{ model: 'small', card: '2' }, /model small has no version 2/],
      [{ model: 'gone' }, /model: no model is named gone/],
      [{ card_of: 'gone' }, /card_of: no model is named gone/],
      [{ card: 'booked' }, /card/],
      [{ card: 'uncached', card_of: 'small' }, /cannot be combined/],
      [{ prices: '{' }, /prices: must be JSON/],
      [{ prices: '{"cache_read":1}' }, /prices/],
      [{ prices: '{"price_card":{"input":1}}' }, /prices/],
      [{ prices: '{}', card_of: 'small' }, /cannot be combined/],
      [{ since: '2999-01-01T00:00:00Z' }, /is not before until/],
    ];
    for (const [body, message] of cases) assert.match(await refusal(body), message);
  });
});
