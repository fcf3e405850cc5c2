// Parses the head of an upstream's answer (RFC 9112), as strictly as Node's parser. Refuses
// ambiguous answers.

import type { FlatHeaders } from './boundary.ts';
import {
  carriageReturn,
  colon,
  digit,
  isBlank,
  isInName,
  isInValue,
  isNamed,
  lineFeed,
  space,
} from './field-bytes.ts';
import { answerHeaders } from './header-policy.ts';

/** Marks the end of a body (RFC 9112, 6.3). */
export type Framing = 'length' | 'chunked' | 'close';

export type ResponseHead = Readonly<{
  status: number;
  /** The fields that the client may see. */
  headers: FlatHeaders;
  framing: Framing;
  /** Used when `framing` is `length`. */
  bodyBytes: number;
  /** True when the connection can carry another request after this answer. */
  isReusable: boolean;
  /** The keep-alive timeout that the upstream announces, or null. */
  keepAliveMs: number | null;
  /** The offset of the body. */
  end: number;
}>;

/** `partial` when the head is incomplete, otherwise the problem. */
export type NoHead = 'partial' | Readonly<{ problem: string }>;

const headBytesMax = 16 * 1024;

/** Fields that decide where the answer ends and whether the connection is reused. */
const ownNames = ['connection', 'keep-alive', 'transfer-encoding'] as const;
type KnownField = (typeof ownNames)[number] | (typeof answerHeaders)[number];

/** All other names are skipped. */
const knownByLength: readonly (readonly KnownField[])[] = Array.from({ length: 32 }, (_, length) =>
  [...ownNames, ...answerHeaders].filter((name) => name.length === length),
);

/** Parses the head at `from` and reads no byte at or after `to`. Refuses a head over 16 KiB. */
export function readResponseHead(bytes: Buffer, from: number, to: number): ResponseHead | NoHead {
  const limit = Math.min(to, from + headBytesMax);
  const outOfBytes: NoHead =
    limit < to ? problem('the head of the answer is too large') : tooFew(to - from);
  const reader = new HeadReader(bytes, limit);
  const at = reader.statusLine(from);
  const end = at < 0 ? at : reader.fields(at);
  if (end === outcome.partial) return outOfBytes;
  return end < 0 ? problem(reader.problem) : reader.head(end);
}

const problem = (text: string): NoHead => ({ problem: text });
const tooFew = (bytes: number): NoHead =>
  bytes >= headBytesMax ? problem('the head of the answer is too large') : 'partial';

/** Returned instead of an offset. */
const outcome = { partial: -1, refused: -2 } as const;

const version = Buffer.from('HTTP/1.');
/** The version prefix, its last digit, a space and three digits. */
const statusLineBytesMin = version.length + 5;

class HeadReader {
  problem = '';
  readonly #bytes: Buffer;
  readonly #limit: number;
  readonly #headers: FlatHeaders = [];
  #status = 0;
  #isOld = false;
  #length: number | null = null;
  #isChunked = false;
  #isClosing = false;
  #isKeptAlive = false;
  #keepAliveMs: number | null = null;

  constructor(bytes: Buffer, limit: number) {
    this.#bytes = bytes;
    this.#limit = limit;
  }

  /** Returns the offset after the line. */
  statusLine(from: number): number {
    const bytes = this.#bytes;
    for (let index = 0; index < version.length; index++) {
      if (from + index >= this.#limit) return outcome.partial;
      if (bytes[from + index] !== version[index]) return this.#refuse('the answer is not HTTP/1');
    }
    const digits = from + version.length;
    if (digits + statusLineBytesMin - version.length > this.#limit) return outcome.partial;
    const minor = digit(bytes[digits]);
    if (minor !== 0 && minor !== 1) return this.#refuse('the answer is not HTTP/1');
    this.#isOld = minor === 0;
    for (let at = digits + 2; at < digits + 5; at++) {
      const value = digit(bytes[at]);
      if (value < 0) return this.#refuse('the status line is malformed');
      this.#status = this.#status * 10 + value;
    }
    if (bytes[digits + 1] !== space) return this.#refuse('the status line is malformed');
    const reason = digits + 5;
    if (reason >= this.#limit) return outcome.partial;
    const end = this.#endOfLine(reason);
    if (end < 0) return end;
    if (end > reason && bytes[reason] !== space)
      return this.#refuse('the status line is malformed');
    return end + 2;
  }

  /** Returns the offset after the empty line. */
  fields(from: number): number {
    const bytes = this.#bytes;
    for (let at = from; ;) {
      if (at >= this.#limit) return outcome.partial;
      if (bytes[at] === carriageReturn) {
        if (at + 1 >= this.#limit) return outcome.partial;
        return bytes[at + 1] === lineFeed ? at + 2 : this.#refuse('a line end is malformed');
      }
      let nameEnd = at;
      while (nameEnd < this.#limit && isInName(bytes[nameEnd])) nameEnd++;
      if (nameEnd >= this.#limit) return outcome.partial;
      if (nameEnd === at || bytes[nameEnd] !== colon)
        return this.#refuse('a header field has no name');
      const valueEnd = this.#endOfLine(nameEnd + 1);
      if (valueEnd < 0) return valueEnd;
      const name = this.#known(at, nameEnd);
      // With a trailing blank, some parsers read another coding.
      if (name === 'transfer-encoding' && isBlank(bytes[valueEnd - 1])) {
        return this.#refuse('transfer-encoding must be chunked');
      }
      if (name !== null && !this.#take(name, this.#value(nameEnd + 1, valueEnd))) {
        return outcome.refused;
      }
      at = valueEnd + 2;
    }
  }

  head(end: number): ResponseHead | NoHead {
    const status = this.#status;
    if (status < 100 || status > 599 || status === 101)
      return problem(`status ${status} is not supported`);
    if (this.#isChunked && this.#length !== null)
      return problem('the answer has both content-length and transfer-encoding');
    const isEmpty = status < 200 || status === 204 || status === 304;
    // Body headers of an empty answer must not let its body be read as the next answer.
    const isFramed = !isEmpty || (!this.#isChunked && (this.#length ?? 0) === 0);
    const framing =
      isEmpty || this.#length !== null ? 'length' : this.#isChunked ? 'chunked' : 'close';
    const mayKeep = this.#isOld ? this.#isKeptAlive && !this.#isChunked : true;
    return {
      status,
      headers: this.#headers,
      framing,
      bodyBytes: isEmpty ? 0 : (this.#length ?? 0),
      isReusable: mayKeep && isFramed && !this.#isClosing && framing !== 'close',
      keepAliveMs: this.#keepAliveMs,
      end,
    };
  }

  /** Returns the offset of the line's CR LF. */
  #endOfLine(from: number): number {
    const bytes = this.#bytes;
    let at = from;
    while (at < this.#limit && isInValue(bytes[at])) at++;
    if (at >= this.#limit) return outcome.partial;
    if (bytes[at] !== carriageReturn) return this.#refuse('a line contains a control character');
    if (at + 1 >= this.#limit) return outcome.partial;
    return bytes[at + 1] === lineFeed ? at : this.#refuse('a line end is malformed');
  }

  #known(from: number, end: number): KnownField | null {
    const names = knownByLength[end - from];
    if (names === undefined) return null;
    for (const name of names) if (isNamed(this.#bytes, from, name)) return name;
    return null;
  }

  #value(from: number, end: number): string {
    let start = from;
    let stop = end;
    while (start < stop && isBlank(this.#bytes[start])) start++;
    while (stop > start && isBlank(this.#bytes[stop - 1])) stop--;
    return this.#bytes.toString('latin1', start, stop);
  }

  #take(name: KnownField, value: string): boolean {
    if (name === 'connection') this.#takeConnection(value.toLowerCase());
    else if (name === 'keep-alive') this.#keepAliveMs = readTimeout(value) ?? this.#keepAliveMs;
    else if (name === 'transfer-encoding') return this.#takeCoding(value);
    else {
      if (name === 'content-length' && !this.#takeLength(value)) return false;
      this.#addHeader(name, value);
    }
    return true;
  }

  #addHeader(name: string, value: string): void {
    for (let index = 0; index < this.#headers.length; index += 2) {
      if (this.#headers[index] !== name) continue;
      this.#headers[index + 1] += `, ${value}`;
      return;
    }
    this.#headers.push(name, value);
  }

  #takeCoding(value: string): boolean {
    if (this.#isChunked || value.toLowerCase() !== 'chunked') {
      this.problem = 'transfer-encoding must be chunked';
      return false;
    }
    this.#isChunked = true;
    return true;
  }

  #takeLength(value: string): boolean {
    if (this.#length !== null || !/^\d{1,15}$/.test(value)) {
      this.problem = 'content-length must be a single number';
      return false;
    }
    this.#length = Number(value);
    return true;
  }

  #takeConnection(value: string): void {
    for (const token of value.split(',')) {
      const option = token.trim();
      if (option === 'close') this.#isClosing = true;
      else if (option === 'keep-alive') this.#isKeptAlive = true;
    }
  }

  #refuse(text: string): number {
    this.problem = text;
    return outcome.refused;
  }
}

const readTimeout = (value: string): number | null => {
  const seconds = /(?:^|[\s,;])timeout=(\d{1,6})/i.exec(value)?.[1];
  return seconds === undefined ? null : Number(seconds) * 1000;
};
