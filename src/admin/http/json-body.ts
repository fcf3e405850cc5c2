// Reads a JSON body: UTF-8 (RFC 8259, section 8.1), bounded in depth, with no key that could become a prototype and none twice in one
// object, of which two readers could take different ones; and nothing when there is nothing.

import { isUtf8 } from 'node:buffer';

import { refuse } from '../../lib/refusal.ts';
import type { Refusal } from '../../lib/refusal.ts';
import { shortened } from '../../lib/text.ts';

const depthMax = 64;

/** Wrapped, so that a body can never be taken for a refusal. A client may announce JSON and send none: that is undefined. */
export function readJsonBody(bytes: Buffer): Readonly<{ value: unknown }> | Refusal {
  if (!isUtf8(bytes)) return refuse('invalid', 'body: not UTF-8');
  const text = bytes.toString('utf8');
  if (text.trim() === '') return { value: undefined };
  if (depthOf(text) > depthMax) return refuse('invalid', `body: deeper than ${depthMax} levels`);
  let hasPrototype = false;
  const noteKey = (key: string, value: unknown): unknown => {
    hasPrototype ||= key === '__proto__';
    return value;
  };
  let value: unknown;
  try {
    value = JSON.parse(text, noteKey);
  } catch {
    return refuse('invalid', 'body: not valid JSON');
  }
  if (hasPrototype) {
    return refuse('invalid', '__proto__ is not a known field', { param: '__proto__' });
  }
  const repeated = repeatedKey(text);
  if (repeated === null) return { value };
  const param = shortened(repeated);
  return refuse('invalid', `body: ${param} is there twice`, { param });
}

/** Counts brackets outside of strings. Not a parser: on malformed text the parser has the last word. */
function depthOf(text: string): number {
  let depth = 0;
  let deepest = 0;
  let inString = false;
  for (let index = 0; index < text.length; index += 1) {
    const character = text.charAt(index);
    if (inString) {
      if (character === '\\') index += 1;
      else if (character === '"') inString = false;
    } else if (character === '"') inString = true;
    else if (character === '{' || character === '[') deepest = Math.max(deepest, (depth += 1));
    else if (character === '}' || character === ']') depth -= 1;
  }
  return deepest;
}

/** Of text that is JSON: the first key that an object has again. */
function repeatedKey(text: string): string | null {
  const objects: Set<string>[] = [];
  for (let index = 0; index < text.length; index += 1) {
    const character = text.charAt(index);
    if (character === '{' || character === '[') objects.push(new Set());
    else if (character === '}' || character === ']') objects.pop();
    else if (character === '"') {
      const end = stringEnd(text, index);
      if (isKey(text, end)) {
        const key = String(JSON.parse(text.slice(index, end + 1)));
        const keys = objects.at(-1);
        if (keys?.has(key) === true) return key;
        keys?.add(key);
      }
      index = end;
    }
  }
  return null;
}

/** Where the quote is that ends the string which begins at `start`. */
function stringEnd(text: string, start: number): number {
  let index = start + 1;
  while (text.charAt(index) !== '"') index += text.charAt(index) === '\\' ? 2 : 1;
  return index;
}

/** In JSON only a key has a colon behind it. */
function isKey(text: string, end: number): boolean {
  let index = end + 1;
  while (/\s/.test(text.charAt(index))) index += 1;
  return text.charAt(index) === ':';
}
