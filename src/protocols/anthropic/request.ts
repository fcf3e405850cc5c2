// A chat completion request as a request of the Messages API
// (https://platform.claude.com/docs/en/api/messages; Gateway rule 14).

import type { Chat } from '../chat.ts';
import { writeJson } from '../json.ts';
import { invalid, nestedTooDeeply, unsupported } from '../refusal.ts';
import type { ProtocolRefusal, Refusals } from '../refusal.ts';
import { refuseToolChoice } from '../tool-choice.ts';
import type { RequestOptions, TranslatedRequest } from '../translation.ts';
import { conversationOf } from './conversation.ts';
import { anthropic } from './facts.ts';
import { closedSchema } from './schema.ts';
import { thinkingOf } from './thinking.ts';
import { toolChoiceOf, toolsOf } from './tools.ts';

/** Refused: no cap on the answer (400), what the API has no words for (501), a part of the wrong form (400). */
export function translateRequest(
  chat: Chat,
  model: string,
  options: RequestOptions,
): TranslatedRequest | ProtocolRefusal {
  const refusals: Refusals = [];
  refusePenalties(chat, refusals);
  const maxTokens = chat.maxTokens ?? options.defaultMaxTokens;
  if (maxTokens === null) return withoutMaxTokens;
  refuseToolChoice(chat, refusals);
  const tools = toolsOf(chat);
  const toolChoice = toolChoiceOf(chat);
  const thinking = thinkingOf(chat, model, maxTokens);
  const body = {
    model,
    max_tokens: maxTokens,
    ...conversationOf(chat.messages, refusals),
    ...(tools.length > 0 && { tools }),
    ...(toolChoice !== null && { tool_choice: toolChoice }),
    ...(thinking.thinking !== null && { thinking: thinking.thinking }),
    ...outputConfigOf(chat, thinking.effort),
    ...(chat.stop.length > 0 && { stop_sequences: chat.stop }),
    ...(thinking.thinking === null && samplingOf(chat)),
    ...(chat.user !== null && { metadata: { user_id: chat.user } }),
    ...(chat.isStream && { stream: true }),
  };
  const [refusal] = refusals;
  if (refusal !== undefined) return refusal;
  const text = writeJson(body);
  if (text === null) return nestedTooDeeply;
  const accept = ['accept', chat.isStream ? 'text/event-stream' : 'application/json'];
  return {
    path: `${options.basePath}${options.basePath.endsWith('/v1') ? '' : '/v1'}/messages`,
    headers: ['content-type', 'application/json', ...anthropic.requestHeaders, ...accept],
    body: Buffer.from(text),
  };
}

const withoutMaxTokens = invalid(
  'max_tokens',
  'is required by a backend of protocol anthropic whose model has no default_max_tokens',
);

/** Zero is what the API does anyway. */
function refusePenalties(chat: Chat, refusals: Refusals): void {
  const penalties = [
    ['frequency_penalty', chat.frequencyPenalty],
    ['presence_penalty', chat.presencePenalty],
  ] as const;
  for (const [name, penalty] of penalties) {
    if (penalty !== null && penalty !== 0) refusals.push(unsupported('anthropic', name, name));
  }
}

/**
 * Chat goes up to 2, where the API ends at 1. What equals the API's own default is left out, since
 * newer models take nothing else and newer versions of the API not even that.
 */
function samplingOf({ temperature, topP, topK }: Chat) {
  return {
    ...(temperature !== null && temperature < 1 && { temperature }),
    ...(topP !== null && topP !== 1 && { top_p: topP }),
    ...(topK !== null && topK !== 0 && { top_k: topK }),
  };
}

/** A bare json_object has no counterpart: the prompt has to ask for it. */
function outputConfigOf({ responseFormat: format }: Chat, effort: string | null) {
  const schema = format.kind === 'json_schema' ? format.schema : null;
  if (schema === null && effort === null) return {};
  return {
    output_config: {
      ...(effort !== null && { effort }),
      ...(schema !== null && { format: { type: 'json_schema', schema: closedSchema(schema) } }),
    },
  };
}
