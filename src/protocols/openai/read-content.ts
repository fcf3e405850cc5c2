// Reads the content of a message or delta in any variant of the chat API. Each server has its own
// member for reasoning (wire reference 2.3).

import { isObject, listOf, member, textOf } from '../json.ts';
import type { JsonObject } from '../json.ts';

export type ChatContent = Readonly<{ reasoning: string; text: string; refusal: string }>;

/** `delta` may be a message. */
export function readContent(delta: JsonObject): ChatContent {
  const content = member(delta, 'content');
  const isList = Array.isArray(content);
  return {
    reasoning: reasoningOf(delta) + (isList ? listed(content, 'thinking') : ''),
    text: isList ? listed(content, 'text') : typeof content === 'string' ? content : '',
    refusal: textOf(delta, 'refusal') ?? '',
  };
}

/** A server may send the same reasoning in two of these members. */
const reasoningOf = (delta: JsonObject): string =>
  textOf(delta, 'reasoning_content') || textOf(delta, 'reasoning') || detailedReasoning(delta);

const detailedReasoning = (delta: JsonObject): string =>
  listOf(delta, 'reasoning_details')
    .filter(isObject)
    .map((detail) => textOf(detail, 'text') ?? textOf(detail, 'summary') ?? '')
    .join('');

/** Joins the text of all parts of one type. Thinking parts may contain a list. */
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
