// Tests that the cost of the usage of an hour is split by the prices of its card.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { array, assert as holds, constantFrom, integer, property, record } from 'fast-check';

import { membersOf, rowCounts, tokenParts } from '../../../src/usage/counts.ts';
import { chargesOf } from '../../../src/usage/focus/charge.ts';
import type { HourUsage } from '../../../src/usage/focus/charge.ts';
import { splitCost } from '../../../src/usage/focus/split-cost.ts';
import type { PriceCard } from '../../../src/usage/price-card.ts';
import { costOf } from '../../../src/usage/price.ts';

const unknownParts = membersOf(
  tokenParts.map(({ name }) => name),
  null,
);

const usage = (change: Partial<HourUsage> = {}): HourUsage => ({
  hour: new Date('2026-11-01T10:00:00Z'),
  principalId: 3,
  principal: 'reporting',
  provider: 'openai',
  model: 'gpt-5',
  modelId: null,
  tag: null,
  currency: 'USD',
  priceVersion: 2,
  serviceTier: null,
  requests: 2n,
  unpricedRequests: 0n,
  tierTokens: 100_000,
  promptTokens: 200_000n,
  completionTokens: 200n,
  parts: unknownParts,
  toolCalls: {},
  units: {},
  costMicros: 0n,
  isCorrection: false,
  ...change,
});

const base = { input: 3_000_000, output: 15_000_000 };
const tier = { above_tokens: 150_000, input: 6_000_000, output: 22_500_000 };

const split = (change: Partial<HourUsage>, card: PriceCard | null) =>
  Object.fromEntries(splitCost(usage(change), { ...base, card }) ?? []);

describe('the cost of an hour', () => {
  it('is split by the prices of the card', () => {
    const parts = { ...unknownParts, cache_read_tokens: 198_000, reasoning_tokens: 100 };
    const sums = Object.fromEntries(
      Object.entries(parts).map(([name, sum]) => [name, sum === null ? null : BigInt(sum)]),
    );
    const card = { cache_read: 300_000, per_request: 7, tool_calls: { web_search: 10_000 } };
    assert.deepEqual(
      split({ parts: { ...unknownParts, ...sums }, toolCalls: { web_search: 3n } }, card),
      {
        input: 6_000n,
        cache_read: 59_400n,
        output: 3_000n,
        per_request: 14n,
        'tool_calls.web_search': 30_000n,
      },
    );
  });

  it('uses the tier of its requests, not that of the sum of their prompts', () => {
    const card = { context_tiers: [tier] };
    assert.deepEqual(split({}, card), { input: 600_000n, output: 3_000n });
    assert.deepEqual(split({ tierTokens: 150_001 }, card), { input: 1_200_000n, output: 4_500n });
    const flex = { service_tiers: { flex: { percent: 50 } }, context_tiers: [tier] };
    const flexible = { serviceTier: 'flex', tierTokens: 150_001 };
    assert.deepEqual(split(flexible, flex), { input: 600_000n, output: 2_250n });
    const own = { service_tiers: { flex: { ...base, context_tiers: [{ ...tier, input: 1 }] } } };
    assert.deepEqual(split({ ...flexible, tierTokens: 1 }, own), {
      input: 600_000n,
      output: 3_000n,
    });
  });

  it('has the prices of other units', () => {
    const units = { output_images: 3n, input_seconds: 90n };
    const none = { promptTokens: 0n, completionTokens: 0n, requests: 2n, units };
    const card = { per_output_image: 40_000, input_seconds: 100_000_000 };
    assert.deepEqual(split(none, card), { per_output_image: 120_000n, input_seconds: 9_000n });
  });

  it('is unknown if a price is missing', () => {
    assert.equal(splitCost(usage({ toolCalls: { x: 1n } }), { ...base, card: {} }), null);
  });

  it('adds up to the costs of its requests', () => {
    const request = record({
      prompt_tokens: integer({ min: 1_000, max: 300_000 }),
      completion_tokens: integer({ min: 0, max: 5_000 }),
      cache_read_tokens: constantFrom(null, 0, 7, 900),
      reasoning_tokens: constantFrom(null, 0),
    });
    const card = {
      cache_read: 300_000,
      per_request: 3,
      context_tiers: [{ ...tier, cache_read: 1 }],
    };
    const prices = { ...base, card };
    holds(
      property(array(request, { minLength: 1, maxLength: 9 }), (given) => {
        const isLong = (given[0]?.prompt_tokens ?? 0) > tier.above_tokens;
        const rows = given.filter((row) => row.prompt_tokens > tier.above_tokens === isLong);
        const sum = (name: 'prompt_tokens' | 'completion_tokens' | 'cache_read_tokens'): bigint =>
          rows.reduce((total, row) => total + BigInt(row[name] ?? 0), 0n);
        const costs = rows.map((row) => {
          const tools = { server_tool_calls: null, units: null, service_tier: null };
          return costOf(rowCounts({ ...unknownParts, ...row, ...tools }), prices).micros ?? 0;
        });
        const costMicros = costs.reduce((total, cost) => total + BigInt(cost), 0n);
        const hour = usage({
          requests: BigInt(rows.length),
          tierTokens: rows[0]?.prompt_tokens ?? 0,
          promptTokens: sum('prompt_tokens'),
          completionTokens: sum('completion_tokens'),
          parts: { ...unknownParts, cache_read_tokens: sum('cache_read_tokens') },
          costMicros,
        });
        const charges = chargesOf(hour, (one) => splitCost(one, prices));
        assert.notEqual(charges[0]?.dimension, 'all');
        assert.equal(
          charges.reduce((total, charge) => total + (charge.costMicros ?? 0n), 0n),
          costMicros,
        );
        const exact = splitCost(hour, prices);
        for (const { dimension, costMicros: cost } of charges) {
          const difference = Number((cost ?? 0n) - (exact?.get(dimension) ?? 0n));
          assert.ok(Math.abs(difference) <= rows.length, `${dimension} differs by ${difference}`);
        }
      }),
    );
  });
});
