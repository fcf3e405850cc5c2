// Translates a chat completion request to a generateContent request
// (https://ai.google.dev/api/generate-content; Gateway rule 14).

import type { Chat } from '../chat.ts';
import { writeJson } from '../json.ts';
import type { JsonObject } from '../json.ts';
import { nestedTooDeeply } from '../refusal.ts';
import type { ProtocolRefusal, Refusals } from '../refusal.ts';
import { refuseToolChoice } from '../tool-choice.ts';
import type { RequestOptions, TranslatedRequest } from '../translation.ts';
import { conversationOf } from './conversation.ts';
import { schemaOf } from './schema.ts';
import { targetOf } from './target.ts';
import { thinkingConfigOf } from './thinking.ts';
import { callingConfigOf, declarationsOf } from './tools.ts';

/**
 * Refuses results of unknown calls and malformed parts (400), and features that the API does not
 * have (501).
 */
export function translateRequest(
  chat: Chat,
  model: string,
  options: RequestOptions,
): TranslatedRequest | ProtocolRefusal {
  const refusals: Refusals = [];
  refuseToolChoice(chat, refusals);
  const target = targetOf(model, options.basePath);
  const functionDeclarations = declarationsOf(chat, refusals);
  const functionCallingConfig = callingConfigOf(chat, target);
  const generationConfig = generationConfigOf(chat, model, options, refusals);
  const body = {
    ...conversationOf(chat.messages, target, refusals),
    ...(functionDeclarations.length > 0 && { tools: [{ functionDeclarations }] }),
    ...(functionCallingConfig !== null && { toolConfig: { functionCallingConfig } }),
    ...(Object.keys(generationConfig).length > 0 && { generationConfig }),
  };
  const [refusal] = refusals;
  if (refusal !== undefined) return refusal;
  const text = writeJson(body);
  if (text === null) return nestedTooDeeply;
  const accept = chat.isStream ? 'text/event-stream' : 'application/json';
  return {
    path: options.basePath + pathOf(model, chat.isStream),
    headers: ['content-type', 'application/json', 'accept', accept],
    body: Buffer.from(text),
  };
}

/**
 * Model lists prefix names with `models/`. Without `alt=sse` the stream would be one JSON array.
 */
function pathOf(model: string, isStream: boolean): string {
  const name = encodeURIComponent(model.replace(/^models\//, '').toWellFormed());
  return `/models/${name}:${isStream ? 'streamGenerateContent?alt=sse' : 'generateContent'}`;
}

/** Omits values that equal the API's default, because some models reject the parameter. */
function generationConfigOf(
  chat: Chat,
  model: string,
  { defaultMaxTokens }: RequestOptions,
  refusals: Refusals,
): JsonObject {
  const { temperature, topP, topK, frequencyPenalty, presencePenalty, stop } = chat;
  const maxOutputTokens = chat.maxTokens ?? defaultMaxTokens;
  const thinkingConfig = thinkingConfigOf(chat, model);
  return {
    ...(maxOutputTokens !== null && { maxOutputTokens }),
    ...(temperature !== null && { temperature }),
    ...(topP !== null && { topP }),
    ...(topK !== null && topK !== 0 && { topK }),
    ...(frequencyPenalty !== null && frequencyPenalty !== 0 && { frequencyPenalty }),
    ...(presencePenalty !== null && presencePenalty !== 0 && { presencePenalty }),
    ...(stop.length > 0 && { stopSequences: stop }),
    ...responseFormatOf(chat, refusals),
    ...(thinkingConfig !== null && { thinkingConfig }),
  };
}

function responseFormatOf({ responseFormat: format }: Chat, refusals: Refusals): JsonObject {
  if (format.kind === 'text') return {};
  const responseMimeType = 'application/json';
  if (format.kind === 'json_object' || format.schema === null) return { responseMimeType };
  const at = 'response_format.json_schema.schema';
  return { responseMimeType, responseJsonSchema: schemaOf(format.schema, at, refusals) };
}
