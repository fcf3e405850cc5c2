// Computes the key of a conversation, which is equal for all turns, so that they reach the backend
// that has the beginning cached. It hashes the prompt up to the first user message, which every
// later turn repeats, but at most a prefix: conversations with a long common beginning share a key.

import { hashBytes } from '../../routing/hash.ts';
import { scanMembers, skipSpace, skipString, skipValue } from './json-scan.ts';
import type { MemberVisitor } from './json-scan.ts';

const promptKeys = ['messages', 'input', 'prompt', 'query', 'queries'] as const;
export const openBracket = 0x5b;
export const openBrace = 0x7b;
export const comma = 0x2c;

/** `open` is the offset of the body's opening brace. The body must be valid JSON. */
export function conversationKey(body: Buffer, open: number, prefixBytes: number): number {
  const start = memberStart(body, open, promptKeys);
  if (start === -1) return hashBytes(body, 0, Math.min(body.length, prefixBytes));
  const bound = Math.min(start + prefixBytes, body.length);
  return hashBytes(body, start, Math.min(firstTurnEnd(body, start, bound), bound));
}

/** The offset of the value of the first member with one of these names, or -1. */
export function memberStart(body: Buffer, open: number, names: readonly string[]): number {
  let at = skipSpace(body, open + 1);
  while (body[at] === 0x22) {
    const keyEnd = skipString(body, at);
    const value = skipSpace(body, skipSpace(body, keyEnd) + 1);
    if (isOneOf(body, at, keyEnd, names)) return value;
    const end = skipSpace(body, skipValue(body, value, 1, { mediaBytes: 0 }));
    if (body[end] !== comma) return -1;
    at = skipSpace(body, end + 1);
  }
  return -1;
}

/** The end of the first user message, or the bound. For a value that is not a list, its end. */
function firstTurnEnd(body: Buffer, start: number, bound: number): number {
  if (body[start] !== openBracket) return skipValue(body, start, 1, { mediaBytes: 0 });
  let at = skipSpace(body, start + 1);
  while (at < bound && body[at] === openBrace) {
    const role = new RoleReader(body);
    const end = scanMembers(body, at, { mediaBytes: 0 }, role);
    if (role.isUser) return end;
    const next = skipSpace(body, end);
    if (body[next] !== comma) return end;
    at = skipSpace(body, next + 1);
  }
  return bound;
}

class RoleReader implements MemberVisitor {
  isUser = false;
  readonly #body: Buffer;

  constructor(body: Buffer) {
    this.#body = body;
  }

  member(key: number, keyEnd: number, value: number, valueEnd: number): boolean {
    if (isText(this.#body, key, keyEnd, 'role')) {
      this.isUser = isText(this.#body, value, valueEnd, 'user');
    }
    return true;
  }
}

function isOneOf(body: Buffer, start: number, end: number, names: readonly string[]): boolean {
  for (const name of names) if (isText(body, start, end, name)) return true;
  return false;
}

/** The offsets are of a JSON string with its quotes. The text must be ASCII. */
export function isText(body: Buffer, start: number, end: number, text: string): boolean {
  if (end - start !== text.length + 2) return false;
  for (let index = 0; index < text.length; index++) {
    if (body[start + 1 + index] !== text.charCodeAt(index)) return false;
  }
  return true;
}
