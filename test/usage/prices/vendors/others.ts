// Lists examples of other vendors. Each name is followed by the page with its prices.

import { above, card, plain } from '../dollars.ts';
import type { Example } from '../dollars.ts';

const grok4 = card(
  { input: 3, output: 15, cache_read: 0.75 },
  { context_tiers: [above(128_000, { input: 6, output: 30, cache_read: 0.75 })] },
);
// https://www.alibabacloud.com/help/en/model-studio/models
const qwen = card(
  { input: 1.2, output: 6 },
  {
    context_tiers: [
      above(32_000, { input: 2.4, output: 12 }),
      above(128_000, { input: 3, output: 15 }),
    ],
  },
);

export const others: readonly Example[] = [
  {
    // https://api-docs.deepseek.com/quick_start/pricing
    name: 'DeepSeek V3.2, a cache hit',
    prices: card({ input: 0.28, output: 0.42, cache_read: 0.028 }),
    counts: { promptTokens: 100_000, cacheReadTokens: 90_000, completionTokens: 10_000 },
    // 2,800 + 2,520 + 4,200
    micros: 9_520,
  },
  {
    name: 'DeepSeek R1, reasoning is output',
    prices: card({ input: 0.55, output: 2.19, cache_read: 0.14 }),
    counts: {
      promptTokens: 2_000,
      cacheReadTokens: 1_000,
      completionTokens: 5_000,
      reasoningTokens: 4_000,
    },
    // 550 + 140 + 10,950
    micros: 11_640,
  },
  {
    // https://docs.x.ai/docs/models
    name: 'Grok 4, a cached prompt',
    prices: grok4,
    counts: { promptTokens: 100_000, cacheReadTokens: 50_000, completionTokens: 1_000 },
    // 150,000 + 37,500 + 15,000
    micros: 202_500,
  },
  {
    name: 'Grok 4 above 128,000 tokens',
    prices: grok4,
    counts: { promptTokens: 130_000, completionTokens: 1_000 },
    micros: 810_000,
  },
  {
    name: 'Grok 3 Mini, reasoning is output',
    prices: card({ input: 0.3, output: 0.5, cache_read: 0.075 }),
    counts: { promptTokens: 1_000, completionTokens: 3_000, reasoningTokens: 2_900 },
    micros: 1_800,
  },
  {
    // https://mistral.ai/pricing
    name: 'Mistral Large',
    prices: plain(2, 6),
    counts: { promptTokens: 10_000, completionTokens: 2_000 },
    micros: 32_000,
  },
  {
    name: 'Codestral',
    prices: plain(0.3, 0.9),
    counts: { promptTokens: 4_096, completionTokens: 512 },
    // 1,228.8 + 460.8
    micros: 1_690,
  },
  {
    // https://groq.com/pricing
    name: 'Llama 3.3 70B on Groq, its on-demand tier',
    prices: card({ input: 0.59, output: 0.79 }),
    counts: { promptTokens: 10_000, completionTokens: 1_000, serviceTier: 'on_demand' },
    micros: 6_690,
  },
  {
    // https://cohere.com/pricing: 2.00 for 1,000 searches
    name: 'Cohere Rerank, a price for each request',
    prices: { input: null, output: null, card: { per_request: 2_000 } },
    counts: { promptTokens: 0, completionTokens: 0 },
    micros: 2_000,
  },
  {
    // https://docs.perplexity.ai/getting-started/pricing: 5.00 for 1,000 requests
    name: 'Perplexity Sonar, tokens and a price for each request',
    prices: card({ input: 1, output: 1 }, { per_request: 5_000 }),
    counts: { promptTokens: 500, completionTokens: 200 },
    micros: 5_700,
  },
  {
    // https://platform.moonshot.ai/docs/pricing
    name: 'Kimi K2, a cache hit',
    prices: card({ input: 0.6, output: 2.5, cache_read: 0.15 }),
    counts: { promptTokens: 20_000, cacheReadTokens: 16_000, completionTokens: 1_000 },
    // 2,400 + 2,400 + 2,500
    micros: 7_300,
  },
  {
    name: 'Qwen3 Max, up to 32,000 tokens',
    prices: qwen,
    counts: { promptTokens: 32_000, completionTokens: 1_000 },
    micros: 44_400,
  },
  {
    name: 'Qwen3 Max, the second of three tiers',
    prices: qwen,
    counts: { promptTokens: 100_000, completionTokens: 1_000 },
    micros: 252_000,
  },
  {
    name: 'Qwen3 Max, the third of three tiers',
    prices: qwen,
    counts: { promptTokens: 200_000, completionTokens: 1_000 },
    micros: 615_000,
  },
];
