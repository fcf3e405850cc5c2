// Parses server-sent events from chunks of bytes (WHATWG HTML, 9.2.6). Lines end with LF or CRLF. A
// lone CR, which the standard also allows, is not supported because no vendor uses it. An event
// above the size limit stops the parser.

/** The largest event is an image in base64. */
export const eventBytesMax = 16 * 1024 * 1024;

export type SseEvent = Readonly<{
  /** Empty if the event has no name. */
  name: string;
  /** The data lines, joined by line feeds. */
  data: string;
}>;

const lineFeed = 0x0a;
const carriageReturn = 0x0d;
const byteOrderMark = '\ufeff';

export class SseDecoder {
  readonly #bytesMax: number;
  #pieces: Buffer[] = [];
  #name = '';
  #data: string | null = null;
  #bytes = 0;
  #isStart = true;
  #isOverflown = false;

  constructor(bytesMax: number = eventBytesMax) {
    this.#bytesMax = bytesMax;
  }

  /** True if an event was too large. Nothing is read after that. */
  get isOverflown(): boolean {
    return this.#isOverflown;
  }

  push(chunk: Buffer): readonly SseEvent[] {
    const events: SseEvent[] = [];
    let at = 0;
    while (!this.#isOverflown && at < chunk.length) {
      const end = chunk.indexOf(lineFeed, at);
      const stop = end === -1 ? chunk.length : end;
      this.#count(stop - at);
      if (this.#isOverflown) break;
      if (end === -1) this.#pieces.push(chunk.subarray(at));
      else this.#line(this.#lineUpTo(chunk, at, end), events);
      at = stop + 1;
    }
    return events;
  }

  /** The last event if only its empty line is missing, which some vendors omit. */
  end(): readonly SseEvent[] {
    if (this.#isOverflown) return [];
    const events: SseEvent[] = [];
    if (this.#pieces.length > 0) this.#line(this.#lineUpTo(Buffer.alloc(0), 0, 0), events);
    this.#line('', events);
    return events;
  }

  #count(bytes: number): void {
    this.#bytes += bytes;
    if (this.#bytes <= this.#bytesMax) return;
    this.#isOverflown = true;
    this.#pieces = [];
    this.#data = null;
  }

  /** Decodes only complete lines, so that no character is split. */
  #lineUpTo(chunk: Buffer, from: number, end: number): string {
    if (this.#pieces.length === 0) return textUpTo(chunk, from, end);
    this.#pieces.push(chunk.subarray(from, end));
    const line = Buffer.concat(this.#pieces);
    this.#pieces = [];
    return textUpTo(line, 0, line.length);
  }

  #line(text: string, events: SseEvent[]): void {
    const line = this.#isStart && text.startsWith(byteOrderMark) ? text.slice(1) : text;
    this.#isStart = false;
    if (line === '') return this.#dispatch(events);
    const colon = line.indexOf(':');
    const field = colon === -1 ? line : line.slice(0, colon);
    const skipped = colon !== -1 && line[colon + 1] === ' ' ? 2 : 1;
    const value = colon === -1 ? '' : line.slice(colon + skipped);
    if (field === 'data') this.#data = this.#data === null ? value : `${this.#data}\n${value}`;
    else if (field === 'event') this.#name = value;
  }

  #dispatch(events: SseEvent[]): void {
    if (this.#data !== null) events.push({ name: this.#name, data: this.#data });
    this.#name = '';
    this.#data = null;
    this.#bytes = 0;
  }
}

function textUpTo(bytes: Buffer, from: number, end: number): string {
  const isCrlf = end > from && bytes[end - 1] === carriageReturn;
  return bytes.toString('utf8', from, isCrlf ? end - 1 : end);
}
