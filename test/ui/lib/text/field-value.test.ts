// Tests how field values are written: money, prices, times and sizes with their unit, and missing
// values in words.

import assert from 'node:assert/strict';
import { it } from 'node:test';

import { fieldValue } from '../../../../ui/lib/text/field-value.ts';

const cases: readonly (readonly [field: string, value: unknown, written: string])[] = [
  ['input_price_per_mtok', 150_000, '$0.15 per million tokens'],
  ['output_price_per_mtok', 0, '$0.00 per million tokens'],
  ['input_price_per_mtok', null, 'unpriced'],
  ['price_card.cache_read', 300_000, '$0.30'],
  [
    'price_card',
    { per_request: 5_000, currency: 'EUR', cache_read: 300_000 },
    'Cache reads: 0.30 EUR per million tokens\nEach request: 0.005 EUR\nCurrency: EUR',
  ],
  ['price_card.service_tiers.flex.percent', 50, '50 %'],
  ['price_card.context_tiers.0.above_tokens', 200_000, '200,000'],
  ['budget.cost_total_micros', 750_000_000, '$750.00'],
  ['budget.cost_total_micros', 1, '$0.000001'],
  ['budget.cost_total_micros', null, 'unlimited'],
  ['rules.12.max_request_cost_micros', 20_000, '$0.02'],
  ['rules.12.max_request_cost_micros', null, 'none'],
  ['tokens_total', 1_500, '1,500'],
  ['limits.requests_per_min', null, 'unlimited'],
  ['rules.12.min_prompt_tokens', 8_000, '8,000'],
  ['context_length', 131_072, '131,072'],
  ['cache_ttl_seconds', 0, '0 s'],
  ['cache_ttl_seconds', 90, '90 s'],
  ['cache_ttl_seconds', 3_600, '1 h'],
  ['backends.3.upstream_timeout_seconds', 90_000, '25 h'],
  ['duration_ms', 0, '0 ms'],
  ['duration_ms', 1_250, '1,250 ms'],
  ['duration_ms', 1.5, '1.5 ms'],
  ['duration_ms', 120_000, '2 min'],
  ['at_ms', 1_763_733_909_000, '2025-11-21 14:05:09 UTC'],
  ['expires_at', '2026-11-21T14:05:09.123Z', '2026-11-21 14:05:09 UTC'],
  ['expires_at', '2026-11-21T16:05:09+02:00', '2026-11-21 14:05:09 UTC'],
  ['expires_at', 'never', 'never'],
  ['cache_bytes', 268_435_456, '256 MiB'],
  ['cache_bytes', 1_000, '1,000 bytes'],
  ['min_budget_used_percent', 80, '80 %'],
  ['utc_offset_minutes', 330, 'UTC+05:30'],
  ['id', 1_500, '1500'],
  ['stream', true, 'true'],
  ['name', '750000000', '750000000'],
  ['input_price_per_mtok', undefined, 'none'],
  ['node', null, 'none'],
  ['credential (secret)', 'changed', 'changed'],
];

it('writes a value exactly and with its unit, and a missing value in words', () => {
  for (const [field, value, written] of cases) {
    assert.equal(fieldValue(field, value), written, `${field} ${String(value)}`);
  }
});

it('writes members of lists and objects by their own names', () => {
  const budget = { window: 'daily', cost_total_micros: 2_500_000, parts: [{ ttl_seconds: 60 }] };
  assert.deepEqual(JSON.parse(fieldValue('budget', budget)), {
    window: 'daily',
    cost_total_micros: '$2.50',
    parts: [{ ttl_seconds: '1 min' }],
  });
});
