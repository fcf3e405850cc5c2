// Tests which price cards are accepted, and that an error names the field and its value.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { plainly, problemText } from '../../../src/lib/plain-issue.ts';
import { givenPriceCard, storedPriceCard } from '../../../src/usage/price-card.ts';

function problemOf(card: unknown): string {
  const read = givenPriceCard.safeParse(card, plainly);
  return read.success ? 'accepted' : problemText(read.error);
}

it('accepts a card with every member and keeps it as it is', () => {
  const card = {
    cache_read: 300_000,
    cache_write_5m: 3_750_000,
    cache_write_1h: 6_000_000,
    input_audio: 1,
    input_image: 1,
    output_audio: 1,
    reasoning: 0,
    per_request: 5_000,
    tool_calls: { web_search: 10_000 },
    service_tiers: {
      batch: { percent: 50 },
      flex: { input: 1, output: 2, context_tiers: [{ above_tokens: 1, input: 2 }] },
    },
    context_tiers: [
      { above_tokens: 128_000, input: 1, output: 2, cache_read: 3 },
      { above_tokens: 200_000, input: 2, output: 3 },
    ],
    currency: 'EUR',
    fallbacks: { input_image: 'input', cache_write_1h: 'cache_write_5m' },
    effective_from: '2027-01-01T00:00:00.000Z',
  };
  assert.deepEqual(givenPriceCard.parse(card), card);
  assert.deepEqual(storedPriceCard.parse(card), card);
  assert.deepEqual(givenPriceCard.parse({}), {});
});

it('ignores members of later releases in what is stored', () => {
  assert.deepEqual(storedPriceCard.parse({ cache_read: 1, input_video: 2 }), { cache_read: 1 });
});

const tier = (above_tokens: number) => ({ above_tokens, input: 1 });

describe('refuses', () => {
  const cases: readonly (readonly [string, unknown, string])[] = [
    ['an unknown price', { cache_raed: 1 }, 'has fields that are not known: cache_raed'],
    ['a negative price', { cache_read: -1 }, 'cache_read: must be at least 0, was -1'],
    ['a price of a fraction', { cache_read: 0.3 }, 'cache_read: must be a whole number, was 0.3'],
    [
      'a fallback to an unknown price',
      { fallbacks: { cache_read: 'inptu' } },
      'fallbacks.cache_read: must be one of "input", "output", "cache_read",',
    ],
    [
      'a fallback to a price that the card does not have',
      { fallbacks: { cache_write_1h: 'cache_write_5m' } },
      'fallbacks.cache_write_1h: must name a price of this card, input or output, ' +
        'was cache_write_5m',
    ],
    [
      'tiers that are not ascending',
      { context_tiers: [tier(200_000), tier(128_000)] },
      'context_tiers.1.above_tokens: must be more than 200000, that of the tier before, was 128000',
    ],
    [
      'a threshold twice, in a service tier',
      { service_tiers: { flex: { context_tiers: [tier(5), tier(5)] } } },
      'service_tiers.flex.context_tiers.1.above_tokens: must be more than 5, ' +
        'that of the tier before, was 5',
    ],
    [
      'a service tier with both a percentage and prices',
      { service_tiers: { flex: { percent: 50, input: 1 } } },
      'service_tiers.flex: must have either percent or prices of its own',
    ],
    [
      'a service tier without prices',
      { service_tiers: { flex: {} } },
      'service_tiers.flex: must have either percent or prices of its own',
    ],
    [
      'a currency that does not exist',
      { currency: 'UDS' },
      'currency: must be an ISO 4217 currency code, such as USD, was UDS',
    ],
    [
      'a time that is not RFC 3339',
      { effective_from: 'tomorrow' },
      'effective_from: must be an RFC 3339 time, such as 2026-11-21T09:30:00Z, was "tomorrow"',
    ],
    ['a name of a tool with a blank', { tool_calls: { 'web search': 1 } }, 'tool_calls.web search'],
    ['text in place of a card', 'expensive', 'must be an object'],
  ];
  for (const [name, card, problem] of cases) {
    it(name, () => {
      assert.equal(problemOf(card).slice(0, problem.length), problem);
    });
  }
});
