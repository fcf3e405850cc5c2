// Tests reading the prices of a model in an aggregator's list.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { readAggregatorEntry } from '../../../src/snapshot/prices/aggregator-entry.ts';

const base = { prompt: '0.000003', completion: '0.000015' };

function cardOf(pricing: object) {
  const { fallbacks: _, ...card } =
    readAggregatorEntry({ ...base, ...pricing }).price?.priceCard ?? {};
  return card;
}

describe("a model of an aggregator's list", () => {
  it('has the two base prices, and no card without other prices', () => {
    const zeros = { request: '0', image: '0', web_search: '0', internal_reasoning: '0' };
    assert.deepEqual(readAggregatorEntry({ ...base, ...zeros }), {
      price: { inputPricePerMtok: 3_000_000, outputPricePerMtok: 15_000_000, priceCard: null },
      unused: [],
      isNonsense: false,
    });
  });

  it('has a card of each other price', () => {
    const card = cardOf({
      input_cache_read: '0.0000003',
      input_cache_write: '0.00000375',
      input_cache_write_1h: '0.000006',
      audio: '0.00001',
      audio_output: '0.00004',
      image_token: '0.000002',
      internal_reasoning: '0.00002',
      request: '0.005',
      web_search: '0.014',
      image_output: '0.00012',
    });
    assert.deepEqual(card, {
      cache_read: 300_000,
      cache_write_5m: 3_750_000,
      cache_write_1h: 6_000_000,
      input_audio: 10_000_000,
      output_audio: 40_000_000,
      input_image: 2_000_000,
      reasoning: 20_000_000,
      per_request: 5_000,
      tool_calls: { web_search: 14_000 },
      output_image: 120_000_000,
    });
  });

  it('prices reasoning as output if it costs the same', () =>
    assert.deepEqual(cardOf({ internal_reasoning: base.completion }), {}));

  it('has prices above numbers of prompt tokens, which keep what they do not change', () => {
    const card = cardOf({
      input_cache_read: '0.0000003',
      overrides: [
        { min_prompt_tokens: 32_000, prompt: '0.000004', completion: '0.00002' },
        { min_prompt_tokens: 256_000, prompt: '0.000006', input_cache_read: '0.0000006' },
      ],
    });
    assert.deepEqual(card, {
      cache_read: 300_000,
      context_tiers: [
        { above_tokens: 32_000, input: 4_000_000, output: 20_000_000, cache_read: 300_000 },
        { above_tokens: 256_000, input: 6_000_000, output: 20_000_000, cache_read: 600_000 },
      ],
    });
  });

  it('has the price of a token of an image, not of an image', () => {
    assert.deepEqual(cardOf({ image: '0.000003' }), { input_image: 3_000_000 });
    const { price, unused } = readAggregatorEntry({ ...base, image: '0.0048' });
    assert.equal(price?.priceCard, null);
    const reason = 'answers of chats do not count the images of a request';
    assert.deepEqual(unused, [{ key: 'image', reason }]);
  });

  it('has the price of a generated image', () => {
    assert.deepEqual(cardOf({ image_output: '0.04' }), { per_output_image: 40_000 });
  });

  it('names the prices that it does not use', () => {
    const { unused } = readAggregatorEntry({
      ...base,
      discount: 0.5,
      smell: '0.1',
      overrides: [{ utc_start: 100, utc_end: 400, prompt: '0.000001' }],
    });
    assert.deepEqual(unused, [
      { key: 'discount', reason: 'discounts are not applied' },
      { key: 'smell', reason: null },
      {
        key: 'overrides',
        reason: 'hours of overrides are not read; the regular price is used',
      },
    ]);
  });

  it('has no price if one of them is nonsense', () => {
    for (const pricing of [{ prompt: '-1' }, { ...base, web_search: 'three' }]) {
      assert.equal(readAggregatorEntry(pricing).isNonsense, true);
      assert.equal(readAggregatorEntry(pricing).price, null);
    }
  });
});
