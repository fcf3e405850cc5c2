// Tests that a price sync is shown with each price that changes.

import assert from 'node:assert/strict';
import { it } from 'node:test';

import { priceDifference } from '../../../../ui/lib/providers/price-difference.ts';

it('a price sync shows the base prices and each change of a card in words', () => {
  const change = {
    model_id: 1,
    model: 'm',
    upstream_model: 'u',
    source: 'catalogue',
    found_as: 'u',
    old_input_price_per_mtok: null,
    old_output_price_per_mtok: null,
    input_price_per_mtok: 3_000_000,
    output_price_per_mtok: 15_000_000,
    card_changes: [
      { field: 'cache_read', per: 'million_tokens', old: null, new: 300_000 },
      { field: 'per_request', per: 'request', old: 5_000, new: null },
      { field: 'service_tiers.flex.percent', per: 'percent', old: null, new: 50 },
      { field: 'fallbacks', per: null, old: null, new: 'input_audio as input' },
    ],
    unused_keys: [],
  } as const;
  assert.deepEqual(priceDifference([change]), {
    before: {
      m: {
        input_price_per_mtok: null,
        output_price_per_mtok: null,
        'price_card.cache_read': null,
        'price_card.per_request': '$0.005 per request',
        'price_card.service_tiers.flex.percent': null,
        'price_card.fallbacks': null,
      },
    },
    after: {
      m: {
        input_price_per_mtok: 3_000_000,
        output_price_per_mtok: 15_000_000,
        'price_card.cache_read': '$0.30 per million tokens',
        'price_card.per_request': null,
        'price_card.service_tiers.flex.percent': '50 %',
        'price_card.fallbacks': 'input_audio as input',
      },
    },
  });
});
