// Describes the usage of OpenAI's APIs (chat, responses, embeddings, audio, images) and of the many
// servers that follow them. The input total includes cache reads and writes.

import {
  both,
  callsOf,
  countOf,
  field,
  ignored,
  is,
  isUnits,
  object,
  subtractsFrom,
  toolCalls,
} from './field.ts';
import type { Dialect, Found, Given } from './field.ts';

const { derived, inTotal, label, money, unit } = ignored;

const cacheCreation = object({
  ephemeral_5m_input_tokens: is('cacheWrite5mTokens'),
  ephemeral_1h_input_tokens: is('cacheWrite1hTokens'),
  ephemeral_12h_input_tokens: is('cacheWrite1hTokens'),
});

const sizedSearch = field((size, found) => {
  if (size !== 'low' && size !== 'medium' && size !== 'high') return;
  found.serverToolCalls ??= { [`web_search_${size}`]: 1 };
});

const explicitCache = field((type, found) => {
  const read = found.cacheReadTokens;
  if (type === 'ephemeral' && read !== null && read > 0) {
    (found.units ??= {})['cache_read_explicit_tokens'] ??= read;
  }
});

const inputDetails = object({
  cached_tokens: is('cacheReadTokens'),
  // LiteLLM. It is read before the sum of both, which has no time to live.
  cache_creation_token_details: cacheCreation,
  // Alibaba.
  cache_creation: cacheCreation,
  cache_creation_input_tokens: is('cacheWrite5mTokens'),
  // OpenAI has other times to live. The longer one costs more, too.
  cache_write_tokens_details: object({
    ttl_30m_tokens: is('cacheWrite5mTokens'),
    ttl_12h_tokens: is('cacheWrite1hTokens'),
  }),
  cache_write_tokens: is('cacheWrite5mTokens'),
  cache_creation_tokens: is('cacheWrite5mTokens'),
  audio_tokens: is('inputAudioTokens'),
  image_tokens: is('inputImageTokens'),
  // Cached tokens are cache reads, so they do not count as audio or images again.
  cached_tokens_details: object({
    audio_tokens: both(subtractsFrom('inputAudioTokens'), isUnits('cache_read_audio_tokens')),
    image_tokens: both(subtractsFrom('inputImageTokens'), isUnits('cache_read_image_tokens')),
    text_tokens: inTotal,
  }),
  // All cache reads of a request to Alibaba are explicit, or none.
  cache_type: explicitCache,
  text_tokens: inTotal,
  video_tokens: inTotal,
  multimodal_tokens: inTotal,
  // LiteLLM.
  image_count: isUnits('input_images'),
  audio_length_seconds: isUnits('input_seconds'),
  video_length_seconds: unit,
  character_count: isUnits('input_characters'),
  query_count: unit,
});

const outputDetails = object({
  reasoning_tokens: is('reasoningTokens'),
  audio_tokens: is('outputAudioTokens'),
  // Predictions that were rejected are billed as output, which includes them.
  accepted_prediction_tokens: inTotal,
  rejected_prediction_tokens: inTotal,
  image_tokens: is('outputImageTokens'),
  video_tokens: inTotal,
  text_tokens: inTotal,
});

const usage = object({
  prompt_tokens: is('promptTokens'),
  input_tokens: is('promptTokens'),
  completion_tokens: is('completionTokens'),
  output_tokens: is('completionTokens'),
  prompt_tokens_details: inputDetails,
  input_tokens_details: inputDetails,
  // Audio transcriptions use the singular.
  input_token_details: inputDetails,
  completion_tokens_details: outputDetails,
  output_tokens_details: outputDetails,
  output_token_details: outputDetails,
  // DeepSeek.
  prompt_cache_hit_tokens: is('cacheReadTokens'),
  prompt_cache_miss_tokens: derived,
  // Mistral.
  num_cached_tokens: is('cacheReadTokens'),
  prompt_audio_seconds: isUnits('input_seconds'),
  // Moonshot, Hugging Face and Cohere.
  cached_tokens: is('cacheReadTokens'),
  // LiteLLM, which includes them in the total.
  cache_read_input_tokens: is('cacheReadTokens'),
  cache_creation: cacheCreation,
  cache_creation_input_tokens: is('cacheWrite5mTokens'),
  // Perplexity.
  reasoning_tokens: is('reasoningTokens'),
  num_search_queries: callsOf('web_search'),
  citation_tokens: inTotal,
  // The price of a request with a search depends on it.
  search_context_size: sizedSearch,
  // OpenRouter.
  cost: money,
  cost_details: money,
  is_byok: label,
  server_tool_use: toolCalls('_requests'),
  // xAI.
  cost_in_usd_ticks: money,
  num_sources_used: callsOf('live_search'),
  num_server_side_tools_used: derived,
  server_side_tool_usage_details: toolCalls('_calls'),
  // Groq.
  queue_time: unit,
  prompt_time: unit,
  completion_time: unit,
  total_time: unit,
  // Cohere. What is billed has priority over what was read.
  billed_units: object({
    input_tokens: is('promptTokens'),
    output_tokens: is('completionTokens'),
    image_tokens: is('inputImageTokens'),
    search_units: unit,
    images: isUnits('input_images'),
    classifications: unit,
  }),
  tokens: object({ input_tokens: is('promptTokens'), output_tokens: is('completionTokens') }),
  search_units: unit,
  images: isUnits('input_images'),
  classifications: unit,
  // Transcriptions that are priced by the second have no tokens.
  type: label,
  seconds: isUnits('input_seconds'),
  total_tokens: derived,
});

export const openaiUsage: Dialect = { claims: () => true, usage, settle };

/** Uses the sum of all tokens for what some servers count in it alone. */
function settle(found: Found, given: Given): void {
  const total = countOf(given, 'total_tokens');
  if (total === null) return;
  // Embedding and rerank endpoints may report only a total.
  if (found.completionTokens === null) found.promptTokens ??= total;
  if (found.promptTokens === null || found.completionTokens === null) return;
  const rest = total - found.promptTokens - found.completionTokens;
  if (rest <= 0) return;
  // xAI does not include reasoning in the completion. Gemini's compatible API does not name it.
  const isUnnamed = found.reasoningTokens === null && found.cacheReadTokens === null;
  if (rest !== found.reasoningTokens && !isUnnamed) return;
  found.reasoningTokens = rest;
  found.completionTokens += rest;
}
