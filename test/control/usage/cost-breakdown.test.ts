// Tests the breakdown of the cost of a usage row: it adds up to the cost, or it is unknown.

import assert from 'node:assert/strict';
import { it } from 'node:test';

import * as fc from 'fast-check';

import { breakdownOf } from '../../../src/control/usage/cost-breakdown.ts';
import { rowCost } from '../../../src/control/usage/usage-cost.ts';
import type { UncostedRow } from '../../../src/control/usage/usage-cost.ts';
import { membersOf, tokenParts } from '../../../src/usage/counts.ts';
import type { Prices } from '../../../src/usage/price.ts';
import { withPrices } from '../../../src/usage/price-versions.ts';
import { card } from '../../usage/prices/dollars.ts';

const names = tokenParts.map(({ name }) => name);

const blank: UncostedRow = {
  ...membersOf(names, null),
  server_tool_calls: null,
  units: null,
  service_tier: null,
  cached: false,
  usage_reported: true,
  usage_estimated: false,
  reported_cost_micros: null,
  prompt_tokens: 1_000,
  completion_tokens: 500,
};

const booked = (change: Partial<UncostedRow>, prices: Prices, atMs = 1) => {
  const row = { ...blank, ...change };
  const cost = rowCost(row, withPrices([], prices, { setAtMs: 0 }), atMs);
  return { ...row, ...cost, at: new Date(atMs) };
};

const sonnet = card({ input: 3, output: 15, cache_read: 0.3 });

it('lists the amount of each price that was used', () => {
  const row = booked({ cache_read_tokens: 400 }, sonnet);
  assert.deepEqual(breakdownOf(row, sonnet), { cache_read: 120, input: 1_800, output: 7_500 });
});

it('has the prices of the hour of the request', () => {
  const hours = '6-7 00:00-24:00';
  const tiers = { service_tiers: { off_peak: { input: 1_000_000, output: 2_000_000, hours } } };
  const prices = card({ input: 3, output: 15 }, tiers);
  const at = (time: string) => booked({}, prices, Date.parse(time));
  const weekend = at('2026-11-28T10:00:00Z');
  assert.deepEqual(breakdownOf(weekend, prices), { input: 1_000, output: 1_000 });
  const monday = at('2026-11-30T10:00:00Z');
  assert.deepEqual(breakdownOf(monday, prices), { input: 3_000, output: 7_500 });
});

it('is unknown for a row without a cost', () => {
  const row = booked({ cache_write_5m_tokens: 400 }, sonnet);
  assert.equal(row.cost_micros, null);
  assert.equal(breakdownOf(row, sonnet), null);
});

it('is unknown if the prices are unknown or give another cost', () => {
  const row = booked({}, sonnet);
  assert.equal(breakdownOf(row, null), null);
  assert.equal(breakdownOf(row, card({ input: 4, output: 15 })), null);
});

it('of a cost that the provider reported is that cost', () => {
  const row = booked({ reported_cost_micros: 12 }, sonnet);
  assert.deepEqual(breakdownOf(row, null), { reported: 12 });
});

it('of an answer of the cache is empty', () => {
  assert.deepEqual(breakdownOf(booked({ cached: true }, sonnet), null), {});
});

/** An object with these members. */
const record = <Value>(value: fc.Arbitrary<Value>, keys: readonly string[]) =>
  fc
    .array(value, { minLength: keys.length, maxLength: keys.length })
    .map((values) => Object.fromEntries(keys.map((key, at) => [key, values[at]])));

it('adds up to the cost of every row with a price', () => {
  const count = fc.option(fc.nat({ max: 1_000_000 }), { nil: null });
  const tokens = fc.nat({ max: 1_000_000 });
  const price = fc.nat({ max: 100_000_000 });
  const kinds = tokenParts.map(({ kind }) => kind);
  fc.assert(
    fc.property(
      record(count, names),
      record(price, kinds),
      fc.tuple(tokens, tokens, price, price, fc.nat({ max: 9 })),
      (parts, set, [prompt_tokens, completion_tokens, input, output, calls]) => {
        const more = { per_request: 7, tool_calls: { web_search: 3 } };
        const prices = { input, output, card: { ...set, ...more } };
        const server_tool_calls = { web_search: calls };
        const row = booked(
          { ...parts, prompt_tokens, completion_tokens, server_tool_calls },
          prices,
        );
        const amounts = Object.values(breakdownOf(row, prices) ?? {});
        assert.equal(
          amounts.reduce((left, right) => left + right, 0),
          row.cost_micros,
        );
      },
    ),
  );
});
