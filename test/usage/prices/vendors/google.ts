// Lists examples of Google (https://ai.google.dev/gemini-api/docs/pricing).

import { above, card, half, usd } from '../dollars.ts';
import type { Example } from '../dollars.ts';

const pro = card(
  { input: 1.25, output: 10, cache_read: 0.125 },
  {
    context_tiers: [above(200_000, { input: 2.5, output: 15, cache_read: 0.25 })],
    service_tiers: { batch: half },
    tool_calls: { web_search: usd(0.035) },
  },
);
const flash = card({
  input: 0.3,
  output: 2.5,
  cache_read: 0.03,
  cache_read_audio: 0.1,
  input_audio: 1,
});

export const google: readonly Example[] = [
  {
    name: 'Gemini 2.5 Flash, cached audio',
    prices: flash,
    counts: {
      promptTokens: 10_000,
      cacheReadTokens: 8_000,
      units: { cache_read_audio_tokens: 5_000 },
      completionTokens: 100,
    },
    // 600 + 90 + 500 + 250
    micros: 1_440,
  },
  {
    name: 'Gemini 2.5 Pro, thoughts are output',
    prices: pro,
    counts: { promptTokens: 10_000, completionTokens: 3_000, reasoningTokens: 2_500 },
    micros: 42_500,
  },
  {
    name: 'Gemini 2.5 Pro, a cached prompt',
    prices: pro,
    counts: { promptTokens: 100_000, cacheReadTokens: 90_000, completionTokens: 1_000 },
    // 12,500 + 11,250 + 10,000
    micros: 33_750,
  },
  {
    name: 'Gemini 2.5 Pro, a cached prompt above 200,000 tokens',
    prices: pro,
    counts: { promptTokens: 300_000, cacheReadTokens: 200_000, completionTokens: 1_000 },
    // 250,000 + 50,000 + 15,000
    micros: 315_000,
  },
  {
    name: 'Gemini 2.5 Pro, batch above 200,000 tokens',
    prices: pro,
    counts: { promptTokens: 300_000, completionTokens: 1_000, serviceTier: 'batch' },
    // half of 750,000 + 15,000
    micros: 382_500,
  },
  {
    name: 'Gemini 2.5 Pro, grounding with a search',
    prices: pro,
    counts: {
      promptTokens: 1_000,
      completionTokens: 1_000,
      serverToolCalls: { web_search: 1 },
    },
    micros: 46_250,
  },
  {
    name: 'Gemini 2.5 Flash, text and audio',
    prices: flash,
    counts: { promptTokens: 3_000, inputAudioTokens: 1_920, completionTokens: 100 },
    // 324 + 1,920 + 250
    micros: 2_494,
  },
  {
    name: 'Gemini 2.5 Flash, images at the price of text',
    prices: { ...flash, card: { ...flash.card, fallbacks: { input_image: 'input' } } },
    counts: { promptTokens: 1_000, inputImageTokens: 258, completionTokens: 100 },
    micros: 550,
  },
  {
    name: 'Imagen 4, four images',
    prices: card({ input: 0, output: 0 }, { per_output_image: usd(0.04) }),
    counts: { units: { output_images: 4 } },
    micros: 160_000,
  },
  {
    name: 'Gemini 2.5 Flash Image, an image as tokens',
    prices: card({ input: 0.3, output: 2.5, output_image: 30 }, { per_output_image: usd(0.039) }),
    counts: {
      promptTokens: 100,
      completionTokens: 1_310,
      outputImageTokens: 1_290,
      units: { output_images: 1 },
    },
    // 30 + 50 + 38,700
    micros: 38_780,
  },
  {
    name: 'Gemini 3 Pro, grounding with three queries',
    prices: card({ input: 2, output: 12 }, { tool_calls: { web_search: usd(0.014) } }),
    counts: { promptTokens: 1_000, completionTokens: 500, serverToolCalls: { web_search: 3 } },
    // 2,000 + 6,000 + 42,000
    micros: 50_000,
  },
  {
    name: 'Gemini 2.5 Flash-Lite, a cached prompt',
    prices: card({ input: 0.1, output: 0.4, cache_read: 0.01 }),
    counts: { promptTokens: 50_000, cacheReadTokens: 40_000, completionTokens: 1_000 },
    // 1,000 + 400 + 400
    micros: 1_800,
  },
  {
    name: 'Gemini 3 Pro above 200,000 tokens',
    prices: card(
      { input: 2, output: 12, cache_read: 0.2 },
      { context_tiers: [above(200_000, { input: 4, output: 18, cache_read: 0.4 })] },
    ),
    counts: { promptTokens: 250_000, cacheReadTokens: 150_000, completionTokens: 2_000 },
    // 400,000 + 60,000 + 36,000
    micros: 496_000,
  },
];
