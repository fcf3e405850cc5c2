// One attempt at one backend. The first byte decides: until then the request may move on, from
// then on the answer is relayed chunk by chunk to its end, or the client's connection is broken
// (Gateway rule 2).

import type { Clock } from '../lib/clock.ts';
import { headerText } from '../lib/header-text.ts';
import { isRetryable } from '../routing/retry.ts';
import { countStatus } from '../telemetry/metrics.ts';
import type { Log } from '../telemetry/log.ts';
import type { Counts } from '../telemetry/metrics.ts';
import type { Forwarded } from '../usage/estimate-answer.ts';
import { endsStream, isEventStream, mayReportUsage, readUsage, Tail } from '../usage/tail.ts';
import type { ReportedUsage } from '../usage/tail.ts';
import { idHeaders } from './answer.ts';
import { startRecording } from './cache-recording.ts';
import type { CacheMiss, Recording } from './cache-recording.ts';
import { maskOf } from './credential-echo.ts';
import type { CredentialMask } from './credential-echo.ts';
import { EarlyBody, mayBeError } from './error-body.ts';
import { noteEnded, noteSent } from './generation.ts';
import { noteAnswered, noteFault } from './health/backend.ts';
import { HeldAnswer } from './held-answer.ts';
import type { AnswerReading, Outbound } from './outbound-request.ts';
import type { Plan, Step } from './plan.ts';
import { TranslatedAnswer } from './translated-answer.ts';
import type { TranslatedSink } from './translated-answer.ts';
import type {
  AnswerSink,
  Exchange,
  ExchangeListener,
  FlatHeaders,
  UpstreamCall,
  UpstreamFault,
  Upstreams,
} from './transport/boundary.ts';
import { appendAnswerHeaders } from './transport/header-policy.ts';

export type AttemptResult =
  /** The answer went to the client whole. */
  | Readonly<{ kind: 'relayed'; usage: ReportedUsage | null }>
  /** The answer broke off, and with it the client's connection, or else its stream said so. */
  | Readonly<{ kind: 'cut'; fault: UpstreamFault }>
  /** The client left, or was left because it did not read. */
  | Readonly<{ kind: 'gone'; usage: ReportedUsage | null }>
  /** Something else is to be tried; the answer is kept for when that fails too. */
  | Readonly<{ kind: 'declined'; held: HeldAnswer; next: Step }>
  | Readonly<{ kind: 'unreached'; fault: UpstreamFault; next: Step | null }>;

/** The parts that the attempts of all requests share. */
export type AttemptSurroundings = Readonly<{
  upstreams: Upstreams;
  counts: Counts;
  log: Log;
  now: Clock;
  monotonic: Clock;
}>;

export type AttemptContext = Readonly<{
  shared: AttemptSurroundings;
  exchange: Exchange;
  plan: Plan;
  /** Whether the token counts are recorded. */
  isMetered: boolean;
  /** For the answer, names and values in turn: what the caller has left of its rate limits. */
  limitHeaders: readonly string[];
  /** Set when the cache was asked in vain. */
  miss: CacheMiss | null;
}>;

/** An answer of which nothing has been passed on: its body may say that it is an error. */
type EarlyAnswer = Readonly<{ headers: FlatHeaders; body: EarlyBody }>;

export class Attempt implements TranslatedSink, ExchangeListener {
  /** The status that the client saw, and when it saw the first byte of a body. */
  relayedStatus: number | null = null;
  firstChunkAt: number | null = null;
  #forwardedBytes = 0;
  #isStream = false;
  readonly #context: AttemptContext;
  readonly #step: Step;
  readonly #startedAt: number;
  #resolve: (result: AttemptResult) => void = () => {};
  #call: UpstreamCall | null = null;
  #translated: TranslatedAnswer | null = null;
  #tail: Tail | null = null;
  #recording: Recording | null = null;
  #held: HeldAnswer | null = null;
  #early: EarlyAnswer | null = null;
  #credential: string | null = null;
  /** Set for an answer that is not a success. */
  #mask: CredentialMask | null = null;
  #isOver = false;

  constructor(context: AttemptContext, step: Step) {
    this.#context = context;
    this.#step = step;
    this.#startedAt = context.shared.monotonic();
  }

  /** The part of a served answer that was forwarded; null when nothing was. */
  get forwarded(): Forwarded | null {
    const status = this.relayedStatus;
    if (status === null || status >= 300 || this.#forwardedBytes === 0) return null;
    const tail = this.#tail?.text() ?? null;
    return { bytes: this.#forwardedBytes, tail, isStream: this.#isStream };
  }

  /** A backend with flow control has given a slot, which the end of the attempt releases. */
  run({ request, reading }: Outbound): Promise<AttemptResult> {
    const { exchange, shared } = this.#context;
    const { backend } = this.#step;
    return new Promise((resolve) => {
      this.#resolve = resolve;
      exchange.listen(this);
      if (exchange.isGone) {
        backend.admission?.release();
        return resolve({ kind: 'gone', usage: null });
      }
      noteSent(backend);
      this.#credential = request.credential;
      this.#call = shared.upstreams.send(backend.backend.origin, request, this.#reader(reading));
    });
  }

  #reader(reading: AnswerReading | null): AnswerSink {
    if (reading === null) return this;
    this.#translated = new TranslatedAnswer(reading, this, () => this.#call?.abort());
    return this.#translated;
  }

  onHead(status: number, headers: FlatHeaders, isFollowed: boolean): void {
    if (mayBeError(status, headers)) this.#early = { headers, body: new EarlyBody() };
    else this.#decide(status, headers, isFollowed);
  }

  onChunk(chunk: Buffer, isLast: boolean): boolean {
    if (this.#early !== null) return this.#readEarly(this.#early, chunk, isLast);
    if (this.#mask === null) return this.#pass(chunk, isLast);
    const masked = this.#mask.push(chunk, isLast);
    return masked.length === 0 || this.#pass(masked, isLast);
  }

  #pass(chunk: Buffer, isLast: boolean): boolean {
    if (this.#held !== null) {
      this.#held.push(chunk);
      return true;
    }
    this.firstChunkAt ??= this.#context.shared.monotonic();
    this.#forwardedBytes += chunk.length;
    this.#tail?.push(chunk);
    this.#recording?.push(chunk);
    return this.#context.exchange.write(chunk, isLast);
  }

  onEnd(): void {
    if (this.#early !== null) this.#endEarly(this.#early);
    const rest = this.#mask?.end() ?? null;
    if (rest !== null && rest.length > 0) this.#pass(rest, true);
    const nowMs = this.#context.shared.monotonic();
    this.#end(nowMs - this.#startedAt);
    if (this.#held !== null) return this.#held.complete();
    this.#context.exchange.end();
    const usage =
      this.#translated === null ? readUsage(this.#tail?.text() ?? '') : this.#translated.usage;
    this.#recording?.complete(usage, nowMs);
    this.#resolve({ kind: 'relayed', usage });
  }

  onFault(fault: UpstreamFault): void {
    if (fault.kind === 'unread') {
      this.#end(null);
      this.#context.exchange.cut();
      return this.#resolve({ kind: 'gone', usage: null });
    }
    this.#noteFault(fault);
    this.#end(null);
    if (this.#held !== null) return this.#held.drop();
    // Nothing was passed on of an early answer: the request may still move on.
    if (this.relayedStatus === null) {
      return this.#resolve({ kind: 'unreached', fault, next: this.#next(null) });
    }
    this.#context.exchange.cut();
    this.#resolve({ kind: 'cut', fault });
  }

  onBrokenOff(fault: UpstreamFault): void {
    this.#noteFault(fault);
    this.#end(null);
    this.#context.exchange.end();
    this.#resolve({ kind: 'cut', fault });
  }

  onDrain(): void {
    this.#call?.resume();
  }

  onGone(): void {
    if (this.#isOver || this.#held !== null) return;
    this.#leave();
    // Clients hang up at the mark of the end: what they were told before it still counts.
    if (this.#translated !== null) {
      return this.#resolve({ kind: 'gone', usage: this.#translated.usage });
    }
    const tail = this.#tail?.text() ?? '';
    this.#resolve({ kind: 'gone', usage: endsStream(tail) ? readUsage(tail) : null });
  }

  #readEarly({ headers, body }: EarlyAnswer, chunk: Buffer, isLast: boolean): boolean {
    body.push(chunk);
    const status = body.status(isLast);
    if (status === null) return true;
    this.#early = null;
    this.#decide(status, headers, true);
    const last = body.chunks.length - 1;
    return body.chunks.reduce(
      (_, kept, index) => this.onChunk(kept, isLast && index === last),
      true,
    );
  }

  /** The end came after the last chunk, not with it, or there was no chunk. */
  #endEarly({ headers, body }: EarlyAnswer): void {
    this.#early = null;
    this.#decide(body.status(true) ?? 200, headers, true);
    for (const kept of body.chunks) this.onChunk(kept, false);
  }

  #decide(status: number, told: FlatHeaders, isFollowed: boolean): void {
    const { shared } = this.#context;
    noteAnswered(this.#step.backend, { status, headers: told }, shared.now);
    countStatus(shared.counts, status);
    this.#mask = status < 300 ? null : maskOf(this.#credential);
    const headers = this.#mask?.headers(told) ?? told;
    const next = isRetryable(status) ? this.#next(status) : null;
    if (next === null) return this.#relay(status, headers, isFollowed);
    this.#held = new HeldAnswer(this.#step, status, headers, () => this.#leave());
    this.#resolve({ kind: 'declined', held: this.#held, next });
  }

  #next(status: number | null): Step | null {
    const { plan, shared } = this.#context;
    return plan.next({ status, tookMs: shared.monotonic() - this.#startedAt });
  }

  #noteFault(fault: UpstreamFault): void {
    const { log, monotonic, now } = this.#context.shared;
    const { backend: state } = this.#step;
    const nowMs = now();
    const sentMs = nowMs - (monotonic() - this.#startedAt);
    if (!noteFault(state, fault, { sentMs, nowMs })) return;
    const { apiBase: api_base, upstreamModel: model } = state.backend;
    const reason = fault.kind === 'timed_out' ? 'header timeouts' : 'unreachable';
    const seconds = Math.ceil((state.restsUntilMs - nowMs) / 1000);
    log.warn({ api_base, model, reason, seconds }, 'a backend is out of rotation');
  }

  #leave(): void {
    this.#call?.abort();
    this.#end(null);
  }

  #relay(status: number, headers: FlatHeaders, isFollowed: boolean): void {
    const { exchange, isMetered, limitHeaders, miss } = this.#context;
    const { route, model } = this.#step;
    const head = idHeaders(exchange);
    head.push('x-gw-route', route, 'x-gw-served-model', headerText(model.model.name));
    if (limitHeaders.length > 0) head.push(...limitHeaders);
    if (miss !== null && miss.place.model === model.model) {
      head.push('x-gw-cache', 'miss');
      this.#recording = startRecording(miss, this.#step, { status, headers });
    }
    appendAnswerHeaders(head, headers);
    if (isMetered && status < 300 && mayReportUsage(headers)) this.#tail = new Tail();
    this.#isStream = isEventStream(headers);
    this.relayedStatus = status;
    exchange.start(status, head, isFollowed);
  }

  #end(durationMs: number | null): void {
    if (this.#isOver) return;
    this.#isOver = true;
    const isServed = this.relayedStatus !== null && this.relayedStatus < 400;
    noteEnded(this.#step.backend, { durationMs, isServed });
  }
}
