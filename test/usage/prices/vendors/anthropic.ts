// Lists examples of Anthropic (https://docs.anthropic.com/en/docs/about-claude/pricing), also on
// Amazon Bedrock (https://aws.amazon.com/bedrock/pricing/). Cache reads and writes are part of the
// prompt here.

import { above, card, half, plain, set, usd } from '../dollars.ts';
import type { Example } from '../dollars.ts';

const sonnet = card(
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
    service_tiers: { batch: half },
    tool_calls: { web_search: usd(0.01) },
  },
);
const haiku = card({
  input: 1,
  output: 5,
  cache_read: 0.1,
  cache_write_5m: 1.25,
  cache_write_1h: 2,
});

export const anthropic: readonly Example[] = [
  {
    name: 'Claude Sonnet 4, 99,000 of 100,000 prompt tokens from the cache',
    prices: sonnet,
    // 3,000 + 29,700 + 1,500
    counts: { promptTokens: 100_000, cacheReadTokens: 99_000, completionTokens: 100 },
    micros: 34_200,
  },
  {
    name: 'Claude Sonnet 4, the same request with two prices only',
    prices: plain(3, 15),
    counts: { promptTokens: 100_000, cacheReadTokens: 99_000, completionTokens: 100 },
    micros: 301_500,
  },
  {
    name: 'Claude Sonnet 4, a cache write of 5 minutes',
    prices: sonnet,
    counts: { promptTokens: 10_000, cacheWrite5mTokens: 9_000, completionTokens: 200 },
    // 3,000 + 33,750 + 3,000
    micros: 39_750,
  },
  {
    name: 'Claude Sonnet 4, a cache write of 1 hour',
    prices: sonnet,
    counts: { promptTokens: 10_000, cacheWrite1hTokens: 9_000, completionTokens: 200 },
    // 3,000 + 54,000 + 3,000
    micros: 60_000,
  },
  {
    name: 'Claude Sonnet 4, reads and both kinds of writes',
    prices: sonnet,
    counts: {
      promptTokens: 20_000,
      cacheReadTokens: 10_000,
      cacheWrite5mTokens: 4_000,
      cacheWrite1hTokens: 1_000,
      completionTokens: 1_000,
    },
    // 5,000 at 3.00 + 3,000 + 15,000 + 6,000 + 15,000
    micros: 54_000,
  },
  {
    name: 'Claude Sonnet 4, exactly 200,000 prompt tokens',
    prices: sonnet,
    counts: { promptTokens: 200_000, completionTokens: 1_000 },
    micros: 615_000,
  },
  {
    name: 'Claude Sonnet 4, 200,001 prompt tokens',
    prices: sonnet,
    counts: { promptTokens: 200_001, completionTokens: 1_000 },
    // 1,200,006 + 22,500
    micros: 1_222_506,
  },
  {
    name: 'Claude Sonnet 4, a cached prompt of 250,000 tokens',
    prices: sonnet,
    counts: { promptTokens: 250_000, cacheReadTokens: 240_000, completionTokens: 1_000 },
    // 60,000 + 144,000 + 22,500
    micros: 226_500,
  },
  {
    name: 'Claude Sonnet 4, cache writes of 1 hour above 200,000 tokens',
    prices: sonnet,
    counts: { promptTokens: 250_000, cacheWrite1hTokens: 250_000, completionTokens: 0 },
    micros: 3_000_000,
  },
  {
    name: 'Claude Sonnet 4, batch',
    prices: sonnet,
    counts: { promptTokens: 10_000, completionTokens: 1_000, serviceTier: 'batch' },
    micros: 22_500,
  },
  {
    name: 'Claude Sonnet 4, batch above 200,000 tokens with cache reads',
    prices: sonnet,
    counts: {
      promptTokens: 300_000,
      cacheReadTokens: 200_000,
      completionTokens: 1_000,
      serviceTier: 'batch',
    },
    // half of 600,000 + 120,000 + 22,500
    micros: 371_250,
  },
  {
    name: 'Claude Sonnet 4, two web searches',
    prices: sonnet,
    counts: {
      promptTokens: 6_039,
      completionTokens: 931,
      serverToolCalls: { web_search: 2 },
      serviceTier: 'standard',
    },
    // 18,117 + 13,965 + 20,000
    micros: 52_082,
  },
  {
    name: 'Claude Haiku 4.5, a cache read',
    prices: haiku,
    counts: { promptTokens: 5_000, cacheReadTokens: 4_500, completionTokens: 100 },
    // 500 + 450 + 500
    micros: 1_450,
  },
  {
    name: 'Claude Haiku 4.5, a remainder of a half from two prices',
    prices: haiku,
    // 2 at 1.00, 5 at 0.10
    counts: { promptTokens: 7, cacheReadTokens: 5, completionTokens: 0 },
    micros: 3,
  },
  {
    name: 'Claude Opus 4.5, a write of 5 minutes',
    prices: card({ input: 5, output: 25, cache_read: 0.5, cache_write_5m: 6.25 }),
    counts: { promptTokens: 4_000, cacheWrite5mTokens: 4_000, completionTokens: 400 },
    micros: 35_000,
  },
  {
    name: 'Claude Opus 4.1, a read and a write',
    prices: card({ input: 15, output: 75, cache_read: 1.5, cache_write_5m: 18.75 }),
    counts: {
      promptTokens: 12_000,
      cacheReadTokens: 10_000,
      cacheWrite5mTokens: 1_000,
      completionTokens: 100,
    },
    // 15,000 + 15,000 + 18,750 + 7,500
    micros: 56_250,
  },
  {
    name: 'Claude 3.5 Haiku on Bedrock, a cache read',
    prices: card({ input: 0.8, output: 4, cache_read: 0.08, cache_write_5m: 1 }),
    counts: { promptTokens: 10_000, cacheReadTokens: 9_000, completionTokens: 500 },
    // 800 + 720 + 2,000
    micros: 3_520,
  },
  {
    name: 'Amazon Nova Pro on Bedrock, a cache read',
    prices: card({ input: 0.8, output: 3.2, cache_read: 0.2 }),
    counts: { promptTokens: 10_000, cacheReadTokens: 6_000, completionTokens: 1_000 },
    // 3,200 + 1,200 + 3,200
    micros: 7_600,
  },
  {
    name: 'Amazon Nova Micro on Bedrock, flex',
    prices: card(
      { input: 0.035, output: 0.14 },
      { service_tiers: { flex: set({ input: 0.0175, output: 0.07 }) } },
    ),
    counts: { promptTokens: 100_000, completionTokens: 10_000, serviceTier: 'flex' },
    micros: 2_450,
  },
];
