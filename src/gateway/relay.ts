// Relays an answer to the client chunk by chunk. The constructor sends the head. Collects the data
// for metering and caching on the way.

import { headerText } from '../lib/header-text.ts';
import type { Forwarded } from '../usage/estimate-answer.ts';
import { isEventStream, mayReportUsage, readUsage, Tail } from '../usage/tail.ts';
import type { UsageReport } from '../usage/counts.ts';
import { idHeaders } from './answer.ts';
import type { CacheKey } from './cache/cache-key.ts';
import { startRecording } from './cache/cache-recording.ts';
import type { Recording } from './cache/cache-recording.ts';
import type { MaskedHead } from './outbound/credential-echo.ts';
import type { Step } from './plan.ts';
import type { FlatHeaders } from './transport/boundary.ts';
import { appendAnswerHeaders } from './transport/header-policy.ts';
import type { PassingItems } from './usage/passing-items.ts';
import { itemsIn, withUnreported } from './usage/unreported.ts';
import type { Walk } from './walk.ts';

/** The headers that the gateway adds to an answer. */
export function headOf(walk: Walk, step: Step): FlatHeaders {
  const { exchange, limitHeaders } = walk;
  const head = idHeaders(exchange);
  head.push('x-gw-route', step.route, 'x-gw-served-model', headerText(step.model.model.name));
  if (limitHeaders.length > 0) head.push(...limitHeaders);
  if (missedBy(walk, step) !== null) head.push(...cacheMiss);
  return head;
}

/** The cache key of a lookup that found no answer of this model. */
export const missedBy = ({ missed }: Walk, { model }: Step): CacheKey | null =>
  missed?.model === model.model ? missed : null;

export const cacheMiss = ['x-gw-cache', 'miss'] as const;

export class Relay {
  readonly kind = 'relaying';
  readonly head: MaskedHead;
  /** From the start of the request to the first byte of the body, in milliseconds. */
  firstTokenMs: number | null = null;
  #bytes = 0;
  readonly #walk: Walk;
  readonly #isStream: boolean;
  readonly #isMetered: boolean;
  readonly #tail: Tail | null;
  /** Null if the answer reports everything. */
  readonly #items: PassingItems | null;
  readonly #recording: Recording | null;

  /** `isFollowed` means that a chunk or the end follows at once. */
  constructor(walk: Walk, step: Step, head: MaskedHead, isFollowed: boolean) {
    const { exchange, caller, context } = walk;
    const { status, headers } = head;
    this.head = head;
    this.#walk = walk;
    const answerHeaders = headOf(walk, step);
    const cacheKey = missedBy(walk, step);
    this.#recording =
      cacheKey === null ? null : startRecording(context.cache, cacheKey, { step, head });
    appendAnswerHeaders(answerHeaders, headers);
    this.#isMetered = caller.principalId !== null && context.usage !== null && status < 300;
    this.#tail = this.#isMetered && mayReportUsage(headers) ? new Tail() : null;
    this.#isStream = isEventStream(headers);
    this.#items = this.#tail === null ? null : itemsIn(walk, step, this.#isStream);
    exchange.start(status, answerHeaders, isFollowed);
  }

  /** The end of the relayed bytes, if it may contain usage. */
  get tail(): string {
    return this.#tail?.text() ?? '';
  }

  /** The usage of an answer that was relayed as it came. Call it once, when it is complete. */
  readUsage(): UsageReport | null {
    if (!this.#isMetered) return null;
    const tail = this.tail;
    const report = readUsage(tail);
    return withUnreported(this.#walk, { report, items: this.#items, tail });
  }

  /** The relayed part of a successful answer. Null when nothing was relayed. */
  get forwarded(): Forwarded | null {
    if (this.head.status >= 300 || this.#bytes === 0) return null;
    return { bytes: this.#bytes, tail: this.#tail?.text() ?? null, isStream: this.#isStream };
  }

  /** False when the client reads too slowly. */
  push(chunk: Buffer, isLast: boolean): boolean {
    const { context, exchange } = this.#walk;
    this.firstTokenMs ??= context.monotonic() - exchange.startedAt;
    this.#bytes += chunk.length;
    this.#tail?.push(chunk, isLast);
    this.#items?.push(chunk);
    this.#recording?.push(chunk);
    return exchange.write(chunk, isLast);
  }

  /** The answer is complete. `nowMs` is monotonic. */
  complete(usage: UsageReport | null, nowMs: number): void {
    this.#recording?.complete(usage, nowMs);
  }
}
