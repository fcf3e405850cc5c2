// Scans JSON bytes and finds where values end, without creating strings or objects. Checks the
// grammar between strings completely. The content of strings is left to the JSON parser, because it
// cannot move a boundary: UTF-8 is validated earlier, and escapes are skipped.

import { endOfString } from './string-end.ts';

/** Bounds the recursion. No real request nests this deep. */
export const depthMax = 512;

/** The bytes of media that the scan found: `data:` URLs or plain base64. */
export type ScanNotes = { mediaBytes: number };

const quote = 0x22;
const backslash = 0x5c;
const comma = 0x2c;
const colon = 0x3a;
const openBrace = 0x7b;
const closeBrace = 0x7d;
const openBracket = 0x5b;
const closeBracket = 0x5d;

/** For fewer bytes, a loop is faster than the search in a copy. */
const nearBytes = 32;
/** The media type of a `data:` URL must end within this many bytes. */
const dataUrlHeadBytes = 128;

export function skipSpace(bytes: Buffer, from: number): number {
  let at = from;
  for (;;) {
    const byte = bytes[at];
    if (byte !== 0x20 && byte !== 0x0a && byte !== 0x0d && byte !== 0x09) return at;
    at++;
  }
}

/** `open` is the opening quote. Returns the offset after the closing quote, or -1. */
export function skipString(bytes: Buffer, open: number): number {
  let at = open + 1;
  for (const stop = at + nearBytes; at < stop; at++) {
    const byte = bytes[at];
    if (byte === quote) return at + 1;
    if (byte === backslash) at++;
    else if (byte === undefined) return -1;
  }
  return endOfString(bytes, at);
}

/** Returns the offset after the value, or -1 when it is not a JSON value. */
export function skipValue(bytes: Buffer, at: number, depth: number, notes: ScanNotes): number {
  const byte = bytes[at];
  if (byte === quote) {
    const end = skipString(bytes, at);
    if (bytes[at + 1] === 0x64 && isDataUrl(bytes, at + 1, end - 1)) {
      notes.mediaBytes += end - 2 - at;
    }
    return end;
  }
  if (byte === openBrace) return skipObject(bytes, at, depth, notes);
  if (byte === openBracket) return skipArray(bytes, at, depth, notes);
  if (byte === 0x74) return skipLiteral(bytes, at, 'true');
  if (byte === 0x66) return skipLiteral(bytes, at, 'false');
  if (byte === 0x6e) return skipLiteral(bytes, at, 'null');
  return skipNumber(bytes, at);
}

/** Offsets of strings include their quotes. Returning false stops the scan. */
export type MemberVisitor = {
  member(key: number, keyEnd: number, value: number, valueEnd: number): boolean;
};

/** Like `skipValue` for an object, but visits each of its own members. */
export function scanMembers(
  bytes: Buffer,
  open: number,
  notes: ScanNotes,
  visitor: MemberVisitor,
): number {
  let at = skipSpace(bytes, open + 1);
  if (bytes[at] === closeBrace) return at + 1;
  for (;;) {
    const key = at;
    const keyEnd = bytes[key] === quote ? skipString(bytes, key) : -1;
    const value = keyEnd === -1 ? -1 : skipColon(bytes, keyEnd);
    const valueEnd = value === -1 ? -1 : skipValue(bytes, value, 1, notes);
    if (valueEnd === -1 || !visitor.member(key, keyEnd, value, valueEnd)) return -1;
    at = skipSpace(bytes, valueEnd);
    if (bytes[at] === closeBrace) return at + 1;
    if (bytes[at] !== comma) return -1;
    at = skipSpace(bytes, at + 1);
  }
}

function skipColon(bytes: Buffer, from: number): number {
  const at = skipSpace(bytes, from);
  return bytes[at] === colon ? skipSpace(bytes, at + 1) : -1;
}

function skipObject(bytes: Buffer, open: number, depth: number, notes: ScanNotes): number {
  if (depth >= depthMax) return -1;
  let at = skipSpace(bytes, open + 1);
  if (bytes[at] === closeBrace) return at + 1;
  for (;;) {
    if (bytes[at] !== quote) return -1;
    const key = at;
    at = skipString(bytes, at);
    if (at === -1) return -1;
    const isData = at - key === dataKey.length && isDataKey(bytes, key);
    at = skipColon(bytes, at);
    if (at === -1) return -1;
    const value = at;
    at = skipValue(bytes, value, depth + 1, notes);
    if (at === -1) return -1;
    if (isData && isBase64(bytes, value, at)) notes.mediaBytes += at - 2 - value;
    at = skipSpace(bytes, at);
    if (bytes[at] === closeBrace) return at + 1;
    if (bytes[at] !== comma) return -1;
    at = skipSpace(bytes, at + 1);
  }
}

function skipArray(bytes: Buffer, open: number, depth: number, notes: ScanNotes): number {
  if (depth >= depthMax) return -1;
  let at = skipSpace(bytes, open + 1);
  if (bytes[at] === closeBracket) return at + 1;
  for (;;) {
    at = skipValue(bytes, at, depth + 1, notes);
    if (at === -1) return -1;
    at = skipSpace(bytes, at);
    if (bytes[at] === closeBracket) return at + 1;
    if (bytes[at] !== comma) return -1;
    at = skipSpace(bytes, at + 1);
  }
}

function skipLiteral(bytes: Buffer, at: number, literal: string): number {
  for (let index = 1; index < literal.length; index++) {
    if (bytes[at + index] !== literal.charCodeAt(index)) return -1;
  }
  return at + literal.length;
}

function skipNumber(bytes: Buffer, from: number): number {
  let at = bytes[from] === 0x2d ? from + 1 : from;
  if (bytes[at] === 0x30) at++;
  else {
    at = skipDigits(bytes, at);
    if (at === -1) return -1;
  }
  if (bytes[at] === 0x2e) {
    at = skipDigits(bytes, at + 1);
    if (at === -1) return -1;
  }
  if (bytes[at] === 0x65 || bytes[at] === 0x45) {
    const sign = bytes[at + 1];
    at = skipDigits(bytes, sign === 0x2b || sign === 0x2d ? at + 2 : at + 1);
  }
  return at;
}

function skipDigits(bytes: Buffer, from: number): number {
  let at = from;
  for (let byte = bytes[at]; byte !== undefined && byte >= 0x30 && byte <= 0x39; byte = bytes[at]) {
    at++;
  }
  return at === from ? -1 : at;
}

/** Plain text that begins like a `data:` URL contains spaces; a URL contains none. */
function isDataUrl(bytes: Buffer, from: number, end: number): boolean {
  if (end - from < 6 || bytes.toString('latin1', from, from + 5) !== 'data:') return false;
  const head = bytes.indexOf(comma, from);
  if (head === -1 || head >= Math.min(end, from + dataUrlHeadBytes)) return false;
  return !bytes.subarray(from, end).includes(0x20);
}

/** The member name of plain base64 media in the Messages API and in chats. */
const dataKey = '"data"';
/** Shorter values are counted as text. */
const base64BytesMin = 512;
/** These bytes are checked one by one. */
const base64HeadBytes = 128;

function isDataKey(bytes: Buffer, key: number): boolean {
  for (let index = 1; index < dataKey.length; index++) {
    if (bytes[key + index] !== dataKey.charCodeAt(index)) return false;
  }
  return true;
}

/**
 * The offsets are of a value with its quotes. In text, a space or another character comes early.
 */
function isBase64(bytes: Buffer, start: number, end: number): boolean {
  if (bytes[start] !== quote || end - start < base64BytesMin) return false;
  for (let at = start + 1; at < start + base64HeadBytes; at++) {
    if (!isBase64Byte(bytes[at] ?? 0)) return false;
  }
  return !bytes.subarray(start, end).includes(0x20);
}

const isBase64Byte = (byte: number): boolean =>
  (byte >= 0x61 && byte <= 0x7a) ||
  (byte >= 0x41 && byte <= 0x5a) ||
  (byte >= 0x30 && byte <= 0x39) ||
  byte === 0x2b ||
  byte === 0x2f;
