// Tests the service tiers that entries of a price list in the format of LiteLLM get from modes, regions and hours.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { readCatalogueEntry } from '../../../src/snapshot/prices/catalogue-entry.ts';

const base = { input_cost_per_token: 3e-6, output_cost_per_token: 1.5e-5 };

function cardOf(entry: object) {
  const { fallbacks: _, ...card } =
    readCatalogueEntry({ ...base, ...entry }).price?.priceCard ?? {};
  return card;
}

describe('a card has the prices of', () => {
  for (const [what, entry, card] of [
    [
      'modes and regions that answers report',
      { provider_specific_entry: { us: 1.1, fast: 2, schema: 'titan_v2' } },
      {
        service_tiers: {
          fast: { percent: 200 },
          'fast.us': { percent: 220 },
          us: { percent: 110 },
        },
      },
    ],
    [
      'hours of each day',
      { off_peak_pricing: { hours_utc: '16:30-00:30', input_cost_per_token: 1e-6 } },
      {
        service_tiers: {
          off_peak: {
            input: 1_000_000,
            output: 15_000_000,
            hours: '1-7 00:00-00:30, 1-7 16:30-24:00',
          },
        },
      },
    ],
    [
      'hours of days in another time zone',
      {
        cache_read_input_token_cost: 3e-7,
        off_peak_pricing: {
          cache_read_input_token_cost: 1e-7,
          weekday_timezone: 'Asia/Shanghai',
          windows: [
            { hours_utc: ['00:00-01:00', '10:00-00:00'], weekdays: [1, 2, 3, 4, 5] },
            { hours_utc: '00:00-00:00', weekdays: [6, 7] },
          ],
        },
      },
      {
        cache_read: 300_000,
        service_tiers: {
          off_peak: {
            cache_read: 100_000,
            input: 3_000_000,
            output: 15_000_000,
            hours: '1-5 00:00-01:00, 1-5 10:00-24:00, 6-7 00:00-24:00',
          },
        },
      },
    ],
  ] as const) {
    it(what, () => assert.deepEqual(cardOf(entry), card));
  }
});
