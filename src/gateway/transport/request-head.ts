// Parses request heads in the one strict form that nearly all clients send (RFC 9112). Ambiguous and rare forms go to
// Node's parser, so every request that is parsed here has the same meaning to Node.

import {
  carriageReturn,
  colon,
  digit,
  isBlank,
  isInName,
  isNamed,
  lineFeed,
} from './field-bytes.ts';
import { ownNames } from './boundary.ts';
import { forwardedNames, forwardedPrefix } from './header-policy.ts';

export type StrictHead = Readonly<{
  method: 'GET' | 'POST';
  /** Includes the query. */
  target: string;
  /** The gateway's own fields: alternating lower-case names and values, without duplicates. */
  own: readonly string[];
  /** The fields that an upstream may see, in the same form. */
  forwarded: string[];
  bodyBytes: number;
  /** The client sends no further request on the connection. */
  isLast: boolean;
  /** The offsets of the fields and of the body. */
  fieldsAt: number;
  end: number;
}>;

/** `partial`: the head is incomplete. `unusual`: Node's parser must read it. */
export type NoStrictHead = 'partial' | 'unusual';

/** The same limit as Node's parser, which counts fewer bytes. */
const headBytesMax = 16 * 1024;
/** Every decimal number with this many digits is a safe integer. */
export const lengthDigitsMax = 15;

/** Fields that make a request unusual: other framing, other protocols, and fields that Node treats like these. */
const unusualNames = [
  'expect',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
] as const;

type KnownField = Readonly<{
  name: string;
  kind: 'host' | 'content-length' | 'connection' | 'unusual' | 'plain';
  isOwn: boolean;
  isForwarded: boolean;
}>;

const framingNames = ['host', 'content-length', 'connection'] as const;
const own: ReadonlySet<string> = new Set(ownNames);
const forwarded: ReadonlySet<string> = new Set(forwardedNames);
const framing = new Map<string, KnownField['kind']>([
  ...framingNames.map((name) => [name, name] as const),
  ...unusualNames.map((name) => [name, 'unusual'] as const),
]);
const known = [...new Set([...framing.keys(), ...own, ...forwarded])].map((name): KnownField => ({
  name,
  kind: framing.get(name) ?? 'plain',
  isOwn: own.has(name),
  isForwarded: forwarded.has(name),
}));
/** All other names are skipped. */
const knownByLength: readonly (readonly KnownField[])[] = Array.from({ length: 32 }, (_, length) =>
  known.filter(({ name }) => name.length === length),
);

/**
 * 1 for bytes that are allowed in a request target. Excludes fragments and characters that need
 * escaping.
 */
const inTarget = new Uint8Array(256);
for (let byte = 0x21; byte < 0x7f; byte++) {
  if (/[\w\-.~%!$&'()*+,;=:@/?]/.test(String.fromCharCode(byte))) inTarget[byte] = 1;
}

/** 1 for bytes that are allowed in a field value. Only ASCII, although Node accepts more. */
const inValue = new Uint8Array(256);
for (let byte = 0x20; byte < 0x7f; byte++) inValue[byte] = 1;
inValue[0x09] = 1;

/** A head over 16 KiB is unusual. */
export function readStrictHead(bytes: Buffer, from: number): StrictHead | NoStrictHead {
  const limit = Math.min(bytes.length, from + headBytesMax);
  const reader = new HeadReader(bytes, from, limit);
  const fieldsAt = reader.requestLine();
  const end = fieldsAt < 0 ? fieldsAt : reader.fields(fieldsAt);
  if (end === outcome.partial) return limit - from === headBytesMax ? 'unusual' : 'partial';
  return end < 0 ? 'unusual' : reader.head(fieldsAt, end);
}

/**
 * Alternates names as received and values. `fields` are the lines of a parsed head, including the
 * empty one.
 */
export function rawFields(fields: Buffer): string[] {
  const lines = fields.toString('latin1').split('\r\n');
  return lines.slice(0, -2).flatMap((line) => {
    const at = line.indexOf(':');
    return [line.slice(0, at), line.slice(at + 1).replaceAll(/^[\t ]+|[\t ]+$/g, '')];
  });
}

/**
 * Searches the bytes for a field, so that a rule on a header that the request does not have allocates nothing. `fields` is
 * as for `rawFields`, and `name` in lower case.
 */
export function hasField(fields: Buffer, name: string): boolean {
  const { length } = name;
  const last = fields.length - length - 1;
  for (let at = 0; at < last;) {
    if (fields[at + length] === colon && isSameName(fields, at, name)) return true;
    while (at < last && fields[at] !== lineFeed) at++;
    at++;
  }
  return false;
}

/** Ignores case. Unlike for `isNamed`, the name may contain any character of a token. */
function isSameName(bytes: Buffer, from: number, name: string): boolean {
  for (let index = 0; index < name.length; index++) {
    const byte = bytes[from + index] ?? 0;
    const lower = byte >= 0x41 && byte <= 0x5a ? byte | 0x20 : byte;
    if (lower !== name.charCodeAt(index)) return false;
  }
  return true;
}

/** Finds a value in alternating names and values. */
export function ownValue(own: readonly string[], name: string): string | undefined {
  for (let index = 0; index < own.length; index += 2)
    if (own[index] === name) return own[index + 1];
  return undefined;
}

/** Returned instead of an offset. */
const outcome = { partial: -1, unusual: -2 } as const;

const post = Buffer.from('POST /');
const get = Buffer.from('GET /');
const version = Buffer.from(' HTTP/1.1\r\n');

class HeadReader {
  readonly #bytes: Buffer;
  readonly #from: number;
  readonly #limit: number;
  /** The fields whose values are needed, and the start and end of each value. */
  readonly #found: KnownField[] = [];
  readonly #spans: number[] = [];
  #isPost = false;
  #targetAt = 0;
  #targetEnd = 0;
  #length = -1;
  #hasHost = false;
  #hasConnection = false;
  #isLast = false;

  constructor(bytes: Buffer, from: number, limit: number) {
    this.#bytes = bytes;
    this.#from = from;
    this.#limit = limit;
  }

  /** Returns the offset after the line. */
  requestLine(): number {
    const bytes = this.#bytes;
    this.#isPost = bytes[this.#from] === post[0];
    const slash = this.#word(this.#from, this.#isPost ? post : get);
    if (slash < 0) return slash;
    let at = slash;
    while (at < this.#limit && inTarget[bytes[at] ?? 0] === 1) at++;
    const end = this.#word(at, version);
    this.#targetAt = slash - 1;
    this.#targetEnd = at;
    return end;
  }

  /** Returns the offset after the empty line. */
  fields(from: number): number {
    const bytes = this.#bytes;
    const limit = this.#limit;
    for (let at = from; ;) {
      if (bytes[at] === carriageReturn) return this.#lineEnd(at);
      let nameEnd = at;
      while (nameEnd < limit && isInName(bytes[nameEnd])) nameEnd++;
      if (nameEnd >= limit) return outcome.partial;
      if (nameEnd === at || bytes[nameEnd] !== colon) return outcome.unusual;
      let end = nameEnd + 1;
      while (end < limit && inValue[bytes[end] ?? 0] === 1) end++;
      const isWhole =
        end + 1 < limit && bytes[end] === carriageReturn && bytes[end + 1] === lineFeed;
      if (!isWhole) return this.#lineEnd(end);
      if (!this.#take(at, nameEnd, end)) return outcome.unusual;
      at = end + 2;
    }
  }

  head(fieldsAt: number, end: number): StrictHead | NoStrictHead {
    if (!this.#hasHost || this.#isPost !== this.#length >= 0) return 'unusual';
    // The values are slices of one string, because converting bytes to a string is the main cost.
    const base = this.#from;
    const text = this.#bytes.toString('latin1', base, end);
    const own: string[] = [];
    const forwarded: string[] = [];
    let span = 0;
    for (const { name, isOwn, isForwarded } of this.#found) {
      const at = this.#spans[span++] ?? 0;
      const value = text.slice(at - base, (this.#spans[span++] ?? 0) - base);
      if (isForwarded) forwarded.push(name, value);
      if (!isOwn) continue;
      // Parsers disagree on the value of a repeated field.
      if (ownValue(own, name) !== undefined) return 'unusual';
      own.push(name, value);
    }
    return {
      method: this.#isPost ? 'POST' : 'GET',
      target: text.slice(this.#targetAt - base, this.#targetEnd - base),
      own,
      forwarded,
      bodyBytes: this.#isPost ? this.#length : 0,
      isLast: this.#isLast,
      fieldsAt,
      end,
    };
  }

  /** Returns the offset after the word, which must be at `from`. */
  #word(from: number, word: Buffer): number {
    for (let index = 0; index < word.length; index++) {
      if (from + index >= this.#limit) return outcome.partial;
      if (this.#bytes[from + index] !== word[index]) return outcome.unusual;
    }
    return from + word.length;
  }

  /** Returns the offset after the CR LF, which must be at `from`. */
  #lineEnd(from: number): number {
    const bytes = this.#bytes;
    if (from + 1 < this.#limit) {
      const isEnd = bytes[from] === carriageReturn && bytes[from + 1] === lineFeed;
      return isEnd ? from + 2 : outcome.unusual;
    }
    return from >= this.#limit || bytes[from] === carriageReturn
      ? outcome.partial
      : outcome.unusual;
  }

  /** Returns false when the field makes the request unusual. */
  #take(from: number, nameEnd: number, lineEnd: number): boolean {
    const bytes = this.#bytes;
    const length = nameEnd - from;
    const field = knownAt(bytes, from, length);
    if (field === undefined) {
      const mayPass = length >= forwardedPrefix.length && isNamed(bytes, from, forwardedPrefix);
      if (!mayPass) return true;
    }
    let valueAt = nameEnd + 1;
    let valueEnd = lineEnd;
    while (valueAt < valueEnd && isBlank(bytes[valueAt])) valueAt++;
    while (valueEnd > valueAt && isBlank(bytes[valueEnd - 1])) valueEnd--;
    switch (field?.kind) {
      case 'unusual':
        return false;
      case 'host': {
        const isFirst = !this.#hasHost;
        this.#hasHost = true;
        return isFirst;
      }
      case 'content-length':
        return this.#takeLength(valueAt, valueEnd);
      case 'connection':
        return this.#takeConnection(valueAt, valueEnd);
      case 'plain':
      case undefined:
        this.#found.push(field ?? passedOn(bytes, from, nameEnd));
        this.#spans.push(valueAt, valueEnd);
        return true;
    }
  }

  #takeLength(from: number, to: number): boolean {
    if (this.#length >= 0 || from === to || to - from > lengthDigitsMax) return false;
    let length = 0;
    for (let at = from; at < to; at++) {
      const value = digit(this.#bytes[at]);
      if (value < 0 || (value === 0 && at === from && to - from > 1)) return false;
      length = length * 10 + value;
    }
    this.#length = length;
    return true;
  }

  #takeConnection(from: number, to: number): boolean {
    if (this.#hasConnection) return false;
    this.#hasConnection = true;
    this.#isLast = isOption(this.#bytes, from, to, 'close');
    return this.#isLast || isOption(this.#bytes, from, to, 'keep-alive');
  }
}

function knownAt(bytes: Buffer, from: number, length: number): KnownField | undefined {
  const candidates = knownByLength[length];
  if (candidates === undefined) return undefined;
  for (const field of candidates) if (isNamed(bytes, from, field.name)) return field;
  return undefined;
}

const passedOn = (bytes: Buffer, from: number, to: number): KnownField => ({
  name: bytes.toString('latin1', from, to).toLowerCase(),
  kind: 'plain',
  isOwn: false,
  isForwarded: true,
});

/** True when the value is exactly this option, in any case. */
const isOption = (bytes: Buffer, from: number, to: number, option: string): boolean =>
  to - from === option.length && isNamed(bytes, from, option);
