// Tests reading the prices of an entry in the format of LiteLLM: each form of a key, its tiers, and
// the keys that gw cannot use.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { totalsOnly } from '../../../src/usage/counts.ts';
import { costOf } from '../../../src/usage/price.ts';
import { readCatalogueEntry } from '../../../src/snapshot/prices/catalogue-entry.ts';
import { priceKeyOf } from '../../../src/snapshot/prices/catalogue-keys.ts';

const base = { input_cost_per_token: 3e-6, output_cost_per_token: 1.5e-5 };

function cardOf(entry: object) {
  const { fallbacks: _, ...card } =
    readCatalogueEntry({ ...base, ...entry }).price?.priceCard ?? {};
  return card;
}

describe('an entry of a price catalogue', () => {
  it('has the two base prices, and no card without other prices', () => {
    assert.deepEqual(readCatalogueEntry(base), {
      price: { inputPricePerMtok: 3_000_000, outputPricePerMtok: 15_000_000, priceCard: null },
      unused: [],
      isNonsense: false,
    });
  });

  for (const [what, entry, card] of [
    ['cache reads', { cache_read_input_token_cost: 3e-7 }, { cache_read: 300_000 }],
    [
      'cache reads at half of the input price, for Fireworks',
      { litellm_provider: 'fireworks_ai' },
      { cache_read: 1_500_000 },
    ],
    [
      'cache writes of 5 minutes and of 1 hour',
      {
        cache_creation_input_token_cost: 3.75e-6,
        cache_creation_input_token_cost_above_1hr: '6e-06',
      },
      { cache_write_5m: 3_750_000, cache_write_1h: 6_000_000 },
    ],
    [
      'audio and images',
      {
        input_cost_per_audio_token: 1e-5,
        input_cost_per_image_token: 2e-5,
        output_cost_per_audio_token: 4e-5,
        output_cost_per_image_token: 8e-5,
      },
      {
        input_audio: 10_000_000,
        input_image: 20_000_000,
        output_audio: 40_000_000,
        output_image: 80_000_000,
      },
    ],
    ['reasoning', { output_cost_per_reasoning_token: 4e-6 }, { reasoning: 4_000_000 }],
    [
      'cache reads of audio, images and explicit caches',
      {
        cache_read_input_token_cost: 1e-7,
        cache_read_input_audio_token_cost: 3e-7,
        cache_read_input_audio_token_cost_flex: 2e-7,
        cache_read_input_image_token_cost: 4e-7,
        explicit_cache_read_input_token_cost: 5e-8,
      },
      {
        cache_read: 100_000,
        cache_read_audio: 300_000,
        cache_read_image: 400_000,
        cache_read_explicit: 50_000,
        service_tiers: { flex: { cache_read_audio: 200_000 } },
      },
    ],
    [
      'pixels',
      { mode: 'image_generation', input_cost_per_pixel: 1.9e-8 },
      { output_pixels: 19_000 },
    ],
    ['a request', { input_cost_per_request: 0.005 }, { per_request: 5_000 }],
    [
      'a cache write of OpenAI, which is kept for 30 minutes or 12 hours',
      {
        cache_creation_input_token_cost: 5e-6,
        cache_creation_input_token_cost_above_12hr: 1e-5,
        cache_creation_input_token_cost_above_12hr_above_272k_tokens: 2e-5,
        cache_creation_input_token_cost_above_12hr_flex: 5e-6,
      },
      {
        cache_write_5m: 5_000_000,
        cache_write_1h: 10_000_000,
        context_tiers: [{ above_tokens: 272_000, cache_write_1h: 20_000_000 }],
        service_tiers: {
          flex: { cache_write_1h: 5_000_000, context_tiers: [{ above_tokens: 272_000 }] },
        },
      },
    ],
    ['a generated image', { output_cost_per_image: 0.039 }, { per_output_image: 39_000 }],
    [
      'a generated image under its older name',
      { mode: 'image_generation', input_cost_per_image: 0.04 },
      { per_output_image: 40_000 },
    ],
    [
      'an edited image, and the image that is edited',
      { mode: 'image_edit', input_cost_per_image: 0.0011, output_cost_per_image: 0.134 },
      { per_input_image: 1_100, per_output_image: 134_000 },
    ],
    [
      'an image that is embedded',
      { mode: 'embedding', input_cost_per_image: 0.0001 },
      { per_input_image: 100 },
    ],
    [
      'a second of a transcription, whose text costs nothing',
      { mode: 'audio_transcription', input_cost_per_second: 0.0001, output_cost_per_second: 0 },
      { input_seconds: 100_000_000 },
    ],
    [
      'a second of audio that is embedded',
      { mode: 'embedding', input_cost_per_audio_per_second: 0.00014 },
      { input_seconds: 140_000_000 },
    ],
    [
      'a character that is spoken',
      { mode: 'audio_speech', input_cost_per_character: 0.000015 },
      { input_characters: 15_000_000 },
    ],
    ['a query of a reranker', { input_cost_per_query: 0.002 }, { per_request: 2_000 }],
    [
      'searches by the size of their context',
      {
        search_context_cost_per_query: {
          search_context_size_low: 0.005,
          search_context_size_medium: 0.008,
          search_context_size_high: 0.012,
        },
      },
      { tool_calls: { web_search: 8_000, web_search_low: 5_000, web_search_high: 12_000 } },
    ],
    [
      'calls of tools',
      {
        google_maps_grounding_cost_per_query: 0.025,
        file_search_cost_per_1k_calls: 2.5,
        code_interpreter_cost_per_session: 0.03,
      },
      { tool_calls: { google_maps: 25_000, file_search: 2_500, code_interpreter: 30_000 } },
    ],
    [
      'service tiers',
      {
        input_cost_per_token_batches: 1.5e-6,
        output_cost_per_token_flex: 7e-6,
        cache_read_input_token_cost_priority: 6e-7,
        input_cost_per_audio_token_balanced: 1e-6,
        output_cost_per_token_ultrafast: 3e-5,
      },
      {
        service_tiers: {
          balanced: { input_audio: 1_000_000 },
          batch: { input: 1_500_000 },
          flex: { output: 7_000_000 },
          priority: { cache_read: 600_000 },
          ultrafast: { output: 30_000_000 },
        },
      },
    ],
    [
      'prompts above a number of tokens',
      {
        output_cost_per_token_above_200k_tokens: 2.25e-5,
        input_cost_per_token_above_200k_tokens: 6e-6,
        cache_creation_input_token_cost_above_1hr_above_200k_tokens: 1.2e-5,
        input_cost_per_token_above_512_tokens: 4e-6,
      },
      {
        context_tiers: [
          { above_tokens: 512, input: 4_000_000 },
          {
            above_tokens: 200_000,
            cache_write_1h: 12_000_000,
            input: 6_000_000,
            output: 22_500_000,
          },
        ],
      },
    ],
    [
      'a threshold that includes its number, for xAI',
      { litellm_provider: 'xai', input_cost_per_token_above_128k_tokens: 6e-6 },
      { context_tiers: [{ above_tokens: 127_999, input: 6_000_000 }] },
    ],
    [
      'tiers of prompts within service tiers, in both orders of the key',
      {
        input_cost_per_token_priority: 6e-6,
        input_cost_per_token_above_272k_tokens_priority: 12e-6,
        output_cost_per_token_priority_above_272k_tokens: 45e-6,
      },
      {
        service_tiers: {
          priority: {
            input: 6_000_000,
            context_tiers: [{ above_tokens: 272_000, input: 12_000_000, output: 45_000_000 }],
          },
        },
      },
    ],
    [
      'an unknown price of a service tier above a number of tokens',
      { input_cost_per_token_above_200k_tokens: 6e-6, input_cost_per_token_batches: 1.5e-6 },
      {
        context_tiers: [{ above_tokens: 200_000, input: 6_000_000 }],
        service_tiers: { batch: { input: 1_500_000, context_tiers: [{ above_tokens: 200_000 }] } },
      },
    ],
    [
      'ranges of prompts',
      {
        tiered_pricing: [
          { range: [0, 32_000], input_cost_per_token: 1e-6, cache_read_input_token_cost: 1e-7 },
          { range: [32_000, 128_000], input_cost_per_token: 2e-6, output_cost_per_token: 4e-6 },
        ],
      },
      {
        cache_read: 100_000,
        context_tiers: [{ above_tokens: 32_000, input: 2_000_000, output: 4_000_000 }],
      },
    ],
  ] as const) {
    it(`has the price of ${what}`, () => assert.deepEqual(cardOf(entry), card));
  }

  it('takes the first range of prompts as base price', () => {
    const tiers = [{ range: [0, 32_000], input_cost_per_token: 1e-6, output_cost_per_token: 2e-6 }];
    const { price } = readCatalogueEntry({ tiered_pricing: tiers });
    assert.deepEqual([price?.inputPricePerMtok, price?.outputPricePerMtok], [1_000_000, 2_000_000]);
  });

  it('names the price that applies to parts without their own', () => {
    const { price } = readCatalogueEntry({ ...base, cache_creation_input_token_cost: 4e-6 });
    assert.deepEqual(price?.priceCard?.fallbacks, {
      cache_read: 'input',
      cache_write_1h: 'cache_write_5m',
      input_audio: 'input',
      input_image: 'input',
      output_audio: 'output',
      output_image: 'output',
    });
  });

  it('prices all output as images if it has no other price of output', () => {
    const entry = { input_cost_per_token: 5e-6, output_cost_per_image_token: 3e-5 };
    assert.equal(readCatalogueEntry(entry).price?.outputPricePerMtok, 30_000_000);
  });

  it('bills no tokens if it has only a price of another unit', () => {
    for (const entry of [
      { mode: 'image_generation', output_cost_per_image: 0.04 },
      { mode: 'audio_transcription', input_cost_per_second: 0.0001 },
      { mode: 'audio_speech', input_cost_per_character: 0.000015 },
    ]) {
      const { price } = readCatalogueEntry(entry);
      assert.deepEqual([price?.inputPricePerMtok, price?.outputPricePerMtok], [0, 0], entry.mode);
    }
    const { price } = readCatalogueEntry({ input_cost_per_request: 0.005 });
    assert.deepEqual([price?.inputPricePerMtok, price?.outputPricePerMtok], [null, null]);
  });

  it('has the price of a song for each request', () => {
    for (const mode of ['chat', 'audio_speech']) {
      const entry = { mode, output_cost_per_token: 0, output_cost_per_image: 0.08 };
      const { price, unused } = readCatalogueEntry(entry);
      assert.equal(price?.priceCard?.per_request, 80_000);
      assert.deepEqual(unused, []);
    }
  });

  it('has no price if one of them is nonsense', () => {
    for (const nonsense of [-1e-6, 'NaN', 1e30, [1], true]) {
      const entry = { ...base, cache_read_input_token_cost_batches: nonsense };
      const { price, isNonsense } = readCatalogueEntry(entry);
      assert.deepEqual([price, isNonsense], [null, true], JSON.stringify(nonsense));
    }
  });

  it('prices a prompt that was mostly read from the cache', () => {
    const { price } = readCatalogueEntry({ ...base, cache_read_input_token_cost: 3e-7 });
    assert.ok(price !== null);
    const { inputPricePerMtok: input, outputPricePerMtok: output, priceCard: card } = price;
    const totals = totalsOnly({ promptTokens: 100_000, completionTokens: 100 });
    const counts = { ...totals, cacheReadTokens: 99_000, inputImageTokens: 500 };
    assert.equal(costOf(counts, { input, output, card }).micros, 34_200);
  });

  it('says why it does not use a price, unless that is 0 or a note', () => {
    const { unused } = readCatalogueEntry({
      ...base,
      input_cost_per_second: 0.0001,
      output_cost_per_image: 0,
      off_peak_pricing: { hours_utc: 'at night' },
      output_cost_per_smell: 0.1,
      cost_notes: 'prose',
      tiered_pricing: [{ max_results_range: [0, 25], input_cost_per_query: 0.005 }],
    });
    assert.deepEqual(unused, [
      { key: 'input_cost_per_second', reason: 'reserved capacity does not belong to a request' },
      { key: 'output_cost_per_smell', reason: null },
      { key: 'tiered_pricing', reason: 'usage rows do not count the results of a search' },
      { key: 'off_peak_pricing', reason: null },
    ]);
  });
});

it('an entry of an endpoint that gw does not relay says so', () => {
  for (const mode of ['video_generation', 'realtime', 'ocr', 'search']) {
    const entry = {
      mode,
      output_cost_per_second: 0.1,
      ocr_cost_per_page: 1,
      output_cost_per_image: 1,
    };
    const { price, unused } = readCatalogueEntry(entry);
    const reason = 'gw does not relay the endpoints of these models';
    const keys = ['output_cost_per_second', 'ocr_cost_per_page', 'output_cost_per_image'];
    assert.deepEqual([price, unused], [null, keys.map((key) => ({ key, reason }))], mode);
  }
});

describe('a key of an entry', () => {
  for (const key of [
    'output_cost_per_second_1080p',
    'input_cost_per_video_per_second_above_15s_interval',
    'input_cost_per_character_above_128k_tokens',
    'output_cost_per_image_1K',
    'input_cost_per_video_token_batches',
    'input_cost_per_token_cache_hit',
    'input_dbu_cost_per_token',
    'citation_cost_per_token',
    'computer_use_input_cost_per_1k_tokens',
    'file_search_cost_per_gb_per_day',
    'ocr_cost_per_page',
    'search_free_requests',
    'input_cost_per_token_above_272k_tokens_decisions',
  ]) {
    it(`is known and has a reason not to be used: ${key}`, () => {
      const meaning = priceKeyOf(key);
      assert.ok(meaning?.kind === 'unused' && meaning.reason !== null, JSON.stringify(meaning));
    });
  }

  it('is ignored if its name says nothing of a price', () => {
    for (const key of ['max_input_tokens', 'supports_vision', 'rpm', 'source', 'constructor']) {
      assert.equal(priceKeyOf(key), null, key);
    }
  });

  it('is unknown if a tier of service is', () => {
    const meaning = priceKeyOf('input_cost_per_token_warp');
    assert.deepEqual(meaning, { kind: 'unused', group: 'unknown', reason: null });
  });
});
