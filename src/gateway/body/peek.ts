// Finds the routing keys of a JSON body and their offsets in one pass, and estimates the size of
// the prompt. Nothing is parsed or copied. Refuses a body whose routing keys parsers could read
// differently: repeated, escaped, or in other case.

import { isUtf8 } from 'node:buffer';

import { shortened } from '../../lib/text.ts';
import { estimateTokens } from '../../usage/estimate.ts';
import { scanMembers, skipSpace, skipValue } from './json-scan.ts';
import type { MemberVisitor, ScanNotes } from './json-scan.ts';

/** Offsets into the body. `end` is exclusive, and strings include their quotes. */
export type Span = Readonly<{ start: number; end: number }>;

type PeekedCommon = Readonly<{
  model: string;
  modelSpan: Span;
  isStream: boolean;
  /** The first of max_completion_tokens, max_tokens and max_output_tokens. Null for a form. */
  maxTokens: number | null;
  promptEstimate: number;
}>;

export type PeekedJson = PeekedCommon &
  Readonly<{
    format: 'json';
    /** The offset of the body's opening brace. Members can be inserted after it. */
    open: number;
    /** Null when absent. */
    streamOptions: StreamOptions | null;
  }>;

export type PeekedForm = PeekedCommon & Readonly<{ format: 'form' }>;

export type Peeked = PeekedJson | PeekedForm;

export type StreamOptions = Readonly<{
  span: Span;
  isNull: boolean;
  isEmpty: boolean;
  includeUsage: Span | null;
}>;

export type PeekRefusal = Readonly<{ ambiguous: boolean; message: string; param: string | null }>;

const routingKeys = [
  'model',
  'stream',
  'stream_options',
  'max_tokens',
  'max_completion_tokens',
  'max_output_tokens',
  'n',
] as const;
type RoutingKey = (typeof routingKeys)[number];
const streamOptionKeys = ['include_usage'] as const;

export const refusePeek = (
  message: string,
  param: string | null = null,
  ambiguous = false,
): PeekRefusal => ({
  ambiguous,
  message,
  param,
});

/** `value` is the text of the field in the request, or null when it is missing. */
export const refuseValue = (field: string, must: string, value: string): PeekRefusal =>
  refusePeek(`${field} must be ${must}, not ${shortened(value)}`, field);

export function isPeekRefusal(value: Peeked | PeekRefusal): value is PeekRefusal {
  return 'ambiguous' in value;
}

export function peek(body: Buffer): PeekedJson | PeekRefusal {
  if (!isUtf8(body)) return refusePeek('the body is not valid UTF-8');
  const open = skipSpace(body, 0);
  if (body[open] !== 0x7b) return refusePeek('the body must be a JSON object');
  const notes: ScanNotes = { mediaBytes: 0 };
  const members = new NamedMembers(body, routingKeys);
  const end = scanMembers(body, open, notes, members);
  if (members.ambiguous !== null) return refuseAmbiguous(members.ambiguous);
  if (end === -1 || skipSpace(body, end) !== body.length)
    return refusePeek('the body is not valid JSON');
  return readMembers(body, open, members, notes);
}

function readMembers(
  body: Buffer,
  open: number,
  members: NamedMembers<RoutingKey>,
  notes: ScanNotes,
): PeekedJson | PeekRefusal {
  const modelSpan = members.span('model');
  const model = modelSpan === null ? null : readString(body, modelSpan);
  if (modelSpan === null || model === null || model === '') {
    return refuseValue('model', 'a non-empty string', written(body, modelSpan));
  }
  const stream = members.span('stream');
  const isStream = readBoolean(body, stream);
  if (isStream === undefined) {
    return refuseValue('stream', 'true or false', written(body, stream));
  }
  let maxTokens: number | null = null;
  for (const key of ['max_output_tokens', 'max_tokens', 'max_completion_tokens', 'n'] as const) {
    const span = members.span(key);
    const count = readCount(body, span);
    if (count === undefined) return refuseValue(key, 'a whole number', written(body, span));
    if (key !== 'n') maxTokens = count ?? maxTokens;
  }
  const streamOptions = readStreamOptions(body, members.span('stream_options'));
  if (streamOptions !== null && 'ambiguous' in streamOptions) return streamOptions;
  const promptEstimate = estimateTokens(body.length - notes.mediaBytes);
  return {
    format: 'json',
    model,
    modelSpan,
    isStream,
    open,
    streamOptions,
    maxTokens,
    promptEstimate,
  };
}

function readStreamOptions(body: Buffer, span: Span | null): StreamOptions | PeekRefusal | null {
  if (span === null) return null;
  if (isNull(body, span)) return { span, isNull: true, isEmpty: true, includeUsage: null };
  if (body[span.start] !== 0x7b) {
    return refuseValue('stream_options', 'an object', written(body, span));
  }
  const members = new NamedMembers(body, streamOptionKeys);
  scanMembers(body, span.start, { mediaBytes: 0 }, members);
  if (members.ambiguous !== null) return refuseAmbiguous(members.ambiguous, 'stream_options');
  const isEmpty = skipSpace(body, span.start + 1) === span.end - 1;
  return { span, isNull: false, isEmpty, includeUsage: members.span('include_usage') };
}

export const refuseAmbiguous = (key: string, param: string = key): PeekRefusal =>
  refusePeek(`${key} must appear only once, unescaped and in lower case`, param, true);

/** Records the offsets of the named members of one object, and whether parsers could read one of them differently. */
class NamedMembers<Name extends string> implements MemberVisitor {
  ambiguous: Name | null = null;
  readonly #bytes: Buffer;
  readonly #names: readonly Name[];
  readonly #spans: Span[] = [];

  constructor(bytes: Buffer, names: readonly Name[]) {
    this.#bytes = bytes;
    this.#names = names;
  }

  span(name: Name): Span | null {
    return this.#spans[this.#names.indexOf(name)] ?? null;
  }

  member(key: number, keyEnd: number, value: number, valueEnd: number): boolean {
    const index = this.#find(key + 1, keyEnd - 1);
    const name = this.#names[index];
    if (name === undefined) return true;
    if (this.#spans[index] !== undefined || !isExactly(this.#bytes, key + 1, name)) {
      this.ambiguous = name;
      return false;
    }
    this.#spans[index] = { start: value, end: valueEnd };
    return true;
  }

  /** The index of the name that a parser could read these key bytes as, or -1. */
  #find(from: number, end: number): number {
    const bytes = this.#bytes;
    for (let at = from; at < end; at++) {
      const byte = bytes[at];
      if (byte === 0x5c || (byte !== undefined && byte >= 0x80)) return this.#findFolded(from, end);
    }
    const names = this.#names;
    const length = end - from;
    for (let index = 0; index < names.length; index++) {
      const name = names[index];
      if (name?.length === length && isAlike(bytes, from, name)) return index;
    }
    return -1;
  }

  #findFolded(from: number, end: number): number {
    // A character of a name takes at most six bytes, so a longer key cannot match.
    if (end - from > 6 * 32) return -1;
    const text = readString(this.#bytes, { start: from - 1, end: end + 1 });
    // Upper case first: some non-ASCII letters map to `s` and `k` only through upper case.
    const folded = text?.toUpperCase().toLowerCase();
    return this.#names.findIndex((name) => name === folded);
  }
}

function isExactly(bytes: Buffer, from: number, name: string): boolean {
  for (let index = 0; index < name.length; index++) {
    if (bytes[from + index] !== name.charCodeAt(index)) return false;
  }
  return bytes[from + name.length] === 0x22;
}

/** Ignores the case of ASCII letters. */
function isAlike(bytes: Buffer, from: number, name: string): boolean {
  for (let index = 0; index < name.length; index++) {
    const byte = bytes[from + index] ?? 0;
    const lower = byte >= 0x41 && byte <= 0x5a ? byte + 0x20 : byte;
    if (lower !== name.charCodeAt(index)) return false;
  }
  return true;
}

/** Null when the span is not a valid JSON string. */
function readString(bytes: Buffer, span: Span): string | null {
  if (bytes[span.start] !== 0x22) return null;
  for (let at = span.start + 1; at < span.end - 1; at++) {
    const byte = bytes[at] ?? 0;
    if (byte === 0x5c || byte < 0x20)
      return parseString(bytes.toString('utf8', span.start, span.end));
  }
  return bytes.toString('utf8', span.start + 1, span.end - 1);
}

function parseString(token: string): string | null {
  try {
    const value: unknown = JSON.parse(token);
    return typeof value === 'string' ? value : null;
  } catch {
    return null;
  }
}

/** The maximum bytes of a value that an error message quotes. */
const writtenBytesMax = 400;

const written = (bytes: Buffer, span: Span | null): string =>
  span === null
    ? 'null'
    : bytes.toString('utf8', span.start, Math.min(span.end, span.start + writtenBytesMax));

const isNull = (bytes: Buffer, span: Span): boolean => bytes[span.start] === 0x6e;

/** False when absent or null. Undefined when it is not a boolean. */
function readBoolean(bytes: Buffer, span: Span | null): boolean | undefined {
  if (span === null || isNull(bytes, span)) return false;
  const first = bytes[span.start];
  if (first === 0x74) return true;
  return first === 0x66 ? false : undefined;
}

/** Null when absent, null or negative, because engines read -1 as unlimited. Undefined when it is not a whole number. */
function readCount(bytes: Buffer, span: Span | null): number | null | undefined {
  if (span === null || isNull(bytes, span)) return null;
  const short = readDigits(bytes, span);
  if (short !== null) return short;
  const value = Number(bytes.toString('latin1', span.start, span.end));
  if (!Number.isSafeInteger(value) || bytes[span.start] === 0x22) return undefined;
  return value < 0 ? null : value;
}

/** Every number with this many digits is a safe integer. */
const digitsMax = 15;

/** Parses plain decimal digits, the usual form. Null for any other form. */
function readDigits(bytes: Buffer, { start, end }: Span): number | null {
  if (end - start > digitsMax) return null;
  let value = 0;
  for (let at = start; at < end; at++) {
    const digit = (bytes[at] ?? 0) - 0x30;
    if (digit < 0 || digit > 9) return null;
    value = value * 10 + digit;
  }
  return value;
}

export const isTrueAt = (bytes: Buffer, at: number): boolean =>
  bytes[at] === 0x74 && skipValue(bytes, at, 0, { mediaBytes: 0 }) === at + 4;
