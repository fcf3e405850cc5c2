// Translates the answer of a backend with another protocol into a chat answer. Streams are
// translated event by event, other answers as a whole. Nothing is forwarded before the first
// output, so that the request can still move on after an early error (Gateway rules 2 and 14).

import type { TranslatedStream } from '../../protocols/translation.ts';
import type { UsageReport } from '../../usage/counts.ts';
import type { AnswerReading } from './outbound-request.ts';
import type { AnswerSink, FlatHeaders, UpstreamFault } from '../transport/boundary.ts';

/** For an answer that is not a stream. Images are the largest. */
export const answerBytesMax = 32 * 1024 * 1024;
/** A longer error is replaced, because it comes from an intermediary. */
export const errorBytesMax = 64 * 1024;

export type TranslatedSink = AnswerSink & {
  /** The client was informed in its stream that the answer was cut off. No other call follows. */
  onBrokenOff(fault: UpstreamFault): void;
};

/** The upstream headers that also apply to the translated answer. */
const passedHeaders: ReadonlySet<string> = new Set([
  'cache-control',
  'retry-after',
  'retry-after-ms',
  'x-should-retry',
]);
const eventStream = /^text\/event-stream\b/i;

export class TranslatedAnswer implements AnswerSink {
  readonly #reading: AnswerReading;
  readonly #sink: TranslatedSink;
  readonly #abortUpstream: () => void;
  #status = 0;
  #headers: FlatHeaders = [];
  /** Null for an answer that is read as a whole. */
  #stream: TranslatedStream | null = null;
  #hasBegun = false;
  #hasEnded = false;
  /** The output for a stream that failed with its last chunk. The end follows at once. */
  #failure: Buffer | null = null;
  #chunks: Buffer[] = [];
  #bytes = 0;
  #usage: UsageReport | null = null;

  constructor(reading: AnswerReading, sink: TranslatedSink, abortUpstream: () => void) {
    this.#reading = reading;
    this.#sink = sink;
    this.#abortUpstream = abortUpstream;
  }

  /** The usage, once the end of the answer has arrived. */
  get usage(): UsageReport | null {
    if (this.#stream === null) return this.#usage;
    return this.#stream.usage;
  }

  onHead(status: number, headers: FlatHeaders): void {
    this.#status = status;
    this.#headers = headers;
    const { isStream, translation, options } = this.#reading;
    // The head of an error is forwarded at once, so that another backend can be tried while the body arrives.
    if (status >= 400) return this.#begin(status, 'application/json', false);
    const type = headers[headers.indexOf('content-type') + 1] ?? '';
    if (isStream && eventStream.test(type)) this.#stream = translation.openStream(options);
  }

  onChunk(chunk: Buffer, isLast: boolean): boolean {
    if (this.#hasEnded) return true;
    if (this.#stream === null) return this.#collect(chunk);
    // The decoder keeps the beginning of an incomplete event.
    const translated = this.#stream.push(Buffer.from(chunk));
    if (this.#stream.failedStatus === null) {
      return translated.length === 0 || this.#write(translated, false);
    }
    if (isLast) this.#failure = translated;
    else {
      // First, because the memory of the request may be reused once the sink knows the end.
      this.#abortUpstream();
      this.#fail(this.#stream, translated);
    }
    return true;
  }

  onEnd(): void {
    if (this.#hasEnded) return;
    if (this.#stream === null) return this.#answer();
    if (this.#failure === null) this.#endStream(this.#stream);
    else this.#fail(this.#stream, this.#failure);
  }

  onFault(fault: UpstreamFault): void {
    if (this.#hasEnded) return;
    const stream = this.#stream;
    // The client disconnected, or nothing was forwarded yet.
    if (stream === null || fault.kind === 'unread' || !(this.#hasBegun || stream.isClean)) {
      this.#hasEnded = true;
      return this.#sink.onFault(fault);
    }
    this.#endStream(stream, fault);
  }

  /** The vendor's own end marker counts, not how the connection ended. */
  #endStream(stream: TranslatedStream, fault: UpstreamFault | null = null): void {
    const rest = stream.end();
    if (stream.failedStatus !== null) return this.#fail(stream, rest, fault);
    this.#hasEnded = true;
    if (rest.length > 0) this.#write(rest, true);
    this.#sink.onEnd();
  }

  /** Before the first output this is an ordinary error. Later the client gets it as the last event. */
  #fail(stream: TranslatedStream, translated: Buffer, fault: UpstreamFault | null = null): void {
    this.#hasEnded = true;
    const status = stream.failedStatus ?? 502;
    if (this.#hasBegun) {
      this.#sink.onChunk(translated, true);
      const detail = `the stream contained an error with status ${status}`;
      return this.#sink.onBrokenOff(fault ?? { kind: 'broken', detail });
    }
    this.#writeComplete(status, stream.failedBody ?? Buffer.alloc(0));
  }

  #write(bytes: Buffer, isLast: boolean): boolean {
    if (!this.#hasBegun) this.#begin(200, 'text/event-stream; charset=utf-8', true);
    return this.#sink.onChunk(bytes, isLast);
  }

  #begin(status: number, type: string, isFollowed: boolean, more: FlatHeaders = []): void {
    this.#hasBegun = true;
    const headers = this.#headers;
    const kept = headers.filter((_, index) =>
      passedHeaders.has(headers[index - (index % 2)] ?? ''),
    );
    this.#sink.onHead(status, ['content-type', type, ...more, ...kept], isFollowed);
  }

  #collect(chunk: Buffer): boolean {
    this.#bytes += chunk.length;
    const isError = this.#status >= 400;
    if (this.#bytes <= (isError ? errorBytesMax : answerBytesMax)) {
      this.#chunks.push(Buffer.from(chunk));
      return true;
    }
    this.#chunks = [];
    this.#hasEnded = true;
    this.#abortUpstream();
    if (isError) this.#writeError();
    else
      this.#sink.onFault({
        kind: 'broken',
        detail: `the answer is longer than ${answerBytesMax} bytes`,
      });
    return true;
  }

  #answer(): void {
    this.#hasEnded = true;
    if (this.#hasBegun) return this.#writeError();
    const { translation, options } = this.#reading;
    const body = Buffer.concat(this.#chunks, this.#bytes);
    const answer = translation.translateResponse(this.#status, body, options);
    this.#usage = answer.usage;
    this.#writeComplete(answer.status, answer.body);
  }

  #writeError(): void {
    const { translation, options } = this.#reading;
    const body = Buffer.concat(this.#chunks);
    this.#sink.onChunk(translation.translateResponse(this.#status, body, options).body, true);
    this.#sink.onEnd();
  }

  #writeComplete(status: number, body: Buffer): void {
    this.#begin(status, 'application/json', true, ['content-length', String(body.length)]);
    this.#sink.onChunk(body, true);
    this.#sink.onEnd();
  }
}
