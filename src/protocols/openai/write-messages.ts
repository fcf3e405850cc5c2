// Writes messages for chat servers: text as one string, user media as parts. Tool messages only
// hold text, so media of tool results go to a user message after the results, which must directly
// follow their calls.

import type { ChatMessage, ChatPart, ChatToolCall } from '../chat.ts';
import { writeJson } from '../json.ts';
import type { JsonObject } from '../json.ts';
import { nestedTooDeeply, unsupported } from '../refusal.ts';
import type { Refusals } from '../refusal.ts';

export function chatMessages(
  messages: readonly ChatMessage[],
  refusals: Refusals,
): readonly JsonObject[] {
  const written: JsonObject[] = [];
  let shown: JsonObject[] = [];
  for (const message of messages) {
    if (message.role === 'tool') {
      const media = message.parts.filter(({ kind }) => kind !== 'text');
      written.push(toolMessage(message, media.length > 0));
      if (media.length > 0) {
        shown.push(textPart(`Shown by the result of ${message.toolCallId}:`));
        shown.push(...mediaParts(media, refusals));
      }
      continue;
    }
    if (message.role === 'user') written.push(userMessage(message.parts, shown, refusals));
    else {
      if (shown.length > 0) written.push({ role: 'user', content: shown });
      written.push(spoken(message, refusals));
    }
    shown = [];
  }
  if (shown.length > 0) written.push({ role: 'user', content: shown });
  return written;
}

type Spoken = Extract<ChatMessage, { role: 'system' | 'assistant' }>;
type Result = Extract<ChatMessage, { role: 'tool' }>;

const shownBelow = 'The result is shown in the next message of the user.';

const toolMessage = ({ toolCallId, parts }: Result, hasMedia: boolean): JsonObject => ({
  role: 'tool',
  tool_call_id: toolCallId,
  content: joinedText(parts, '\n') ?? (hasMedia ? shownBelow : ''),
});

function spoken(message: Spoken, refusals: Refusals): JsonObject {
  const { role, parts } = message;
  for (const { kind, at } of parts) {
    if (kind === 'text') continue;
    refusals.push(unsupported('openai', `${kind} blocks in a message of role ${role}`, at));
  }
  const content = joinedText(parts, '\n\n');
  if (role === 'system') return { role, content: content ?? '' };
  const calls = message.toolCalls.map((call) => toolCall(call, refusals));
  const { extraContent } = message;
  return {
    role,
    content,
    ...(calls.length > 0 && { tool_calls: calls }),
    ...(extraContent !== null && { extra_content: extraContent }),
  };
}

function joinedText(parts: readonly ChatPart[], separator: string): string | null {
  const texts = parts.flatMap((part) => (part.kind === 'text' ? [part.text] : []));
  return texts.length === 0 ? null : texts.join(separator);
}

function toolCall({ id, name, input, extraContent }: ChatToolCall, refusals: Refusals): JsonObject {
  const text = writeJson(input);
  if (text === null) refusals.push(nestedTooDeeply);
  return {
    id,
    type: 'function',
    function: { name, arguments: text ?? '' },
    ...(extraContent !== null && { extra_content: extraContent }),
  };
}

function userMessage(
  parts: readonly ChatPart[],
  shown: readonly JsonObject[],
  refusals: Refusals,
): JsonObject {
  const isText = shown.length === 0 && parts.every(({ kind }) => kind === 'text');
  const content = isText ? joinedText(parts, '\n\n') : [...shown, ...mediaParts(parts, refusals)];
  return { role: 'user', content };
}

const textPart = (text: string): JsonObject => ({ type: 'text', text });

const mediaParts = (parts: readonly ChatPart[], refusals: Refusals): readonly JsonObject[] =>
  parts.map((part) => contentPart(part, refusals)).filter((part) => part !== null);

function contentPart(part: ChatPart, refusals: Refusals): JsonObject | null {
  switch (part.kind) {
    case 'text':
      return textPart(part.text);
    case 'image':
      return { type: 'image_url', image_url: { url: part.url } };
    case 'audio':
      return { type: 'input_audio', input_audio: { data: part.data, format: part.format } };
    case 'file': {
      const { data, filename, at } = part;
      if (data === null || !data.startsWith('data:')) {
        refusals.push(unsupported('openai', 'documents by their URL', at));
        return null;
      }
      // The API requires a file name with the data.
      return { type: 'file', file: { filename: filename ?? 'document.pdf', file_data: data } };
    }
  }
}
