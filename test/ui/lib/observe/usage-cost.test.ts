// Tests how the usage screen shows counts and costs: what is unknown is not 0, and currencies are never added.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { membersOf, tokenParts } from '../../../../src/usage/counts.ts';
import {
  amountText,
  cachedShareOf,
  comparedCost,
  costLines,
  formatPart,
  isCorrected,
  notReported,
  otherCurrencies,
  savings,
} from '../../../../ui/lib/observe/usage-cost.ts';

const row = {
  ...membersOf(
    tokenParts.map(({ name }) => name),
    null,
  ),
  prompt_tokens: 1_000,
  completion_tokens: 500,
  server_tool_calls: null,
  units: null,
  usage_reported: true,
  cost_micros: null,
  currency: 'USD',
  breakdown: null,
};

type Row = Parameters<typeof costLines>[0];

const lines = (change: Partial<Row>) =>
  costLines({ ...row, ...change }).map(({ label, count, cost }) => [label, count, cost]);

describe('the counts and costs of a request', () => {
  it('list each count with its price, and the rest at the base price', () => {
    const breakdown = { cache_read: 120, input: 1_800, output: 7_500, 'tool_calls.web_search': 9 };
    assert.deepEqual(
      lines({ cache_read_tokens: 400, server_tool_calls: { web_search: 2 }, breakdown }),
      [
        ['Prompt at the base price', 600, 1_800],
        ['Cache reads', 400, 120],
        ['Completion at the base price', 500, 7_500],
        ['Calls of web_search', 2, 9],
      ],
    );
  });

  it('divide cache reads if some of them have a price of their own', () => {
    const counts = { cache_read_tokens: 400, units: { cache_read_audio_tokens: 300 } };
    const breakdown = { cache_read_audio: 90, cache_read: 10, input: 1_800, output: 7_500 };
    assert.deepEqual(lines({ ...counts, breakdown }), [
      ['Prompt at the base price', 600, 1_800],
      ['Other cache reads', 100, 10],
      ['Cache reads of audio', 300, 90],
      ['Completion at the base price', 500, 7_500],
    ]);
    const { cache_read: _, ...audio } = breakdown;
    assert.deepEqual(lines({ ...counts, cache_read_tokens: 300, breakdown: audio }).slice(1, 2), [
      ['Cache reads of audio', 300, 90],
    ]);
    const undivided = { cache_read: 100, input: 1_800, output: 7_500 };
    assert.deepEqual(lines({ ...counts, breakdown: undivided }).slice(1, 2), [
      ['Cache reads', 400, 100],
    ]);
  });

  it('say which counts are part of the base price', () => {
    assert.deepEqual(lines({ reasoning_tokens: 300, breakdown: { input: 3, output: 7 } }), [
      ['Prompt at the base price', 1_000, 3],
      ['Completion at the base price', 500, 7],
      ['Reasoning', 300, 'base'],
    ]);
  });

  it('have unknown costs if the request is unpriced', () => {
    assert.deepEqual(lines({ cache_read_tokens: 0 }), [
      ['Prompt', 1_000, null],
      ['Cache reads', 0, null],
      ['Completion', 500, null],
    ]);
  });

  it('have no cost for a count if the provider reported the whole cost', () => {
    assert.deepEqual(lines({ breakdown: { reported: 12 } }), [
      ['Prompt', 1_000, null],
      ['Completion', 500, null],
      ['Cost reported by the provider', null, 12],
    ]);
  });

  it('have the corrected cost next to the booked one', () => {
    const corrected = { cost_micros: 5, currency: 'USD', breakdown: { input: 2, output: 3 } };
    const found = costLines({ ...row, breakdown: { input: 20, output: 3 }, corrected });
    assert.deepEqual(
      found.map((one) => [one.cost, one.corrected]),
      [
        [20, 2],
        [3, 3],
      ],
    );
  });
});

it('names the counts that were not reported', () => {
  const known = notReported({ ...row, cache_read_tokens: 0 });
  assert.equal(known.includes('Cache reads'), false);
  assert.equal(known.length, tokenParts.length - 1);
  assert.deepEqual([formatPart(null), formatPart(0)], ['not reported', '0']);
});

it('shows amounts with their currency, and unknown ones as such', () => {
  assert.equal(amountText(29_700, 'USD'), '$0.0297');
  assert.equal(amountText(29_700, 'EUR'), '0.0297 EUR');
  assert.equal(amountText(null, null), 'unknown');
  assert.equal(amountText('base', null), 'at the base price');
});

it('the cached share is unknown if it was not reported, or without prompts', () => {
  assert.equal(cachedShareOf({ prompt_tokens: 400, cache_read_tokens: 100 }), 0.25);
  assert.equal(cachedShareOf({ prompt_tokens: 400, cache_read_tokens: 0 }), 0);
  assert.equal(cachedShareOf({ prompt_tokens: 400, cache_read_tokens: null }), null);
  assert.equal(cachedShareOf({ prompt_tokens: 0, cache_read_tokens: 0 }), null);
});

const cost = (currency: string, micros: number | null) => ({
  currency,
  cost_micros: micros,
  corrected_cost_micros: micros,
});

it('lists other currencies apart from the spend in dollars', () => {
  const costs = [cost('USD', 5), cost('EUR', 1_500_000), cost('JPY', 2_000_000), cost('CHF', null)];
  assert.equal(otherCurrencies({ costs }), '1.50 EUR, 2.00 JPY');
  assert.equal(otherCurrencies({ costs: [] }), '');
});

it('spend is corrected only if the amounts differ', () => {
  assert.equal(isCorrected({ cost_micros: 5, corrected_cost_micros: 5 }), false);
  assert.equal(isCorrected({ cost_micros: null, corrected_cost_micros: null }), false);
  assert.equal(isCorrected({ cost_micros: null, corrected_cost_micros: 5 }), true);
});

const compared = (now: number, cost: number, currency = 'USD') => ({
  currency,
  corrected_cost_micros: now,
  what_if_cost_micros: cost,
});

it('compares costs by currency', () => {
  assert.equal(comparedCost(compared(3_000_000, 2_000_000)), '$2.00 instead of $3.00 (−$1.00)');
  assert.equal(comparedCost(compared(2, 2)), '$0.000002, the same as now');
  const both = [compared(1_000_000, 3_000_000), compared(0, 500_000, 'EUR')];
  assert.equal(savings(both), '$2.00, 0.50 EUR');
});
