// Tests the cost of a usage row (Gateway rule 16): the provider's figure, the prices of the time of
// the request, and what a budget of money is charged.

import assert from 'node:assert/strict';
import { it } from 'node:test';

import * as fc from 'fast-check';

import { rowCost } from '../../../src/control/usage/usage-cost.ts';
import type { UncostedRow } from '../../../src/control/usage/usage-cost.ts';
import { membersOf, tokenParts } from '../../../src/usage/counts.ts';
import type { PriceCard } from '../../../src/usage/price-card.ts';
import type { Prices } from '../../../src/usage/price.ts';
import { withPrices } from '../../../src/usage/price-versions.ts';

const nowMs = Date.parse('2026-11-23T12:00:00Z');

const blank: UncostedRow = {
  ...membersOf(
    tokenParts.map(({ name }) => name),
    null,
  ),
  server_tool_calls: null,
  units: null,
  service_tier: null,
  cached: false,
  usage_reported: true,
  usage_estimated: false,
  reported_cost_micros: null,
  prompt_tokens: 0,
  completion_tokens: 0,
};

const sonnet: Prices = { input: 3_000_000, output: 15_000_000, card: null };

const cost = (row: Partial<UncostedRow>, prices: Prices | null) =>
  rowCost(
    { ...blank, ...row },
    prices === null ? [] : withPrices([], prices, { setAtMs: nowMs }),
    nowMs,
  );
const micros = (row: Partial<UncostedRow>, prices: Prices | null): number | null =>
  cost(row, prices).cost_micros;
const carded = (card: PriceCard): Prices => ({ ...sonnet, card });

const hello = { prompt_tokens: 10, completion_tokens: 10 };

const at = (price: number) => ({ input: price, output: null, card: null });

it('rounds the configured price to micro-units', () => {
  assert.equal(micros({ prompt_tokens: 1 }, at(499_999)), 0);
  assert.equal(micros({ prompt_tokens: 1 }, at(500_000)), 1);
  assert.equal(micros({ prompt_tokens: 3 }, at(500_000)), 2);
});

it('prefers the figure of the provider to the configured price', () => {
  assert.deepEqual(cost({ ...hello, reported_cost_micros: 7 }, sonnet), {
    cost_micros: 7,
    estimated_cost_micros: null,
    currency: 'USD',
    price_version: null,
  });
  assert.equal(micros({ ...hello, reported_cost_micros: 0 }, carded({ per_request: 5 })), 0);
});

it('is null without counts, a model or a price', () => {
  assert.equal(micros({ ...hello, usage_reported: false }, sonnet), null);
  assert.equal(micros(hello, null), null);
  assert.equal(micros(hello, { input: null, output: null, card: null }), null);
  assert.equal(micros({}, { input: null, output: null, card: null }), null);
  assert.equal(micros(hello, { ...sonnet, output: null }), null);
});

it('ignores a direction without a price if it was not used', () => {
  assert.equal(micros({ prompt_tokens: 1_000_000 }, { ...sonnet, output: null }), 3_000_000);
});

it('is zero for a cached answer', () => {
  assert.equal(micros({ ...hello, cached: true }, null), 0);
  assert.equal(micros({ ...hello, cached: true }, carded({ per_request: 5 })), 0);
});

it('charges cached tokens at their own price', () => {
  const prompt = { prompt_tokens: 100_000, cache_read_tokens: 99_000, completion_tokens: 100 };
  assert.deepEqual(cost(prompt, carded({ cache_read: 300_000 })), {
    cost_micros: 34_200,
    estimated_cost_micros: null,
    currency: 'USD',
    price_version: 1,
  });
});

it('keeps an explicit usage of zero', () => {
  assert.deepEqual(cost({}, carded({})), {
    cost_micros: 0,
    estimated_cost_micros: null,
    currency: 'USD',
    price_version: 1,
  });
});

it('charges a budget at the base prices if the card does not have a price', () => {
  const fast = { ...hello, service_tier: 'priority' };
  const { cost_micros, estimated_cost_micros } = cost(fast, carded({ cache_read: 1 }));
  assert.deepEqual([cost_micros, estimated_cost_micros], [null, 180]);
});

it('charges a budget with the price of estimated counts', () => {
  const cut = { ...hello, usage_reported: false, usage_estimated: true };
  const { cost_micros, estimated_cost_micros } = cost(cut, sonnet);
  assert.deepEqual([cost_micros, estimated_cost_micros], [null, 180]);
  assert.equal(cost({ ...hello, usage_reported: false }, sonnet).estimated_cost_micros, null);
});

it('prices a late row with the card of its time', () => {
  const hourMs = 3_600_000;
  const first = withPrices([], sonnet, { setAtMs: nowMs - 2 * hourMs });
  const dearer = withPrices(first, { ...sonnet, input: 6_000_000 }, { setAtMs: nowMs - hourMs });
  const at = (ms: number) => rowCost({ ...blank, prompt_tokens: 1_000 }, dearer, ms);
  assert.deepEqual([at(nowMs).cost_micros, at(nowMs).price_version], [6_000, 2]);
  const late = at(nowMs - hourMs - 1);
  assert.deepEqual([late.cost_micros, late.price_version], [3_000, 1]);
});

it('says the currency of the card', () => {
  assert.equal(cost(hello, carded({ currency: 'EUR' })).currency, 'EUR');
});

it('is within half a micro-unit of the exact cost, or too large to represent', () => {
  const counts = fc.nat({ max: Number.MAX_SAFE_INTEGER });
  fc.assert(
    fc.property(counts, counts, counts, counts, (prompt, completion, input, output) => {
      const row = { prompt_tokens: prompt, completion_tokens: completion };
      const found = micros(row, { input, output, card: null });
      const exact = BigInt(prompt) * BigInt(input) + BigInt(completion) * BigInt(output);
      if (found === null) return exact / 1_000_000n >= BigInt(Number.MAX_SAFE_INTEGER);
      const error = BigInt(found) * 1_000_000n - exact;
      return error <= 500_000n && error > -500_000n;
    }),
  );
});

it('uses only the figure of the provider, if there is one', () => {
  const count = fc.nat({ max: Number.MAX_SAFE_INTEGER });
  const price = fc.option(count, { nil: null });
  fc.assert(
    fc.property(
      count,
      count,
      price,
      price,
      fc.boolean(),
      (reported, tokens, input, output, usage_reported) => {
        const row = { usage_reported, reported_cost_micros: reported, prompt_tokens: tokens };
        assert.equal(micros(row, { input, output, card: null }), reported);
      },
    ),
  );
});
