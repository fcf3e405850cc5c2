// An answer that is passed on to the client chunk by chunk. Its head goes out when this is made, and what is needed to
// meter the answer and to store it is kept on the way.

import { headerText } from '../lib/header-text.ts';
import type { Forwarded } from '../usage/estimate-answer.ts';
import { isEventStream, mayReportUsage, Tail } from '../usage/tail.ts';
import type { ReportedUsage } from '../usage/tail.ts';
import { idHeaders } from './answer.ts';
import { startRecording } from './cache-recording.ts';
import type { Recording } from './cache-recording.ts';
import type { CredentialMask, MaskedHead } from './credential-echo.ts';
import type { Step } from './plan.ts';
import { appendAnswerHeaders } from './transport/header-policy.ts';
import type { Walk } from './walk.ts';

export class Relay {
  readonly kind = 'relaying';
  readonly status: number;
  readonly mask: CredentialMask | null;
  /** From the start of the request until the client was sent the first byte of a body. */
  firstTokenMs: number | null = null;
  #bytes = 0;
  readonly #walk: Walk;
  readonly #isStream: boolean;
  readonly #tail: Tail | null;
  readonly #recording: Recording | null;

  /** `isFollowed` when a chunk or the end follows at once. */
  constructor(walk: Walk, step: Step, answer: MaskedHead, isFollowed: boolean) {
    const { exchange, caller, context, limitHeaders, missed } = walk;
    const { status, headers } = answer;
    this.status = status;
    this.mask = answer.mask;
    this.#walk = walk;
    const head = idHeaders(exchange);
    head.push('x-gw-route', step.route, 'x-gw-served-model', headerText(step.model.model.name));
    if (limitHeaders.length > 0) head.push(...limitHeaders);
    const isMiss = missed !== null && missed.model === step.model.model;
    if (isMiss) head.push('x-gw-cache', 'miss');
    this.#recording = isMiss ? startRecording(context.cache, missed, { step, answer }) : null;
    appendAnswerHeaders(head, headers);
    const isMetered = caller.principalId !== null && context.usage !== null;
    this.#tail = isMetered && status < 300 && mayReportUsage(headers) ? new Tail() : null;
    this.#isStream = isEventStream(headers);
    exchange.start(status, head, isFollowed);
  }

  /** The end of what was passed on, when usage may be told in it. */
  get tail(): string {
    return this.#tail?.text() ?? '';
  }

  /** The part of a served answer that was passed on; null when nothing was. */
  get forwarded(): Forwarded | null {
    if (this.status >= 300 || this.#bytes === 0) return null;
    return { bytes: this.#bytes, tail: this.#tail?.text() ?? null, isStream: this.#isStream };
  }

  /** False when the client does not keep up. */
  push(chunk: Buffer, isLast: boolean): boolean {
    const { context, exchange } = this.#walk;
    this.firstTokenMs ??= context.monotonic() - exchange.startedAt;
    this.#bytes += chunk.length;
    this.#tail?.push(chunk);
    this.#recording?.push(chunk);
    return exchange.write(chunk, isLast);
  }

  /** The answer came whole. `nowMs` is monotonic. */
  complete(usage: ReportedUsage | null, nowMs: number): void {
    this.#recording?.complete(usage, nowMs);
  }
}
