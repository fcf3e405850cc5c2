// Writes a chat that came in by another protocol as the body of a chat completion, for a backend that
// speaks chat itself (wire reference 2.1).

import type { Chat, ChatTool } from '../chat.ts';
import { writeJson } from '../json.ts';
import type { JsonObject } from '../json.ts';
import { nestedTooDeeply } from '../refusal.ts';
import type { ProtocolRefusal, Refusals } from '../refusal.ts';
import { refuseToolChoice } from '../tool-choice.ts';
import { isStrictSchema } from './strict-schema.ts';
import { chatMessages } from './write-messages.ts';

/** `model` is the upstream's name of it. Refused: media that a chat has no words for (501). */
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

/** The API refuses a longer one. Its beginning still tells users apart. */
const userCharactersMax = 64;

/** OpenAI's models that reason refuse the older name, and many other servers do not know the newer. */
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

/** Strict where the schema is one that the API takes so: then the answer is certain to follow it. */
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

/** Not to think is what is meant without it too, and a model that does not think refuses the word. */
const effortOf = ({ reasoningEffort }: Chat): JsonObject =>
  reasoningEffort === null || reasoningEffort === 'none'
    ? {}
    : { reasoning_effort: reasoningEffort };
