// Lists examples of OpenAI (https://platform.openai.com/docs/pricing).

import { card, half, plain, set, usd } from '../dollars.ts';
import type { Example } from '../dollars.ts';

const gpt4o = card(
  { input: 2.5, output: 10, cache_read: 1.25 },
  {
    service_tiers: {
      batch: half,
      priority: set({ input: 4.25, output: 17, cache_read: 2.125 }),
    },
  },
);
const gpt5 = card(
  { input: 1.25, output: 10, cache_read: 0.125 },
  {
    service_tiers: {
      flex: set({ input: 0.625, output: 5, cache_read: 0.0625 }),
      priority: set({ input: 2.5, output: 20, cache_read: 0.25 }),
    },
    tool_calls: { web_search: usd(0.01) },
  },
);

export const openai: readonly Example[] = [
  {
    name: 'gpt-4o with two prices only',
    prices: plain(2.5, 10),
    counts: { promptTokens: 1_000, completionTokens: 500 },
    micros: 7_500,
  },
  {
    name: 'gpt-4o, a cached prompt',
    prices: gpt4o,
    // 976 at 2.50, 1,024 at 1.25, 100 at 10.00
    counts: { promptTokens: 2_000, cacheReadTokens: 1_024, completionTokens: 100 },
    micros: 4_720,
  },
  {
    name: 'gpt-4o, batch',
    prices: gpt4o,
    counts: { promptTokens: 2_000, completionTokens: 100, serviceTier: 'batch' },
    micros: 3_000,
  },
  {
    name: 'gpt-4o, priority with a cached prompt',
    prices: gpt4o,
    // 1,000 at 4.25, 1,000 at 2.125, 100 at 17.00
    counts: {
      promptTokens: 2_000,
      cacheReadTokens: 1_000,
      completionTokens: 100,
      serviceTier: 'priority',
    },
    micros: 8_075,
  },
  {
    name: 'gpt-4o, the default tier by name',
    prices: gpt4o,
    counts: { promptTokens: 1_000, completionTokens: 100, serviceTier: 'default' },
    micros: 3_500,
  },
  {
    name: 'gpt-4o-mini, a cached prompt',
    prices: card({ input: 0.15, output: 0.6, cache_read: 0.075 }),
    // 8,000 at 0.15, 2,000 at 0.075, 1,000 at 0.60
    counts: { promptTokens: 10_000, cacheReadTokens: 2_000, completionTokens: 1_000 },
    micros: 1_950,
  },
  {
    name: 'gpt-4.1, a cached prompt',
    prices: card({ input: 2, output: 8, cache_read: 0.5 }),
    counts: { promptTokens: 10_000, cacheReadTokens: 8_000, completionTokens: 1_000 },
    micros: 16_000,
  },
  {
    name: 'gpt-4.1-nano, half a micro-unit is rounded up',
    prices: card({ input: 0.1, output: 0.4, cache_read: 0.025 }),
    // 5 at 0.10
    counts: { promptTokens: 5, completionTokens: 0 },
    micros: 1,
  },
  {
    name: 'o3, reasoning is billed as output',
    prices: card({ input: 2, output: 8, cache_read: 0.5 }, { service_tiers: { flex: half } }),
    counts: { promptTokens: 1_000, completionTokens: 2_000, reasoningTokens: 1_536 },
    micros: 18_000,
  },
  {
    name: 'o3, flex',
    prices: card({ input: 2, output: 8, cache_read: 0.5 }, { service_tiers: { flex: half } }),
    counts: {
      promptTokens: 1_000,
      completionTokens: 2_000,
      reasoningTokens: 1_536,
      serviceTier: 'flex',
    },
    micros: 9_000,
  },
  {
    name: 'gpt-5, a cached prompt',
    prices: gpt5,
    // 1,000 at 1.25, 9,000 at 0.125, 1,000 at 10.00
    counts: { promptTokens: 10_000, cacheReadTokens: 9_000, completionTokens: 1_000 },
    micros: 12_375,
  },
  {
    name: 'gpt-5, flex with a cached prompt',
    prices: gpt5,
    counts: {
      promptTokens: 10_000,
      cacheReadTokens: 9_000,
      completionTokens: 1_000,
      serviceTier: 'flex',
    },
    // 625 + 562.5 + 5,000
    micros: 6_188,
  },
  {
    name: 'gpt-5, priority and three web searches',
    prices: gpt5,
    counts: {
      promptTokens: 10_000,
      completionTokens: 1_000,
      serviceTier: 'priority',
      serverToolCalls: { web_search: 3 },
    },
    // 25,000 + 20,000 + 30,000
    micros: 75_000,
  },
  {
    name: 'gpt-4o-audio-preview, audio in and out',
    prices: card({ input: 2.5, output: 10, input_audio: 40, output_audio: 80 }),
    counts: {
      promptTokens: 1_500,
      inputAudioTokens: 1_000,
      completionTokens: 600,
      outputAudioTokens: 400,
    },
    // 1,250 + 40,000 + 2,000 + 32,000
    micros: 75_250,
  },
  {
    name: 'gpt-4o-mini-audio-preview, audio in only',
    prices: card({ input: 0.15, output: 0.6, input_audio: 10, output_audio: 20 }),
    counts: { promptTokens: 1_000, inputAudioTokens: 900, completionTokens: 100 },
    // 15 + 9,000 + 60
    micros: 9_075,
  },
  {
    name: 'gpt-image-1, an image to edit',
    prices: card({ input: 5, output: 40, cache_read: 1.25, input_image: 10 }),
    counts: { promptTokens: 400, inputImageTokens: 323, completionTokens: 1_056 },
    // 385 + 3,230 + 42,240
    micros: 45_855,
  },
  {
    name: 'gpt-image-1, a generated image as tokens',
    prices: card({ input: 5, output: 40, input_image: 10, output_image: 40 }),
    counts: {
      promptTokens: 50,
      completionTokens: 4_160,
      outputImageTokens: 4_160,
      units: { output_images: 1 },
    },
    // 250 + 166,400
    micros: 166_650,
  },
  {
    name: 'dall-e-3, two images',
    prices: card({ input: 0, output: 0 }, { per_output_image: usd(0.04) }),
    counts: { units: { output_images: 2 } },
    micros: 80_000,
  },
  {
    // 0.006 a minute
    name: 'whisper-1, ninety seconds',
    prices: card({ input: 0, output: 0 }, { input_seconds: usd(100) }),
    counts: { units: { input_seconds: 90 } },
    micros: 9_000,
  },
  {
    name: 'tts-1, 1,200 characters',
    prices: card({ input: 0, output: 0 }, { input_characters: usd(15) }),
    counts: { units: { input_characters: 1_200 } },
    micros: 18_000,
  },
  {
    name: 'gpt-5, two file searches and a container',
    prices: card(
      { input: 1.25, output: 10 },
      { tool_calls: { file_search: usd(0.0025), code_interpreter: usd(0.03) } },
    ),
    counts: {
      promptTokens: 2_000,
      completionTokens: 500,
      serverToolCalls: { file_search: 2, code_interpreter: 1 },
    },
    // 2,500 + 5,000 + 5,000 + 30,000
    micros: 42_500,
  },
  {
    name: 'text-embedding-3-small',
    prices: plain(0.02),
    counts: { promptTokens: 8_000, completionTokens: 0 },
    micros: 160,
  },
  {
    name: 'text-embedding-3-large, batch',
    prices: card({ input: 0.13 }, { service_tiers: { batch: half } }),
    counts: { promptTokens: 8_000, completionTokens: 0, serviceTier: 'batch' },
    micros: 520,
  },
];
