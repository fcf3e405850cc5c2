// Decodes a chunked body as it arrives (RFC 9112, 7.1). Moves the chunks of one read together in
// its buffer, so that each read yields one payload.

import { isInName, isInValue } from './field-bytes.ts';

/** Bounds the chunk extensions and trailers of one body, which are not used. */
const surplusBytesMax = 16 * 1024;
/** Every hexadecimal number with this many digits is a safe integer. */
const sizeDigitsMax = 13;

const state = {
  firstDigit: 0,
  size: 1,
  extension: 2,
  lineFeed: 3,
  data: 4,
  dataReturn: 5,
  dataLineFeed: 6,
  trailer: 7,
  trailerLineFeed: 8,
  done: 9,
} as const;
type State = (typeof state)[keyof typeof state];

const carriageReturn = 0x0d;
const newLine = 0x0a;
const extensionPattern =
  /^(?:;[!#$%&'*+.^`|~\w-]+(?:=(?:[!#$%&'*+.^`|~\w-]+|"(?:[\t \x21\x23-\x5b\x5d-\x7e\x80-\xff]|\\[\t \x21-\x7e\x80-\xff])*"))?)+$/;

export class ChunkedBody {
  /** The range of the payload in the bytes of the last read. */
  start = 0;
  end = 0;
  problem: string | null = null;
  #state: State = state.firstDigit;
  #size = 0;
  #digits = 0;
  #surplusBytes = 0;
  #line = '';

  get isDone(): boolean {
    return this.#state === state.done;
  }

  /** Returns the offset after the last byte of the body, or after the first invalid byte. */
  read(bytes: Buffer, from: number, to: number): number {
    this.start = from;
    this.end = from;
    let at = from;
    while (at < to && this.#state !== state.done && this.problem === null) {
      if (this.#state === state.data) at = this.#takeData(bytes, at, to);
      else if (this.#state === state.firstDigit) at = this.#takeSize(bytes, at, to);
      else this.#step(bytes[at++] ?? 0);
    }
    return at;
  }

  /** Takes a usual size line at once, and otherwise its first byte. */
  #takeSize(bytes: Buffer, from: number, to: number): number {
    let at = from;
    let size = 0;
    for (const max = Math.min(to, from + sizeDigitsMax); at < max; at++) {
      const value = hexadecimal(bytes[at] ?? 0);
      if (value < 0) break;
      size = size * 16 + value;
    }
    if (size === 0 || !isLineEnd(bytes, at, to)) {
      this.#step(bytes[from] ?? 0);
      return from + 1;
    }
    this.#size = size;
    this.#state = state.data;
    return at + 2;
  }

  #takeData(bytes: Buffer, at: number, to: number): number {
    const end = Math.min(to, at + this.#size);
    if (this.end === this.start) {
      this.start = at;
      this.end = end;
    } else {
      bytes.copyWithin(this.end, at, end);
      this.end += end - at;
    }
    this.#size -= end - at;
    if (this.#size > 0) return end;
    this.#state = state.dataReturn;
    if (!isLineEnd(bytes, end, to)) return end;
    this.#endData();
    return end + 2;
  }

  #endData(): void {
    this.#size = 0;
    this.#digits = 0;
    this.#state = state.firstDigit;
  }

  #step(byte: number): void {
    switch (this.#state) {
      case state.firstDigit:
      case state.size:
        return this.#stepSize(byte);
      case state.extension:
        return this.#stepExtension(byte);
      case state.lineFeed:
        if (byte !== newLine) return this.#refuse('a chunk size is malformed');
        this.#state = this.#size === 0 ? state.trailer : state.data;
        return;
      case state.dataReturn:
        if (byte !== carriageReturn) return this.#refuse('a chunk is longer than its size');
        this.#state = state.dataLineFeed;
        return;
      case state.dataLineFeed:
        if (byte !== newLine) return this.#refuse('a chunk is longer than its size');
        return this.#endData();
      case state.trailer:
        return this.#stepTrailer(byte);
      case state.trailerLineFeed:
        return this.#endTrailer(byte);
      case state.data:
      case state.done:
    }
  }

  #stepSize(byte: number): void {
    const value = hexadecimal(byte);
    if (value >= 0) {
      if (++this.#digits > sizeDigitsMax) return this.#refuse('a chunk is too large');
      this.#size = this.#size * 16 + value;
      this.#state = state.size;
    } else if (this.#state === state.size && byte === carriageReturn) this.#state = state.lineFeed;
    else if (this.#state === state.size && byte === 0x3b) {
      this.#state = state.extension;
      this.#line = ';';
    } else this.#refuse('a chunk size is malformed');
  }

  #stepExtension(byte: number): void {
    if (byte !== carriageReturn) return this.#addToLine(byte);
    if (!extensionPattern.test(this.#line)) return this.#refuse('a chunk extension is malformed');
    this.#state = state.lineFeed;
    this.#line = '';
  }

  #stepTrailer(byte: number): void {
    if (byte === carriageReturn) this.#state = state.trailerLineFeed;
    else this.#addToLine(byte);
  }

  #endTrailer(byte: number): void {
    if (byte !== newLine) return this.#refuse('a trailer is malformed');
    if (this.#line === '') this.#state = state.done;
    else if (isField(this.#line)) {
      this.#line = '';
      this.#state = state.trailer;
    } else this.#refuse('a trailer is malformed');
  }

  #addToLine(byte: number): void {
    if (++this.#surplusBytes > surplusBytesMax)
      this.#refuse('the extensions and trailers of a chunked body are too large');
    else if (!isInValue(byte)) this.#refuse('a line contains a control character');
    else this.#line += String.fromCharCode(byte);
  }

  #refuse(text: string): void {
    this.problem = text;
  }
}

const isLineEnd = (bytes: Buffer, at: number, to: number): boolean =>
  at + 1 < to && bytes[at] === carriageReturn && bytes[at + 1] === newLine;

function hexadecimal(byte: number): number {
  if (byte >= 0x30 && byte <= 0x39) return byte - 0x30;
  const letter = byte | 0x20;
  return letter >= 0x61 && letter <= 0x66 ? letter - 0x61 + 10 : -1;
}

/** A trailer must not contain framing fields (RFC 9110, 6.5.1). */
function isField(line: string): boolean {
  const colon = line.indexOf(':');
  if (colon < 1 || /^(?:content-length|transfer-encoding):/i.test(line)) return false;
  for (let index = 0; index < colon; index++) if (!isInName(line.charCodeAt(index))) return false;
  return true;
}
