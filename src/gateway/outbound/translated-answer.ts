// Stands between an upstream of another protocol and the attempt that asked it: what the attempt is
// told of is a chat answer. A stream is passed on event by event; of anything else the whole is
// needed. Nothing is told before there is something to tell, so that an error that comes first
// in a stream is one that the request can move on from (Gateway rules 2 and 14).

import type { TranslatedStream, TranslatedUsage } from '../../protocols/translation.ts';
import { costMicrosOf } from '../../usage/tail.ts';
import type { ReportedUsage } from '../../usage/tail.ts';
import type { AnswerReading } from './outbound-request.ts';
import type { AnswerSink, FlatHeaders, UpstreamFault } from '../transport/boundary.ts';

/** An answer that is no stream is not read beyond this; an image in it is the largest thing there is. */
export const answerBytesMax = 32 * 1024 * 1024;
/** A longer error is told as none: it is a page of something in between. */
export const errorBytesMax = 64 * 1024;

export type TranslatedSink = AnswerSink & {
  /** The client has been told in its own stream that the answer broke off; nothing follows. */
  onBrokenOff(fault: UpstreamFault): void;
};

/** What else of an upstream's head holds for the translated answer. */
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
  #chunks: Buffer[] = [];
  #bytes = 0;
  #usage: ReportedUsage | null = null;

  constructor(reading: AnswerReading, sink: TranslatedSink, abortUpstream: () => void) {
    this.#reading = reading;
    this.#sink = sink;
    this.#abortUpstream = abortUpstream;
  }

  /** Of an answer whose end has come, whoever else waits for more. */
  get usage(): ReportedUsage | null {
    if (this.#stream === null) return this.#usage;
    const { usage } = this.#stream;
    return usage === null ? null : reported(usage);
  }

  onHead(status: number, headers: FlatHeaders): void {
    this.#status = status;
    this.#headers = headers;
    const { isStream, translation, options } = this.#reading;
    // A status of an error stays: others may be tried while its body is still on the way.
    if (status >= 400) return this.#begin(status, 'application/json', false);
    const type = headers[headers.indexOf('content-type') + 1] ?? '';
    if (isStream && eventStream.test(type)) this.#stream = translation.openStream(options);
  }

  onChunk(chunk: Buffer, isLast: boolean): boolean {
    if (this.#hasEnded) return true;
    if (this.#stream === null) return this.#collect(chunk);
    const translated = this.#stream.push(chunk);
    if (this.#stream.failedStatus !== null) {
      this.#fail(this.#stream, translated);
      if (!isLast) this.#abortUpstream();
      return true;
    }
    return translated.length === 0 || this.#write(translated, false);
  }

  onEnd(): void {
    if (this.#hasEnded) return;
    if (this.#stream === null) return this.#answer();
    this.#endStream(this.#stream);
  }

  onFault(fault: UpstreamFault): void {
    if (this.#hasEnded) return;
    const stream = this.#stream;
    // Nobody is there to be told, or nothing was told yet.
    if (stream === null || fault.kind === 'unread' || !(this.#hasBegun || stream.isClean)) {
      this.#hasEnded = true;
      return this.#sink.onFault(fault);
    }
    this.#endStream(stream, fault);
  }

  /** The vendor's own mark of the end is what counts, not how the connection ended. */
  #endStream(stream: TranslatedStream, fault: UpstreamFault | null = null): void {
    const rest = stream.end();
    if (stream.failedStatus !== null) return this.#fail(stream, rest, fault);
    this.#hasEnded = true;
    if (rest.length > 0) this.#write(rest, true);
    this.#sink.onEnd();
  }

  /** Before anything was told it is an error like any other; after that the client hears of it as the last thing. */
  #fail(stream: TranslatedStream, translated: Buffer, fault: UpstreamFault | null = null): void {
    this.#hasEnded = true;
    const status = stream.failedStatus ?? 502;
    if (this.#hasBegun) {
      this.#sink.onChunk(translated, true);
      const detail = `an error in the stream, of status ${status}`;
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
      this.#chunks.push(chunk);
      return true;
    }
    this.#chunks = [];
    this.#hasEnded = true;
    if (isError) this.#writeError();
    else this.#sink.onFault({ kind: 'broken', detail: `more than ${answerBytesMax} bytes` });
    this.#abortUpstream();
    return true;
  }

  #answer(): void {
    this.#hasEnded = true;
    if (this.#hasBegun) return this.#writeError();
    const { translation, options } = this.#reading;
    const body = Buffer.concat(this.#chunks, this.#bytes);
    const answer = translation.translateResponse(this.#status, body, options);
    this.#usage = answer.usage === null ? null : reported(answer.usage);
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

const reported = ({ promptTokens, completionTokens, cost }: TranslatedUsage): ReportedUsage => ({
  promptTokens,
  completionTokens,
  costMicros: costMicrosOf(cost),
});
