// What a client of the chat protocol is answered: the parts that are the same whichever vendor's
// answer they are made from (wire reference 2.2, 2.6).

import type { JsonObject } from './json.ts';
import type { AnswerOptions, TranslatedResponse, TranslatedUsage } from './translation.ts';

export type FinishReason = 'stop' | 'length' | 'tool_calls' | 'content_filter';

/** As the chat protocol spells token counts. */
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
  /** The vendor's own name of the kind of error, where it gave one. */
  type: string;
  code: string | null;
}>;

/** The error envelope, as JSON. */
export const errorText = ({ message, type, code }: ChatError, requestId: string): string =>
  JSON.stringify({ error: { message, type, param: null, code, request_id: requestId } });

/** What is said of an answer that ended before its end. */
export const truncatedError: ChatError = {
  message: 'the upstream ended its answer before it was whole',
  type: 'upstream_error',
  code: 'truncated',
};

export const oversizedError: ChatError = {
  message: 'the upstream sent an event that is too large',
  type: 'upstream_error',
  code: 'event_too_large',
};

export const unreadableError: ChatError = {
  message: 'the upstream answered with something that is not its protocol',
  type: 'upstream_error',
  code: 'unreadable_answer',
};

/**
 * The status stays the vendor's own. `error` is null for what is no error of the vendor, as of a
 * balancer in between: its page is not for clients of an API.
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

/** A success that cannot be read is the upstream's fault. */
export const answerUnreadable = (options: AnswerOptions): TranslatedResponse =>
  answerError(502, unreadableError, options);

const statusError = (status: number): ChatError => ({
  message: `the upstream answered ${status}`,
  type: 'upstream_error',
  code: null,
});

/** What a vendor's message may take of an answer's head or log. */
export const messageCharactersMax = 4096;
