// Translates the streams of all vendors: bytes to events, events to chat chunks. An answer that
// fails or is cut off ends with an error event.

import type { UsageReport } from '../usage/counts.ts';
import { errorText, oversizedError } from './chat-answer.ts';
import type { ChatError, FinishReason } from './chat-answer.ts';
import { chatChunks, streamMark } from './chat-chunks.ts';
import type { ChatChunks } from './chat-chunks.ts';
import { isObject, parseJson } from './json.ts';
import type { JsonObject } from './json.ts';
import { SseDecoder } from './sse.ts';
import type { SseEvent } from './sse.ts';
import type { StreamOptions, TranslatedStream } from './translation.ts';

const nothing = Buffer.alloc(0);

export abstract class EventStream implements TranslatedStream {
  protected readonly options: StreamOptions;
  readonly #decoder = new SseDecoder();
  #chunks: ChatChunks | null = null;
  #isOver = false;
  #failedStatus: number | null = null;
  #failedBody: Buffer | null = null;

  constructor(options: StreamOptions) {
    this.options = options;
  }

  abstract get isClean(): boolean;
  abstract get usage(): UsageReport | null;
  protected abstract event(event: JsonObject): string;
  /** The remaining chunks if the upstream ends without finishing. */
  protected abstract ended(): string;

  get failedStatus(): number | null {
    return this.#failedStatus;
  }

  get failedBody(): Buffer | null {
    return this.#failedBody;
  }

  push(chunk: Buffer): Buffer {
    if (this.#isOver) return nothing;
    let text = this.#read(this.#decoder.push(chunk));
    if (this.#decoder.isOverflown && !this.#isOver) text += this.fail(oversizedError);
    return text === '' ? nothing : Buffer.from(text);
  }

  end(): Buffer {
    if (this.#isOver) return nothing;
    let text = this.#read(this.#decoder.end());
    if (!this.#isOver) text += this.ended();
    return Buffer.from(text);
  }

  #read(events: readonly SseEvent[]): string {
    let text = '';
    for (const { data } of events) {
      if (this.#isOver) break;
      const event = parseJson(data);
      if (isObject(event)) text += this.event(event);
    }
    return text;
  }

  /** An intermediary may splice two streams. The answer keeps the identity of the first. */
  protected begin(id: string | null, model: string | null): string {
    if (this.#chunks !== null) return '';
    const { requestId, model: asked } = this.options;
    this.#chunks = chatChunks(id ?? `chatcmpl-${requestId}`, model ?? asked, this.options);
    return this.#chunks.delta('{"role":"assistant","content":""}');
  }

  /** A stream without its first event is still an answer. */
  protected send(delta: string): string {
    const before = this.begin(null, null);
    return before + (this.#chunks?.delta(delta) ?? '');
  }

  protected text(text: string | null, deltaOf: (text: string) => string): string {
    return text === null || text === '' ? '' : this.send(deltaOf(text));
  }

  protected finish(reason: FinishReason): string {
    const before = this.begin(null, null);
    this.#isOver = true;
    const usage = this.options.includesUsage ? this.usage : null;
    const counted = usage === null ? '' : (this.#chunks?.usage(usage) ?? '');
    return before + (this.#chunks?.finish(reason) ?? '') + counted + streamMark;
  }

  protected fail(error: ChatError, status = 502): string {
    this.#isOver = true;
    this.#failedStatus = status;
    const body = errorText(error, this.options.requestId);
    this.#failedBody = Buffer.from(body);
    return `data: ${body}\n\n${streamMark}`;
  }
}
