// Watches a streamed message of a backend that speaks the Messages API. Every byte is forwarded;
// only events with token counts, errors or the end are parsed.

import type { UsageReport } from '../../usage/counts.ts';
import { anthropicUsage, pairUsage } from '../../usage/dialects/anthropic.ts';
import { readAs } from '../../usage/read-report.ts';
import { statusOfError } from '../anthropic/error.ts';
import { oversizedError, truncatedError } from '../chat-answer.ts';
import { isObject, objectOf, parseJson, textOf } from '../json.ts';
import type { JsonObject } from '../json.ts';
import { SseDecoder } from '../sse.ts';
import type { SseEvent } from '../sse.ts';
import type { TranslatedStream } from '../translation.ts';
import { errorText } from './error.ts';
import { errorEvent, messageStop } from './message-events.ts';

export class NativeStream implements TranslatedStream {
  isClean = false;
  failedStatus: number | null = null;
  failedBody: Buffer | null = null;
  readonly #requestId: string;
  readonly #decoder = new SseDecoder();
  #first: JsonObject | null = null;
  #last: JsonObject | null = null;
  #hasStopReason = false;

  constructor(requestId: string) {
    this.#requestId = requestId;
  }

  get usage(): UsageReport | null {
    return this.isClean ? readAs(anthropicUsage, pairUsage(this.#first, this.#last)) : null;
  }

  push(chunk: Buffer): Buffer {
    for (const event of this.#decoder.push(chunk)) this.#event(event);
    if (!this.#decoder.isOverflown || this.isClean || this.failedStatus !== null) return chunk;
    return this.#fail(oversizedError.message);
  }

  /**
   * Adds the final event if only that is missing, and an error event if the message was cut off.
   */
  end(): Buffer {
    for (const event of this.#decoder.end()) this.#event(event);
    if (this.isClean || this.failedStatus !== null) return Buffer.alloc(0);
    if (!this.#hasStopReason) return this.#fail(truncatedError.message);
    this.isClean = true;
    return Buffer.from(messageStop);
  }

  #event({ name, data }: SseEvent): void {
    if (this.isClean || this.failedStatus !== null) return;
    // Some servers send the event name only in the data.
    switch (name || (textOf(objectIn(data), 'type') ?? '')) {
      case 'message_start':
        this.#first ??= objectOf(objectOf(objectIn(data), 'message') ?? {}, 'usage');
        return;
      case 'message_delta':
        return this.#messageDelta(objectIn(data));
      case 'message_stop':
        this.isClean = true;
        return;
      case 'error':
        return this.#failBy(data);
    }
  }

  #messageDelta(event: JsonObject): void {
    this.#last = objectOf(event, 'usage') ?? this.#last;
    const reason = textOf(objectOf(event, 'delta') ?? {}, 'stop_reason');
    if (reason !== null) this.#hasStopReason = true;
  }

  #failBy(data: string): void {
    const type = textOf(objectOf(objectIn(data), 'error') ?? {}, 'type');
    this.failedStatus = statusOfError(type ?? '');
    this.failedBody = Buffer.from(data);
  }

  #fail(message: string): Buffer {
    const text = errorText(502, message, this.#requestId);
    this.failedStatus = 502;
    this.failedBody = Buffer.from(text);
    return Buffer.from(errorEvent(text));
  }
}

function objectIn(data: string): JsonObject {
  const value = parseJson(data);
  return isObject(value) ? value : {};
}
