// Tests that the differences of two price cards are listed field by field.

import assert from 'node:assert/strict';
import { it } from 'node:test';

import { cardDifferences } from '../../../src/snapshot/prices/card-differences.ts';

const before = {
  cache_read: 1,
  reasoning: 5,
  per_request: 7,
  service_tiers: { flex: { percent: 50 } },
  context_tiers: [{ above_tokens: 200_000, input: 2 }],
};
const after = {
  cache_read: 2,
  per_request: 7,
  tool_calls: { web_search: 10 },
  service_tiers: { flex: { input: 3, context_tiers: [{ above_tokens: 200_000 }] } },
  context_tiers: [{ above_tokens: 200_000, input: 4 }],
  fallbacks: { cache_write_5m: 'input', output_audio: 'output' },
} as const;

it('differences of price cards name the field, its unit, and both values', () => {
  assert.deepEqual(cardDifferences(before, after), [
    { field: 'cache_read', per: 'million_tokens', old: 1, new: 2 },
    { field: 'tool_calls.web_search', per: 'call', old: null, new: 10 },
    { field: 'service_tiers.flex.input', per: 'million_tokens', old: null, new: 3 },
    { field: 'service_tiers.flex.above_200000', per: null, old: null, new: 'unpriced' },
    { field: 'above_200000.input', per: 'million_tokens', old: 2, new: 4 },
    {
      field: 'fallbacks',
      per: null,
      old: null,
      new: 'cache_write_5m as input, output_audio as output',
    },
    { field: 'reasoning', per: 'million_tokens', old: 5, new: null },
    { field: 'service_tiers.flex.percent', per: 'percent', old: 50, new: null },
  ]);
});

it('equal price cards have no differences', () => {
  assert.deepEqual(cardDifferences(before, structuredClone(before)), []);
  assert.deepEqual(cardDifferences(null, null), []);
});
