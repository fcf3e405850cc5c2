// Reads the head of an upstream's answer out of bytes (RFC 9112), as strictly as Node's own parser:
// whatever two readers could take for different answers is refused, never repaired.

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

/** How the end of a body is found (RFC 9112, 6.3). */
export type Framing = 'length' | 'chunked' | 'close';

export type ResponseHead = Readonly<{
  status: number;
  /** Those fields that the client may see. */
  headers: FlatHeaders;
  framing: Framing;
  /** The length of the body where that is its framing. */
  bodyBytes: number;
  /** Whether the connection can carry another request after this answer. */
  isReusable: boolean;
  /** So long the upstream says that it keeps the idle connection; null when it does not say. */
  keepAliveMs: number | null;
  /** Where the body begins. */
  end: number;
}>;

/** `partial` when the bytes end before the head does, else what is wrong with it. */
export type NoHead = 'partial' | Readonly<{ problem: string }>;

const headBytesMax = 16 * 1024;

/** Besides what the client may see, these decide where the answer ends and what comes after it. */
const ownNames = ['connection', 'keep-alive', 'transfer-encoding'] as const;
type KnownField = (typeof ownNames)[number] | (typeof answerHeaders)[number];

/** The names that matter, by their length: all others are passed over without being read. */
const knownByLength: readonly (readonly KnownField[])[] = Array.from({ length: 32 }, (_, length) =>
  [...ownNames, ...answerHeaders].filter((name) => name.length === length),
);

/**
 * Reads the head that begins at `from`; bytes from `to` on are not looked at. Beyond 16 KiB it is
 * refused.
 */
export function readResponseHead(bytes: Buffer, from: number, to: number): ResponseHead | NoHead {
  const limit = Math.min(to, from + headBytesMax);
  const outOfBytes: NoHead = limit < to ? problem('the head is too large') : tooFew(to - from);
  const reader = new HeadReader(bytes, limit);
  const at = reader.statusLine(from);
  const end = at < 0 ? at : reader.fields(at);
  if (end === outcome.partial) return outOfBytes;
  return end < 0 ? problem(reader.problem) : reader.head(end);
}

const problem = (text: string): NoHead => ({ problem: text });
const tooFew = (bytes: number): NoHead =>
  bytes >= headBytesMax ? problem('the head is too large') : 'partial';

/** What stands in place of an offset. */
const outcome = { partial: -1, refused: -2 } as const;

const version = Buffer.from('HTTP/1.');
/** The version's prefix, its last digit, a space, three digits. */
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

  /** The offset after the line. */
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
      if (value < 0) return this.#refuse('the status is no number');
      this.#status = this.#status * 10 + value;
    }
    if (bytes[digits + 1] !== space) return this.#refuse('the status is no number');
    const reason = digits + 5;
    if (reason >= this.#limit) return outcome.partial;
    const end = this.#endOfLine(reason);
    if (end < 0) return end;
    if (end > reason && bytes[reason] !== space) return this.#refuse('the status is no number');
    return end + 2;
  }

  /** The offset after the empty line. */
  fields(from: number): number {
    const bytes = this.#bytes;
    for (let at = from; ;) {
      if (at >= this.#limit) return outcome.partial;
      if (bytes[at] === carriageReturn) {
        if (at + 1 >= this.#limit) return outcome.partial;
        return bytes[at + 1] === lineFeed ? at + 2 : this.#refuse('a line end is broken');
      }
      let nameEnd = at;
      while (nameEnd < this.#limit && isInName(bytes[nameEnd])) nameEnd++;
      if (nameEnd >= this.#limit) return outcome.partial;
      if (nameEnd === at || bytes[nameEnd] !== colon) return this.#refuse('a field has no name');
      const valueEnd = this.#endOfLine(nameEnd + 1);
      if (valueEnd < 0) return valueEnd;
      const name = this.#known(at, nameEnd);
      // With a blank after it some readers take the coding for another.
      if (name === 'transfer-encoding' && isBlank(bytes[valueEnd - 1])) {
        return this.#refuse('transfer-encoding is not chunked');
      }
      if (name !== null && !this.#take(name, this.#value(nameEnd + 1, valueEnd))) {
        return outcome.refused;
      }
      at = valueEnd + 2;
    }
  }

  head(end: number): ResponseHead | NoHead {
    const status = this.#status;
    if (status < 100 || status > 599 || status === 101) return problem(`status ${status}`);
    if (this.#isChunked && this.#length !== null) return problem('the body has two framings');
    const isEmpty = status < 200 || status === 204 || status === 304;
    // What an empty answer says of a body must not be taken for the next answer.
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

  /** The offset of the line's CR LF. */
  #endOfLine(from: number): number {
    const bytes = this.#bytes;
    let at = from;
    while (at < this.#limit && isInValue(bytes[at])) at++;
    if (at >= this.#limit) return outcome.partial;
    if (bytes[at] !== carriageReturn) return this.#refuse('a line holds a control character');
    if (at + 1 >= this.#limit) return outcome.partial;
    return bytes[at + 1] === lineFeed ? at : this.#refuse('a line end is broken');
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
      this.problem = 'transfer-encoding is not chunked';
      return false;
    }
    this.#isChunked = true;
    return true;
  }

  #takeLength(value: string): boolean {
    if (this.#length !== null || !/^\d{1,15}$/.test(value)) {
      this.problem = 'content-length is not one number';
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
