// Tests the rules of costOf: what is billed at which price, what is missing, and exact sums.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import * as fc from 'fast-check';

import { tokenParts, totalsOnly } from '../../../src/usage/counts.ts';
import type { UsageCounts } from '../../../src/usage/counts.ts';
import { chargeMicros } from '../../../src/usage/cost.ts';
import { costOf } from '../../../src/usage/price.ts';
import type { Prices } from '../../../src/usage/price.ts';
import type { PriceSet } from '../../../src/usage/price-card.ts';
import { timedPrices } from '../../../src/usage/price-versions.ts';
import { above, card, half, plain, set } from './dollars.ts';

const cost = (counts: Partial<UsageCounts>, prices: Prices) =>
  costOf({ ...totalsOnly({ promptTokens: 0, completionTokens: 0 }), ...counts }, prices);

const cachedPrompt = { promptTokens: 1_000, cacheReadTokens: 400, completionTokens: 10 };

const searched = (size: string) => ({ serverToolCalls: { [`web_search_${size}`]: 2 } });

describe('a card is strict', () => {
  const strict = card({ input: 3, output: 15 });

  it('leaves a row unpriced and names the price that is missing', () => {
    assert.deepEqual(cost(cachedPrompt, strict), {
      micros: null,
      currency: 'USD',
      breakdown: {},
      missing: 'cache_read',
      isClamped: false,
    });
  });

  it('does not need a price for a count of zero or one that was not reported', () => {
    assert.equal(cost({ ...cachedPrompt, cacheReadTokens: 0 }, strict).micros, 3_150);
    assert.equal(cost({ ...cachedPrompt, cacheReadTokens: null }, strict).micros, 3_150);
  });

  it('uses the fallback that the card states', () => {
    const stated = card({ input: 3, output: 15 }, { fallbacks: { cache_read: 'input' } });
    const { micros, breakdown } = cost(cachedPrompt, stated);
    assert.equal(micros, 3_150);
    assert.deepEqual(breakdown, { cache_read: 1_200, input: 1_800, output: 150 });
  });

  it('leaves a row unpriced if a tool that was called has no price', () => {
    const called = { promptTokens: 1, serverToolCalls: { code_execution: 1 } };
    assert.equal(cost(called, strict).missing, 'tool_calls.code_execution');
    const uncalled = { promptTokens: 1_000, serverToolCalls: { code_execution: 0 } };
    assert.equal(cost(uncalled, strict).micros, 3_000);
  });

  const painter = card({ input: 5, output: 40 }, { per_output_image: 40_000 });

  it('pays for each generated image', () => {
    const { micros, breakdown } = cost({ units: { output_images: 3 } }, painter);
    assert.deepEqual([micros, breakdown], [120_000, { per_output_image: 120_000 }]);
  });

  it('pays for the tokens of an image instead, if they were counted', () => {
    const counted = { completionTokens: 1_056, outputImageTokens: 1_056 };
    const byToken = card({ input: 5, output: 40, output_image: 40 }, { per_output_image: 40_000 });
    assert.equal(cost({ ...counted, units: { output_images: 1 } }, byToken).micros, 42_240);
  });

  it('leaves a row unpriced if nothing pays for an image', () => {
    const image = { units: { output_images: 1 } };
    assert.equal(cost(image, strict).missing, 'per_output_image');
    assert.equal(cost(image, { ...strict, card: null }).missing, 'per_output_image');
    // The tokens of the answer pay for it.
    assert.equal(cost({ ...image, completionTokens: 100 }, strict).micros, 1_500);
  });

  it('pays for generated images by the pixel if it has no price of an image', () => {
    const square = { units: { output_images: 2, output_pixels: 2 * 1024 * 1024 } };
    const byPixel = card({ input: 0, output: 0 }, { output_pixels: 19_000 });
    const { micros, breakdown } = cost(square, byPixel);
    assert.deepEqual([micros, breakdown], [39_846, { output_pixels: 39_846 }]);
    assert.equal(cost({ units: { output_images: 2 } }, byPixel).missing, 'per_output_image');
    assert.equal(cost(square, painter).micros, 80_000);
    const both = card({ input: 0, output: 0 }, { output_pixels: 19_000, per_output_image: 40_000 });
    assert.deepEqual(cost(square, both).breakdown, { per_output_image: 80_000 });
  });

  it('pays for searches of one size at their price, or at that of all searches', () => {
    const bySize = card(
      { input: 1, output: 1 },
      { tool_calls: { web_search: 8_000, web_search_high: 12_000 } },
    );
    assert.equal(cost(searched('high'), bySize).micros, 24_000);
    assert.equal(cost(searched('low'), bySize).micros, 16_000);
    assert.equal(cost(searched('low'), strict).missing, 'tool_calls.web_search_low');
    assert.equal(cost(searched('huge'), bySize).missing, 'tool_calls.web_search_huge');
  });

  it('pays for seconds and characters by the million', () => {
    const speech = card({ input: 0, output: 0 }, { input_characters: 15_000_000 });
    assert.equal(cost({ units: { input_characters: 1_000 } }, speech).micros, 15_000);
    const heard = card({ input: 0, output: 0 }, { input_seconds: 30_830_000 });
    // 30.83 a second
    assert.equal(cost({ units: { input_seconds: 100 } }, heard).micros, 3_083);
  });

  it('leaves a row unpriced if its service tier has no price', () => {
    const fast = { promptTokens: 1_000, serviceTier: 'priority' };
    assert.equal(cost(fast, strict).missing, 'service_tiers.priority');
    assert.equal(cost({ ...fast, serviceTier: 'constructor' }, strict).micros, null);
  });

  it('does not take a price that a tier lacks from the base set', () => {
    const tiered = card(
      { input: 3, output: 15, cache_read: 0.3 },
      { context_tiers: [above(500, { input: 6, output: 22.5 })] },
    );
    assert.equal(cost(cachedPrompt, tiered).missing, 'cache_read');
    assert.equal(cost({ ...cachedPrompt, promptTokens: 500 }, tiered).micros, 570);
  });

  it('names the base price that is missing', () => {
    assert.equal(cost({ promptTokens: 1 }, card({ output: 15 })).missing, 'input');
  });

  it('prices an explicit usage of zero at zero', () => {
    assert.equal(cost({}, strict).micros, 0);
  });
});

describe('cache reads of audio, images and explicit caches', () => {
  const counts = {
    promptTokens: 1_000,
    cacheReadTokens: 600,
    units: { cache_read_audio_tokens: 200, cache_read_image_tokens: 100 },
  };
  const prices = { input: 10, output: 15, cache_read: 1 };

  it('have their own prices, and the others that of cache reads', () => {
    const { micros, breakdown } = cost(counts, card({ ...prices, cache_read_audio: 5 }));
    const expected = { cache_read_audio: 1_000, cache_read: 400, input: 4_000 };
    assert.deepEqual([micros, breakdown], [5_400, expected]);
  });

  it('have the price of cache reads if they have none', () => {
    assert.deepEqual(cost(counts, card(prices)).breakdown, { cache_read: 600, input: 4_000 });
    const fallback = card({ input: 10, output: 15 }, { fallbacks: { cache_read: 'input' } });
    assert.equal(cost(counts, fallback).micros, 10_000);
    assert.equal(cost(counts, card({ input: 10, output: 15 })).missing, 'cache_read');
  });

  it('have the prices of the tier that applies', () => {
    const flex = { input: 5, cache_read: 0.5, cache_read_audio: 2 };
    const tiered = card(
      { ...prices, cache_read_audio: 5 },
      { service_tiers: { flex: set(flex), half } },
    );
    assert.equal(cost({ ...counts, serviceTier: 'flex' }, tiered).micros, 2_600);
    assert.equal(cost({ ...counts, serviceTier: 'half' }, tiered).micros, 2_700);
  });

  it('are never more than all cache reads', () => {
    const all = card({ ...prices, cache_read_audio: 5, cache_read_image: 7 });
    const some = { ...counts, cacheReadTokens: 250 };
    const expected = { cache_read_audio: 1_000, cache_read_image: 350, input: 7_500 };
    assert.deepEqual(cost(some, all).breakdown, expected);
    assert.equal(cost({ ...counts, cacheReadTokens: null }, all).micros, 10_000);
  });
});

describe('the hours of a service tier', () => {
  const night = '1-5 16:30-24:00, 6-7 00:00-24:00';
  const prices = card(
    { input: 2, output: 4 },
    { service_tiers: { off_peak: { ...set({ input: 1, output: 2 }), hours: night }, flex: half } },
  );
  const at = (time: string, counts: Partial<UsageCounts> = {}) =>
    cost({ promptTokens: 1_000, ...counts }, timedPrices(prices, Date.parse(time))).micros;

  it('give its prices to requests of the standard tier', () => {
    // Monday to Sunday.
    assert.equal(at('2026-11-23T16:29:59Z'), 2_000);
    assert.equal(at('2026-11-23T16:30:00Z'), 1_000);
    assert.equal(at('2026-11-27T23:59:59Z'), 1_000);
    assert.equal(at('2026-11-28T12:00:00Z', { serviceTier: 'default' }), 1_000);
    assert.equal(at('2026-11-29T23:59:59Z'), 1_000);
    assert.equal(at('2026-11-30T00:00:00Z'), 2_000);
    assert.equal(at('1969-12-31T12:00:00Z'), 2_000);
  });

  it('do not change the price of other tiers, or of its own outside of them', () => {
    assert.equal(at('2026-11-28T12:00:00Z', { serviceTier: 'flex' }), 1_000);
    assert.equal(at('2026-11-23T12:00:00Z', { serviceTier: 'flex' }), 1_000);
    assert.equal(at('2026-11-23T12:00:00Z', { serviceTier: 'off_peak' }), 1_000);
  });

  it('are those that an earlier time does not have', () => {
    const later = timedPrices(prices, Date.parse('2026-11-28T12:00:00Z'));
    const earlier = timedPrices(later, Date.parse('2026-11-23T12:00:00Z'));
    assert.equal(cost({ promptTokens: 1_000 }, earlier).micros, 2_000);
  });
});

describe('context tiers', () => {
  const tiered = card(
    { input: 3, output: 15, cache_read: 0.3, cache_write_5m: 3.75, cache_write_1h: 6 },
    {
      context_tiers: [
        above(200_000, {
          input: 6,
          output: 22.5,
          cache_read: 0.6,
          cache_write_5m: 7.5,
          cache_write_1h: 12,
        }),
      ],
    },
  );

  it('apply if the base price of a side is not set', () => {
    const only = card({}, { context_tiers: [above(100, { input: 6, output: 22.5 })] });
    assert.equal(cost({ promptTokens: 1_000 }, only).micros, 6_000);
    assert.equal(cost({ promptTokens: 100 }, only).missing, 'input');
  });

  it('price cache writes above the threshold at the price of the tier', () => {
    const wrote = { promptTokens: 300_000, cacheWrite5mTokens: 300_000 };
    assert.equal(cost(wrote, tiered).micros, 2_250_000);
    const longer = { promptTokens: 300_000, cacheWrite1hTokens: 300_000 };
    assert.equal(cost(longer, tiered).micros, 3_600_000);
  });

  it('compare with all prompt tokens, cached or not', () => {
    const cached = { promptTokens: 250_000, cacheReadTokens: 249_000 };
    assert.deepEqual(cost(cached, tiered).breakdown, { cache_read: 149_400, input: 6_000 });
  });

  it('of a service tier apply instead of those of the card', () => {
    const flex = { input: 1_500_000, context_tiers: [above(1_000, { input: 2 })] };
    const { card: own, ...base } = tiered;
    const prices = { ...base, card: { ...own, service_tiers: { flex } } };
    const used = (promptTokens: number) => cost({ promptTokens, serviceTier: 'flex' }, prices);
    assert.equal(used(1_000).micros, 1_500);
    assert.equal(used(2_000).micros, 4_000);
    assert.equal(used(300_000).micros, 600_000);
  });
});

describe('parts of a total', () => {
  it('that are more than the total are billed in full, and the result says so', () => {
    const prices = card({ input: 3, output: 15, cache_read: 0.3 });
    const { micros, isClamped } = cost({ promptTokens: 10, cacheReadTokens: 1_000 }, prices);
    assert.deepEqual([micros, isClamped], [300, true]);
  });

  it('have no prices without a card', () => {
    assert.deepEqual(cost(cachedPrompt, plain(3, 15)).breakdown, { input: 3_000, output: 150 });
  });

  it('bill reasoning at its own price if it has one', () => {
    const thought = { promptTokens: 0, completionTokens: 1_000, reasoningTokens: 600 };
    const { breakdown } = cost(thought, card({ input: 1, output: 2, reasoning: 5 }));
    assert.deepEqual(breakdown, { reasoning: 3_000, output: 800 });
  });
});

it('is unpriced without any price', () => {
  const none = { input: null, output: null, card: null };
  assert.equal(cost({}, none).micros, null);
  assert.equal(cost({ promptTokens: 5 }, none).missing, 'input');
});

it('says the currency of the card', () => {
  const euro = card({ input: 3, output: 15 }, { currency: 'EUR' });
  assert.deepEqual([cost({}, euro).currency, cost({}, plain(1)).currency], ['EUR', 'USD']);
});

it('is null for an amount that is not representable', () => {
  const dear = { input: Number.MAX_SAFE_INTEGER, output: null, card: null };
  const { micros, missing, breakdown } = cost({ promptTokens: 1_000_001 }, dear);
  assert.deepEqual([micros, missing, breakdown], [null, null, {}]);
});

const tokens = fc.nat({ max: 1_000_000 });
const price = fc.nat({ max: 100_000_000 });
const parts = tokenParts.map(({ kind }) => kind);
const fullSet: fc.Arbitrary<PriceSet> = fc
  .array(price, { minLength: parts.length + 2, maxLength: parts.length + 2 })
  .map((prices) =>
    Object.fromEntries(['input', 'output', ...parts].map((name, at) => [name, prices[at]])),
  );

const pricesOf = ({ input = 0, output = 0, ...set }: PriceSet, more: Prices['card']): Prices => ({
  input,
  output,
  card: { ...set, ...more },
});

const anyCounts: fc.Arbitrary<UsageCounts> = fc
  .tuple(
    tokens,
    tokens,
    fc.array(tokens, { minLength: parts.length, maxLength: parts.length }),
    fc.constantFrom(null, 'flex'),
  )
  .map(([promptTokens, completionTokens, own, serviceTier]) =>
    Object.assign(
      totalsOnly({ promptTokens, completionTokens }),
      Object.fromEntries(tokenParts.map(({ key }, at) => [key, own[at] ?? null])),
      {
        serverToolCalls: { web_search: own[0] ?? 0 },
        units: { output_images: own[1] ?? 0, input_characters: own[2] ?? 0 },
        serviceTier,
      },
    ),
  );

const more = {
  per_request: 7,
  per_output_image: 5,
  input_characters: 11,
  tool_calls: { web_search: 3 },
};

it('sums the prices that were used to the cost', () => {
  fc.assert(
    fc.property(anyCounts, fullSet, fc.nat({ max: 300 }), (counts, set, percent) => {
      const service_tiers = { flex: { percent } };
      const { micros, breakdown } = costOf(counts, pricesOf(set, { ...more, service_tiers }));
      const sum = Object.values(breakdown).reduce((left, right) => left + right, 0);
      assert.equal(sum, micros);
      assert.ok(Object.values(breakdown).every((amount) => amount >= 0));
    }),
  );
});

it('never costs less for more tokens of a part', () => {
  fc.assert(
    fc.property(
      anyCounts,
      fullSet,
      fc.constantFrom(...tokenParts),
      tokens,
      (counts, set, part, added) => {
        const total = part.side === 'input' ? 'promptTokens' : 'completionTokens';
        const prices = pricesOf(set, { ...more, service_tiers: { flex: { percent: 50 } } });
        const larger = {
          ...counts,
          units: null,
          [part.key]: (counts[part.key] ?? 0) + added,
          [total]: counts[total] + added,
        };
        const fewer = { ...counts, units: null };
        const [less, greater] = [costOf(fewer, prices).micros, costOf(larger, prices).micros];
        assert.ok(less !== null && greater !== null && greater >= less);
      },
    ),
  );
});

it('charges the percentage of a service tier, rounded once', () => {
  fc.assert(
    fc.property(anyCounts, fullSet, fc.nat({ max: 300 }), (counts, set, percent) => {
      const prices = pricesOf(set, { service_tiers: { flex: { percent } } });
      const tokensOnly = { ...counts, serverToolCalls: null, units: null };
      const whole = costOf({ ...tokensOnly, serviceTier: null }, prices).micros ?? Number.NaN;
      const share = costOf({ ...tokensOnly, serviceTier: 'flex' }, prices).micros ?? Number.NaN;
      const error = Math.abs(share * 100 - whole * percent);
      // Half a micro-unit of the share, and the percentage of half a micro-unit of the whole.
      assert.ok(error <= 50 + percent / 2, `${share} is not ${percent} % of ${whole}`);
    }),
  );
});

it('is the sum of exact products, rounded once', () => {
  fc.assert(
    fc.property(tokens, tokens, price, price, (prompt, completion, input, output) => {
      const counts = totalsOnly({ promptTokens: prompt, completionTokens: completion });
      const exact = BigInt(prompt) * BigInt(input) + BigInt(completion) * BigInt(output);
      const rounded = Number((exact + 500_000n) / 1_000_000n);
      assert.equal(costOf(counts, { input, output, card: null }).micros, rounded);
      assert.equal(costOf(counts, { input, output, card: {} }).micros, rounded);
    }),
  );
});

describe('the charge to a budget', () => {
  it('is the exact cost for a model without a card, whatever the size of the counts', () => {
    const count = fc.oneof(fc.nat(1_000_000), fc.maxSafeNat());
    const price = fc.option(fc.oneof(fc.nat(100_000_000), fc.nat(1000)));
    fc.assert(
      fc.property(count, count, price, price, (promptTokens, completionTokens, input, output) => {
        const counts = totalsOnly({ promptTokens, completionTokens });
        const prices = { input, output, card: null };
        assert.equal(chargeMicros(counts, prices), costOf(counts, prices).micros);
      }),
      { numRuns: 2000 },
    );
  });
});
