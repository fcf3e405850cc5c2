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
  const { depth, keys } = shapeOf(text);
  if (depth > depthMax) return refuse('invalid', `body: deeper than ${depthMax} levels`);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return refuse('invalid', 'body: must be valid JSON');
  }
  const counted = { keys: 0, hasPrototype: false };
  countKeys(value, counted);
  if (counted.hasPrototype) {
    return refuse('invalid', '__proto__ is not a known field', { param: '__proto__' });
  }
  // Duplicate keys are one key of the value.
  if (counted.keys === keys) return { value };
  const param = shortened(repeatedKey(text) ?? '');
  return refuse('invalid', `body: ${param} occurs twice`, { param });
}

const [quote, backslash, colon] = [0x22, 0x5c, 0x3a];
const [openBrace, closeBrace, openBracket, closeBracket] = [0x7b, 0x7d, 0x5b, 0x5d];

/** Counts brackets and keys outside of strings. The parser refuses malformed text. */
function shapeOf(text: string): Readonly<{ depth: number; keys: number }> {
  let [depth, deepest, keys] = [0, 0, 0];
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    if (code === quote) {
      index = stringEnd(text, index);
      if (index === -1) break;
    } else if (code === colon) keys += 1;
    else if (code === openBrace || code === openBracket) {
      depth += 1;
      if (depth > deepest) deepest = depth;
    } else if (code === closeBrace || code === closeBracket) depth -= 1;
  }
  return { depth: deepest, keys };
}

function countKeys(value: unknown, counted: { keys: number; hasPrototype: boolean }): void {
  if (typeof value !== 'object' || value === null) return;
  if (Array.isArray(value)) {
    for (const each of value) countKeys(each, counted);
    return;
  }
  const keys = Object.keys(value);
  counted.keys += keys.length;
  counted.hasPrototype ||= Object.hasOwn(value, '__proto__');
  for (const each of Object.values(value)) countKeys(each, counted);
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

/** The index of the quote that closes the string; -1 if there is none. */
function stringEnd(text: string, start: number): number {
  let end = text.indexOf('"', start + 1);
  while (end !== -1 && isEscaped(text, end)) end = text.indexOf('"', end + 1);
  return end;
}

function isEscaped(text: string, index: number): boolean {
  let before = index - 1;
  while (text.charCodeAt(before) === backslash) before -= 1;
  return (index - before) % 2 === 0;
}

/** In valid JSON, only keys are followed by a colon. */
function isKey(text: string, end: number): boolean {
  let index = end + 1;
  while (/\s/.test(text.charAt(index))) index += 1;
  return text.charAt(index) === ':';
}
