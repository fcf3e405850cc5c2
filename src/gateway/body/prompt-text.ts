// Extracts the text by which a request is classified: the last user message of chats, messages,
// completions and responses. Only text parts count; instructions and model answers do not. Creates
// strings only for the returned text.

import { textMax } from '../../classifier/encoder.ts';
import { comma, isText, memberStart, openBrace, openBracket } from './conversation.ts';
import { scanMembers, skipSpace, skipValue } from './json-scan.ts';
import type { MemberVisitor } from './json-scan.ts';
import type { ProxiedRoute } from '../routes.ts';

const promptNames: Readonly<Record<string, readonly string[]>> = {
  '/chat/completions': ['messages'],
  '/messages': ['messages'],
  '/completions': ['prompt'],
  '/responses': ['input'],
};

/** Most texts are ASCII with few escapes. Other characters take at most six bytes. */
const likelyBytes = textMax + 500;
const textBytesMax = textMax * 6;
const quote = 0x22;
const backslash = 0x5c;

/** `open` is the offset of the body's opening brace. The body must be valid JSON. Null when there is no such text. */
export function promptText(body: Buffer, open: number, { path }: ProxiedRoute): string | null {
  const names = promptNames[path];
  const start = names === undefined ? -1 : memberStart(body, open, names);
  if (start === -1) return null;
  const text = textOf(body, path === '/completions' ? start : lastUserContent(body, start));
  return text === null || !/\S/.test(text) ? null : text;
}

/** The offset of the content of the last user message. A value that is not a list of messages is returned unchanged. */
function lastUserContent(body: Buffer, start: number): number {
  if (body[start] !== openBracket) return start;
  const contents: number[] = [];
  for (const at of elementsOf(body, start)) {
    const message = new Message(body);
    if (body[at] === openBrace) scanMembers(body, at, { mediaBytes: 0 }, message);
    if (message.isUser && message.content !== -1) contents.push(message.content);
  }
  // Tool results have the role `user`, but are not the user's text.
  return contents.findLast((content) => !isToolResult(body, content)) ?? -1;
}

function textOf(body: Buffer, at: number): string | null {
  if (body[at] === quote) return stringAt(body, at);
  if (body[at] !== openBracket) return null;
  let text = '';
  for (const part of elementsOf(body, at)) {
    const own = body[part] === quote ? stringAt(body, part) : partText(body, part);
    if (own !== null) text += text === '' ? own : `\n${own}`;
    if (text.length >= textMax) break;
  }
  return text;
}

function partText(body: Buffer, at: number): string | null {
  if (body[at] !== openBrace) return null;
  const part = new Part(body);
  scanMembers(body, at, { mediaBytes: 0 }, part);
  return part.isText && body[part.text] === quote ? stringAt(body, part.text) : null;
}

function isToolResult(body: Buffer, content: number): boolean {
  if (body[content] !== openBracket) return false;
  let hasParts = false;
  for (const at of elementsOf(body, content)) {
    const part = new Part(body);
    if (body[at] === openBrace) scanMembers(body, at, { mediaBytes: 0 }, part);
    if (!part.isToolResult) return false;
    hasParts = true;
  }
  return hasParts;
}

/** Yields the offsets of a list's elements. */
function* elementsOf(body: Buffer, list: number): Generator<number> {
  for (let at = skipSpace(body, list + 1); body[at] !== openBracket + 2;) {
    yield at;
    const end = skipSpace(body, skipValue(body, at, 1, { mediaBytes: 0 }));
    if (body[end] !== comma) return;
    at = skipSpace(body, end + 1);
  }
}

/** At most as long as a classifier reads. */
function stringAt(body: Buffer, open: number): string {
  const first = stringWithin(body, open, likelyBytes);
  if (first.isComplete || first.text.length >= textMax) return first.text.slice(0, textMax);
  return stringWithin(body, open, textBytesMax).text.slice(0, textMax);
}

function stringWithin(
  body: Buffer,
  open: number,
  bytesMax: number,
): Readonly<{ text: string; isComplete: boolean }> {
  const bound = Math.min(body.length, open + 1 + bytesMax);
  let end = open + 1;
  while (end < bound && body[end] !== quote) {
    if (body[end] === backslash) end += body[end + 1] === 0x75 ? 6 : 2;
    else end++;
  }
  const isComplete = body[end] === quote;
  // Do not cut a UTF-8 character.
  while (((body[end] ?? 0) & 0xc0) === 0x80) end--;
  const text: unknown = JSON.parse(`"${body.toString('utf8', open + 1, end)}"`);
  return { text: String(text), isComplete };
}

class Message implements MemberVisitor {
  isUser = false;
  /** The offset of its value, or -1. */
  content = -1;
  readonly #body: Buffer;

  constructor(body: Buffer) {
    this.#body = body;
  }

  member(key: number, keyEnd: number, value: number, valueEnd: number): boolean {
    if (isText(this.#body, key, keyEnd, 'role')) {
      this.isUser = isText(this.#body, value, valueEnd, 'user');
    } else if (isText(this.#body, key, keyEnd, 'content')) this.content = value;
    return true;
  }
}

class Part implements MemberVisitor {
  isText = false;
  isToolResult = false;
  /** The offset of its value, or -1. */
  text = -1;
  readonly #body: Buffer;

  constructor(body: Buffer) {
    this.#body = body;
  }

  member(key: number, keyEnd: number, value: number, valueEnd: number): boolean {
    const body = this.#body;
    if (isText(body, key, keyEnd, 'type')) {
      this.isText =
        isText(body, value, valueEnd, 'text') || isText(body, value, valueEnd, 'input_text');
      this.isToolResult = isText(body, value, valueEnd, 'tool_result');
    } else if (isText(body, key, keyEnd, 'text')) this.text = value;
    return true;
  }
}
