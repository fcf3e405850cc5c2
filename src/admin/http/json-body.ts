// Parses a JSON body: UTF-8 (RFC 8259, section 8.1), limited depth, no `__proto__`, and no
// duplicate keys, which parsers read differently.

import { isUtf8 } from 'node:buffer';

import { refuse } from '../../lib/refusal.ts';
import type { Refusal } from '../../lib/refusal.ts';
import { shortened } from '../../lib/text.ts';

const depthMax = 64;

/**
 * Wrapped, so that a body is never mistaken for a refusal. Undefined if the client announced JSON
 * but sent no body.
 */
export function readJsonBody(bytes: Buffer): Readonly<{ value: unknown }> | Refusal {
  if (!isUtf8(bytes)) return refuse('invalid', 'body: must be UTF-8');
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
    return refuse('invalid', 'body: must be valid JSON');
  }
  if (hasPrototype) {
    return refuse('invalid', '__proto__ is not a known field', { param: '__proto__' });
  }
  const repeated = repeatedKey(text);
  if (repeated === null) return { value };
  const param = shortened(repeated);
  return refuse('invalid', `body: ${param} occurs twice`, { param });
}

/** Counts brackets outside of strings. The parser refuses malformed text. */
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

/** Finds the first duplicate key. The text must be valid JSON. */
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

/** The index of the quote that closes the string. */
function stringEnd(text: string, start: number): number {
  let index = start + 1;
  while (text.charAt(index) !== '"') index += text.charAt(index) === '\\' ? 2 : 1;
  return index;
}

/** In valid JSON, only keys are followed by a colon. */
function isKey(text: string, end: number): boolean {
  let index = end + 1;
  while (/\s/.test(text.charAt(index))) index += 1;
  return text.charAt(index) === ':';
}
