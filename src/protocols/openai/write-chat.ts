// Writes a chat completion request for a chat backend from a request of another API (wire reference
// 2.1).

import type { Chat, ChatTool } from '../chat.ts';
import { writeJson } from '../json.ts';
import type { JsonObject } from '../json.ts';
import { nestedTooDeeply } from '../refusal.ts';
import type { ProtocolRefusal, Refusals } from '../refusal.ts';
import { refuseToolChoice } from '../tool-choice.ts';
import { isStrictSchema } from './strict-schema.ts';
import { chatMessages } from './write-messages.ts';

/** `model` is the upstream name. Refuses media that a chat cannot represent (501). */
export function writeChat(chat: Chat, model: string): Buffer | ProtocolRefusal {
  const refusals: Refusals = [];
  refuseToolChoice(chat, refusals);
  const { maxTokens, temperature, topP, topK, stop, user, isStream } = chat;
  const body = {
    model,
    messages: chatMessages(chat.messages, refusals),
    ...(maxTokens !== null && { [maxTokensName(model)]: maxTokens }),
    ...(temperature !== null && { temperature }),
    ...(topP !== null && { top_p: topP }),
    ...(topK !== null && { top_k: topK }),
    ...(stop.length > 0 && { stop }),
    ...toolsOf(chat),
    ...responseFormatOf(chat),
    ...effortOf(chat),
    ...(user !== null && { user: user.slice(0, userCharactersMax) }),
    ...(isStream && { stream: true, stream_options: { include_usage: true } }),
  };
  const [refusal] = refusals;
  if (refusal !== undefined) return refusal;
  const text = writeJson(body);
  return text === null ? nestedTooDeeply : Buffer.from(text);
}

/** The API rejects longer ids. The prefix still distinguishes users. */
const userCharactersMax = 64;

/**
 * OpenAI's reasoning models reject the older name, and many other servers do not know the newer
 * one.
 */
const maxTokensName = (model: string): string =>
  /(?:^|\/)(?:o[1-9]|gpt-(?:[5-9]|\d\d))(?![a-z\d])/.test(model)
    ? 'max_completion_tokens'
    : 'max_tokens';

function toolsOf({ tools, toolChoice, parallelToolCalls }: Chat): JsonObject {
  if (tools.length === 0) return {};
  const [name] = toolChoice?.names ?? [];
  const choice = name === undefined ? toolChoice?.mode : { type: 'function', function: { name } };
  return {
    tools: tools.map(toolOf),
    ...(choice !== undefined && { tool_choice: choice }),
    ...(parallelToolCalls === false && { parallel_tool_calls: false }),
  };
}

const toolOf = ({ name, description, parameters, strict }: ChatTool): JsonObject => ({
  type: 'function',
  function: {
    name,
    ...(description !== null && { description }),
    parameters,
    ...(strict === true && { strict }),
  },
});

/** Strict if the API accepts the schema as strict, which guarantees that the answer follows it. */
function responseFormatOf({ responseFormat }: Chat): JsonObject {
  if (responseFormat.kind !== 'json_schema') return {};
  const { schema } = responseFormat;
  const strict = schema !== null && isStrictSchema(schema);
  return {
    response_format: {
      type: 'json_schema',
      json_schema: { name: 'answer', schema, ...(strict && { strict }) },
    },
  };
}

/** No thinking is the default, and models that cannot think reject the value. */
const effortOf = ({ reasoningEffort }: Chat): JsonObject =>
  reasoningEffort === null || reasoningEffort === 'none'
    ? {}
    : { reasoning_effort: reasoningEffort };
