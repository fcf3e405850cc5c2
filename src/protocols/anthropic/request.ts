// Translates a chat completion request to a request of the Messages API
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

/**
 * Refuses a missing output limit (400), features that the API does not have (501) and malformed
 * parts (400).
 */
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
  'is required: the model has no default_max_tokens and its backend speaks protocol anthropic',
);

/** Zero is the API's default. */
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
 * Chat allows up to 2, the API up to 1. The API's default is omitted: newer models reject every
 * other value, and newer versions of the API reject the parameter.
 */
function samplingOf({ temperature, topP, topK }: Chat) {
  return {
    ...(temperature !== null && temperature < 1 && { temperature }),
    ...(topP !== null && topP !== 1 && { top_p: topP }),
    ...(topK !== null && topK !== 0 && { top_k: topK }),
  };
}

/** The API has no json_object mode. The prompt must ask for JSON. */
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
