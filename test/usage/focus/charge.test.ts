// Tests how the usage of an hour is split into charges.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { assert as holds, bigInt, dictionary, property, string } from 'fast-check';

import { chargesOf, shares } from '../../../src/usage/focus/charge.ts';
import type { HourUsage } from '../../../src/usage/focus/charge.ts';
import { membersOf, tokenParts } from '../../../src/usage/counts.ts';

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
  requests: 4n,
  unpricedRequests: 0n,
  tierTokens: 250,
  promptTokens: 1_000n,
  completionTokens: 200n,
  parts: { ...unknownParts, cache_read_tokens: 400n, reasoning_tokens: 50n },
  toolCalls: {},
  units: {},
  costMicros: 3_000n,
  isCorrection: false,
  ...change,
});

const shown = (...[given, split]: Parameters<typeof chargesOf>) =>
  chargesOf(given, split).map(({ dimension, unit, quantity, costMicros }) => [
    dimension,
    unit,
    quantity,
    costMicros,
  ]);

describe('the usage of an hour', () => {
  it('has a charge for each dimension with a quantity, and the costs add up', () => {
    const split = new Map([
      ['input', 1_000n],
      ['cache_read', 100n],
      ['output', 1_500n],
      ['reasoning', 399n],
      ['per_request', 4n],
      ['tool_calls.web_search', 10n],
    ]);
    const charges = shown(usage({ toolCalls: { web_search: 2n } }), () => split);
    assert.deepEqual(
      charges.map(([dimension, unit, quantity]) => [dimension, unit, quantity]),
      [
        ['input', 'Tokens', 600n],
        ['cache_read', 'Tokens', 400n],
        ['output', 'Tokens', 150n],
        ['reasoning', 'Tokens', 50n],
        ['tool_calls.web_search', 'Calls', 2n],
        ['per_request', 'Requests', 4n],
      ],
    );
    const costs = charges.map(([, , , cost]) => (typeof cost === 'bigint' ? cost : 0n));
    assert.equal(
      costs.reduce((sum, cost) => sum + cost, 0n),
      3_000n,
    );
  });

  it('has one charge if the cost by dimension is unknown', () => {
    assert.deepEqual(
      shown(usage(), () => null),
      [['all', 'Tokens', 1_200n, 3_000n]],
    );
  });

  it('has one charge if some of its requests have no price', () => {
    const mixed = usage({ unpricedRequests: 1n });
    assert.deepEqual(
      shown(mixed, () => new Map([['input', 1n]])),
      [['all', 'Tokens', 1_200n, 3_000n]],
    );
  });

  it('has quantities without costs if nothing has a price', () => {
    const unpriced = usage({ costMicros: null, unpricedRequests: 4n });
    assert.deepEqual(
      shown(unpriced, () => null),
      [
        ['input', 'Tokens', 600n, null],
        ['cache_read', 'Tokens', 400n, null],
        ['output', 'Tokens', 150n, null],
        ['reasoning', 'Tokens', 50n, null],
      ],
    );
  });

  it('is charged by request if it has a cost but no tokens', () => {
    const image = usage({ promptTokens: 0n, completionTokens: 0n, parts: unknownParts });
    assert.deepEqual(
      shown(image, () => null),
      [['all', 'Requests', 4n, 3_000n]],
    );
  });

  it('is one charge if a dimension has a cost but no quantity', () => {
    assert.deepEqual(
      shown(usage(), () => new Map([['input_audio', 5n]])),
      [['all', 'Tokens', 1_200n, 3_000n]],
    );
  });
});

describe('shares of a cost', () => {
  it('add up to the cost exactly', () => {
    const amounts = dictionary(string(), bigInt({ min: 0n, max: 10n ** 15n }), { minKeys: 1 });
    holds(
      property(amounts, bigInt({ min: 0n, max: 10n ** 15n }), (given, cost) => {
        const map = new Map(Object.entries(given));
        const split = shares(cost, map);
        const total = [...map.values()].reduce((sum, amount) => sum + amount, 0n);
        if (total === 0n && cost > 0n) assert.equal(split, null);
        else
          assert.equal(
            [...(split?.values() ?? [])].reduce((sum, one) => sum + one, 0n),
            cost,
          );
      }),
    );
  });
});
