// What a chat server says in a message or in a piece of one, whichever dialect it speaks: reasoning
// has no place in the chat API, so that each server has made its own (wire reference 2.3).

import { isObject, listOf, member, textOf } from '../json.ts';
import type { JsonObject } from '../json.ts';

export type Said = Readonly<{ reasoning: string; text: string; refusal: string }>;

/** `said` is a message, or the delta of a chunk. */
export function readSaid(said: JsonObject): Said {
  const content = member(said, 'content');
  const isList = Array.isArray(content);
  return {
    reasoning: reasoningOf(said) + (isList ? listed(content, 'thinking') : ''),
    text: isList ? listed(content, 'text') : typeof content === 'string' ? content : '',
    refusal: textOf(said, 'refusal') ?? '',
  };
}

/** The same reasoning may be told in two of these ways at once. */
const reasoningOf = (said: JsonObject): string =>
  textOf(said, 'reasoning_content') || textOf(said, 'reasoning') || detailedReasoning(said);

const detailedReasoning = (said: JsonObject): string =>
  listOf(said, 'reasoning_details')
    .filter(isObject)
    .map((detail) => textOf(detail, 'text') ?? textOf(detail, 'summary') ?? '')
    .join('');

/** The text of those parts of a content that are of one type; thinking may hold a list in turn. */
function listed(content: readonly unknown[], type: 'text' | 'thinking'): string {
  let text = '';
  for (const part of content) {
    if (!isObject(part) || member(part, 'type') !== type) continue;
    const value = member(part, type);
    if (typeof value === 'string') text += value;
    else if (Array.isArray(value)) text += listed(value, 'text');
  }
  return text;
}
