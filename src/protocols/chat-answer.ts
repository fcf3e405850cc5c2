// Builds the parts of a chat answer that do not depend on the vendor (wire reference 2.2, 2.6).

import type { UsageReport } from '../usage/counts.ts';
import type { JsonObject } from './json.ts';
import type { AnswerOptions, TranslatedResponse } from './translation.ts';

export type FinishReason = 'stop' | 'length' | 'tool_calls' | 'content_filter';

export function usageMembers(usage: UsageReport | null): JsonObject {
  if (usage === null) return {};
  const { serviceTier } = usage;
  return {
    usage: chatUsageOf(usage),
    ...(serviceTier !== null && { service_tier: commonTier(serviceTier) }),
  };
}

function chatUsageOf(usage: UsageReport): JsonObject {
  const { promptTokens, completionTokens, serverToolCalls } = usage;
  const input = inputDetails(usage);
  const output = outputDetails(usage);
  return {
    prompt_tokens: promptTokens,
    completion_tokens: completionTokens,
    total_tokens: promptTokens + completionTokens,
    ...(hasMembers(input) && { prompt_tokens_details: input }),
    ...(hasMembers(output) && { completion_tokens_details: output }),
    ...toolUse(serverToolCalls),
  };
}

/** The details of the prompt in the names of OpenAI's APIs. Writes of both kinds have one name. */
export function inputDetails(usage: UsageReport): JsonObject {
  const { cacheWrite5mTokens: short, cacheWrite1hTokens: long } = usage;
  return known({
    cached_tokens: usage.cacheReadTokens,
    cache_write_tokens: short === null && long === null ? null : (short ?? 0) + (long ?? 0),
    // The API has no name for the longer kind. This one is LiteLLM's.
    cache_creation_token_details: (long ?? 0) === 0 ? null : cacheCreation(usage),
    audio_tokens: usage.inputAudioTokens,
    image_tokens: usage.inputImageTokens,
  });
}

export const outputDetails = (usage: UsageReport): JsonObject =>
  known({
    reasoning_tokens: usage.reasoningTokens,
    audio_tokens: usage.outputAudioTokens,
    image_tokens: usage.outputImageTokens,
  });

/** Cache writes by their time to live, in the names of the Messages API. */
export const cacheCreation = (usage: UsageReport): JsonObject => ({
  ephemeral_5m_input_tokens: usage.cacheWrite5mTokens ?? 0,
  ephemeral_1h_input_tokens: usage.cacheWrite1hTokens ?? 0,
});

/** The calls of the provider's tools. OpenRouter uses the names of the Messages API in a chat. */
export const toolUse = (calls: UsageReport['serverToolCalls']): JsonObject =>
  calls === null ? {} : { server_tool_use: requestsOf(calls) };

const requestsOf = (calls: NonNullable<UsageReport['serverToolCalls']>): JsonObject =>
  Object.fromEntries(Object.entries(calls).map(([tool, count]) => [`${tool}_requests`, count]));

/** The ordinary tier of a chat is `default`, and that of the Messages API `standard`. */
export const commonTier = (tier: string): string => (tier === 'standard' ? 'default' : tier);

/** Omits the members without a value. */
const known = (members: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(members).filter(([, value]) => value !== null));

const hasMembers = (object: JsonObject): boolean => Object.keys(object).length > 0;

export type ChatError = Readonly<{
  message: string;
  /** The vendor's own error type, if it gave one. */
  type: string;
  code: string | null;
}>;

export const errorText = ({ message, type, code }: ChatError, requestId: string): string =>
  JSON.stringify({ error: { message, type, param: null, code, request_id: requestId } });

export const truncatedError: ChatError = {
  message: 'the upstream ended its answer early',
  type: 'upstream_error',
  code: 'truncated',
};

export const oversizedError: ChatError = {
  message: 'the upstream sent an event that is too large',
  type: 'upstream_error',
  code: 'event_too_large',
};

export const unreadableError: ChatError = {
  message: 'the upstream response does not match its protocol',
  type: 'upstream_error',
  code: 'unreadable_answer',
};

/**
 * Keeps the vendor's status. `error` is null if the body is not an error of the vendor, for example
 * the page of a load balancer, which is not passed on.
 */
export const answerError = (
  status: number,
  error: ChatError | null,
  { requestId }: AnswerOptions,
): TranslatedResponse => ({
  status,
  body: Buffer.from(errorText(error ?? statusError(status), requestId)),
  usage: null,
});

/** A successful response that cannot be read counts as an upstream error. */
export const answerUnreadable = (options: AnswerOptions): TranslatedResponse =>
  answerError(502, unreadableError, options);

const statusError = (status: number): ChatError => ({
  message: `the upstream answered ${status}`,
  type: 'upstream_error',
  code: null,
});

/** Bounds the part of a vendor's message that is copied to a header or log. */
export const messageCharactersMax = 4096;
