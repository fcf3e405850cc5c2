// Builds the parts of a chat answer that do not depend on the vendor (wire reference 2.2, 2.6).

import type { JsonObject } from './json.ts';
import type { AnswerOptions, TranslatedResponse, TranslatedUsage } from './translation.ts';

export type FinishReason = 'stop' | 'length' | 'tool_calls' | 'content_filter';

export function usageMembers(usage: TranslatedUsage): JsonObject {
  const { promptTokens, completionTokens, cachedTokens, cacheWriteTokens, reasoningTokens } = usage;
  const isDetailed = cachedTokens !== null || cacheWriteTokens !== null;
  return {
    prompt_tokens: promptTokens,
    completion_tokens: completionTokens,
    total_tokens: promptTokens + completionTokens,
    ...(isDetailed && {
      prompt_tokens_details: {
        cached_tokens: cachedTokens ?? 0,
        ...(cacheWriteTokens !== null && { cache_write_tokens: cacheWriteTokens }),
      },
    }),
    ...(reasoningTokens !== null && {
      completion_tokens_details: { reasoning_tokens: reasoningTokens },
    }),
  };
}

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
