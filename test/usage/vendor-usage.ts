// Lists the usage that vendors report, in the shapes that they document, with how gw reads it.

import type { UsageReport } from '../../src/usage/counts.ts';
import { reportOf } from '../harness/usage-report.ts';

type Cases = Readonly<Record<string, readonly [Readonly<Record<string, unknown>>, UsageReport]>>;

const openai: Cases = {
  'a chat with cache reads and writes': [
    {
      prompt_tokens: 5000,
      completion_tokens: 300,
      total_tokens: 5300,
      prompt_tokens_details: { cached_tokens: 4000, cache_write_tokens: 500, audio_tokens: 0 },
      completion_tokens_details: {
        reasoning_tokens: 120,
        audio_tokens: 0,
        accepted_prediction_tokens: 10,
        rejected_prediction_tokens: 4,
      },
    },
    reportOf(5000, 300, {
      cacheReadTokens: 4000,
      cacheWrite5mTokens: 500,
      inputAudioTokens: 0,
      reasoningTokens: 120,
      outputAudioTokens: 0,
    }),
  ],
  'a chat with audio in both directions': [
    {
      prompt_tokens: 90,
      completion_tokens: 60,
      prompt_tokens_details: { audio_tokens: 70, text_tokens: 20 },
      completion_tokens_details: { audio_tokens: 50, text_tokens: 10 },
    },
    reportOf(90, 60, { inputAudioTokens: 70, outputAudioTokens: 50 }),
  ],
  'cached audio, which is a cache read': [
    {
      input_tokens: 100,
      output_tokens: 5,
      input_token_details: {
        text_tokens: 40,
        audio_tokens: 60,
        cached_tokens: 50,
        cached_tokens_details: { text_tokens: 20, audio_tokens: 30 },
      },
      output_token_details: { text_tokens: 1, audio_tokens: 4 },
    },
    reportOf(100, 5, {
      cacheReadTokens: 50,
      inputAudioTokens: 30,
      outputAudioTokens: 4,
      units: { cache_read_audio_tokens: 30 },
    }),
  ],
  'a response': [
    {
      input_tokens: 800,
      input_tokens_details: { cached_tokens: 768 },
      output_tokens: 90,
      output_tokens_details: { reasoning_tokens: 64 },
      total_tokens: 890,
    },
    reportOf(800, 90, { cacheReadTokens: 768, reasoningTokens: 64 }),
  ],
  embeddings: [{ prompt_tokens: 12, total_tokens: 12 }, reportOf(12, 0)],
  'a transcription': [
    {
      type: 'tokens',
      input_tokens: 31,
      input_token_details: { text_tokens: 3, audio_tokens: 28 },
      output_tokens: 17,
      total_tokens: 48,
    },
    reportOf(31, 17, { inputAudioTokens: 28 }),
  ],
  'an edited image': [
    {
      input_tokens: 350,
      input_tokens_details: { text_tokens: 27, image_tokens: 323 },
      output_tokens: 1056,
      output_tokens_details: { image_tokens: 1056, text_tokens: 0 },
      total_tokens: 1406,
    },
    reportOf(350, 1056, { inputImageTokens: 323, outputImageTokens: 1056 }),
  ],
  'explicit zeros': [
    { prompt_tokens: 0, completion_tokens: 0, prompt_tokens_details: { cached_tokens: 0 } },
    reportOf(0, 0, { cacheReadTokens: 0 }),
  ],
};

const followers: Cases = {
  DeepSeek: [
    {
      prompt_tokens: 640,
      completion_tokens: 20,
      total_tokens: 660,
      prompt_cache_hit_tokens: 576,
      prompt_cache_miss_tokens: 64,
    },
    reportOf(640, 20, { cacheReadTokens: 576 }),
  ],
  Mistral: [
    { prompt_tokens: 77, completion_tokens: 12, total_tokens: 89, num_cached_tokens: 70 },
    reportOf(77, 12, { cacheReadTokens: 70 }),
  ],
  Moonshot: [
    { prompt_tokens: 19, completion_tokens: 29, total_tokens: 48, cached_tokens: 16 },
    reportOf(19, 29, { cacheReadTokens: 16 }),
  ],
  'xAI, whose completion excludes reasoning': [
    {
      prompt_tokens: 300,
      completion_tokens: 20,
      total_tokens: 480,
      prompt_tokens_details: { text_tokens: 300, cached_tokens: 256, image_tokens: 0 },
      completion_tokens_details: { reasoning_tokens: 160 },
      num_sources_used: 3,
      cost_in_usd_ticks: 1_234_567,
    },
    reportOf(300, 180, {
      cacheReadTokens: 256,
      inputImageTokens: 0,
      reasoningTokens: 160,
      serverToolCalls: { live_search: 3 },
      costMicros: 123,
    }),
  ],
  'Gemini’s compatible API, which does not name thoughts': [
    { prompt_tokens: 35, completion_tokens: 12, total_tokens: 109 },
    reportOf(35, 74, { reasoningTokens: 62 }),
  ],
  OpenRouter: [
    {
      prompt_tokens: 43,
      completion_tokens: 53,
      total_tokens: 96,
      cost: 0.000924,
      is_byok: false,
      cost_details: { upstream_inference_cost: 0.000924 },
      prompt_tokens_details: { cached_tokens: 0, cache_write_tokens: 0, video_tokens: 0 },
      completion_tokens_details: { reasoning_tokens: 48, image_tokens: 0 },
      server_tool_use: { web_search_requests: 2 },
    },
    reportOf(43, 53, {
      cacheReadTokens: 0,
      cacheWrite5mTokens: 0,
      reasoningTokens: 48,
      outputImageTokens: 0,
      serverToolCalls: { web_search: 2 },
      costMicros: 924,
    }),
  ],
  'LiteLLM, whose prompt includes the cache': [
    {
      prompt_tokens: 1000,
      completion_tokens: 10,
      total_tokens: 1010,
      prompt_tokens_details: {
        cached_tokens: 600,
        cache_creation_tokens: 300,
        cache_creation_token_details: {
          ephemeral_5m_input_tokens: 100,
          ephemeral_1h_input_tokens: 200,
        },
      },
      cache_read_input_tokens: 600,
      cache_creation_input_tokens: 300,
    },
    reportOf(1000, 10, {
      cacheReadTokens: 600,
      cacheWrite5mTokens: 100,
      cacheWrite1hTokens: 200,
    }),
  ],
  Perplexity: [
    {
      prompt_tokens: 30,
      completion_tokens: 500,
      total_tokens: 530,
      citation_tokens: 9000,
      num_search_queries: 4,
      reasoning_tokens: 100,
      search_context_size: 'low',
      cost: { input_tokens_cost: 0.01, total_cost: 0.05 },
    },
    reportOf(30, 500, {
      reasoningTokens: 100,
      serverToolCalls: { web_search: 4 },
      costMicros: 50_000,
    }),
  ],
  Groq: [
    {
      queue_time: 0.004,
      prompt_tokens: 304,
      prompt_time: 0.01,
      completion_tokens: 49,
      completion_time: 0.1,
      total_tokens: 353,
      total_time: 0.11,
      completion_tokens_details: { reasoning_tokens: 23 },
    },
    reportOf(304, 49, { reasoningTokens: 23 }),
  ],
  'OpenAI, cache writes of both times to live': [
    {
      input_tokens: 1000,
      input_tokens_details: {
        cached_tokens: 100,
        cache_write_tokens: 700,
        cache_write_tokens_details: { ttl_30m_tokens: 500, ttl_12h_tokens: 200 },
      },
      output_tokens: 10,
    },
    reportOf(1000, 10, { cacheReadTokens: 100, cacheWrite5mTokens: 500, cacheWrite1hTokens: 200 }),
  ],
  'Cohere, embeddings of images': [
    { billed_units: { input_tokens: 0, images: 3 } },
    reportOf(0, 0, { units: { input_images: 3 } }),
  ],
  'Mistral, a transcription': [
    { prompt_audio_seconds: 203, prompt_tokens: 4, total_tokens: 645, completion_tokens: 641 },
    reportOf(4, 641, { units: { input_seconds: 203 } }),
  ],
  'LiteLLM, embeddings of media': [
    {
      prompt_tokens: 7,
      total_tokens: 7,
      prompt_tokens_details: {
        image_count: 2,
        audio_length_seconds: 1.5,
        video_length_seconds: 4,
        character_count: 12,
        query_count: 1,
      },
    },
    reportOf(7, 0, { units: { input_images: 2, input_seconds: 2, input_characters: 12 } }),
  ],
  'Cohere, which bills less than it reads': [
    {
      billed_units: { input_tokens: 5, output_tokens: 40 },
      tokens: { input_tokens: 71, output_tokens: 40 },
      cached_tokens: 0,
    },
    reportOf(5, 40, { cacheReadTokens: 0 }),
  ],
};

const messages: Cases = {
  'a message with both kinds of cache writes': [
    {
      input_tokens: 10,
      cache_read_input_tokens: 900,
      cache_creation_input_tokens: 90,
      cache_creation: { ephemeral_5m_input_tokens: 30, ephemeral_1h_input_tokens: 60 },
      output_tokens: 25,
      output_tokens_details: { thinking_tokens: 15 },
      server_tool_use: { web_search_requests: 2, web_fetch_requests: 0 },
      service_tier: 'standard',
      inference_geo: 'global',
    },
    reportOf(1000, 25, {
      cacheReadTokens: 900,
      cacheWrite5mTokens: 30,
      cacheWrite1hTokens: 60,
      reasoningTokens: 15,
      serverToolCalls: { web_search: 2 },
      serviceTier: 'standard',
    }),
  ],
  'cache writes without a time to live': [
    { input_tokens: 1, cache_creation_input_tokens: 99, output_tokens: 2 },
    reportOf(100, 2, { cacheWrite5mTokens: 99 }),
  ],
  'a region': [
    { input_tokens: 1, output_tokens: 2, service_tier: 'standard', inference_geo: 'us' },
    reportOf(1, 2, { serviceTier: 'us' }),
  ],
  'the fast mode in a region': [
    {
      input_tokens: 1,
      cache_read_input_tokens: 0,
      output_tokens: 2,
      speed: 'fast',
      inference_geo: 'us',
    },
    reportOf(1, 2, { cacheReadTokens: 0, serviceTier: 'fast.us' }),
  ],
  'the fast mode': [
    { input_tokens: 1, output_tokens: 2, service_tier: 'standard', speed: 'fast' },
    reportOf(1, 2, { serviceTier: 'fast' }),
  ],
  'a compaction, which the totals exclude, and the advice of another model': [
    {
      input_tokens: 200,
      cache_read_input_tokens: 100,
      output_tokens: 20,
      iterations: [
        {
          type: 'compaction',
          input_tokens: 5000,
          cache_read_input_tokens: 7,
          cache_creation_input_tokens: 30,
          cache_creation: { ephemeral_5m_input_tokens: 10, ephemeral_1h_input_tokens: 20 },
          output_tokens: 300,
        },
        { type: 'message', input_tokens: 200, output_tokens: 20 },
        { type: 'advisor_message', model: 'other', input_tokens: 900, output_tokens: 90 },
      ],
    },
    reportOf(5337, 320, {
      cacheReadTokens: 107,
      cacheWrite5mTokens: 10,
      cacheWrite1hTokens: 20,
    }),
  ],
};

const others: Cases = {
  'Gemini, whose thoughts and tool results are outside': [
    {
      promptTokenCount: 100,
      toolUsePromptTokenCount: 30,
      candidatesTokenCount: 20,
      thoughtsTokenCount: 50,
      cachedContentTokenCount: 64,
      totalTokenCount: 200,
      serviceTier: 'standard',
    },
    reportOf(130, 70, { cacheReadTokens: 64, reasoningTokens: 50, serviceTier: 'standard' }),
  ],
  'Gemini with modalities, some of them cached': [
    {
      promptTokenCount: 1000,
      candidatesTokenCount: 30,
      cachedContentTokenCount: 500,
      promptTokensDetails: [
        { modality: 'TEXT', tokenCount: 100 },
        { modality: 'AUDIO', tokenCount: 600 },
        { modality: 'IMAGE', tokenCount: 258 },
        { modality: 'VIDEO', tokenCount: 42 },
      ],
      cacheTokensDetails: [{ modality: 'AUDIO', tokenCount: 500 }],
      candidatesTokensDetails: [
        { modality: 'AUDIO', tokenCount: 20 },
        { modality: 'IMAGE', tokenCount: 10 },
      ],
      trafficType: 'ON_DEMAND_FLEX',
    },
    reportOf(1000, 30, {
      cacheReadTokens: 500,
      units: { cache_read_audio_tokens: 500 },
      inputAudioTokens: 100,
      inputImageTokens: 258,
      outputAudioTokens: 20,
      outputImageTokens: 10,
      serviceTier: 'flex',
    }),
  ],
  'Bedrock, whose input excludes the cache': [
    {
      inputTokens: 10,
      outputTokens: 5,
      totalTokens: 115,
      cacheReadInputTokens: 60,
      cacheWriteInputTokens: 40,
      cacheDetails: [
        { ttl: '1h', inputTokens: 30 },
        { ttl: '5m', inputTokens: 10 },
      ],
    },
    reportOf(110, 5, { cacheReadTokens: 60, cacheWrite5mTokens: 10, cacheWrite1hTokens: 30 }),
  ],
  'Bedrock without times to live': [
    { inputTokens: 10, outputTokens: 5, cacheWriteInputTokens: 40 },
    reportOf(50, 5, { cacheWrite5mTokens: 40 }),
  ],
};

export const vendorUsage = { openai, followers, messages, others };
