// Makes one attempt at one backend. Until the first byte of the answer, the request can move to another backend. From then
// on the answer is relayed chunk by chunk, and a fault closes the client's connection (Gateway rule 2).

import { isRetryable } from '../routing/retry.ts';
import { countStatus } from '../telemetry/metrics.ts';
import { endsStream } from '../usage/tail.ts';
import type { UsageReport } from '../usage/counts.ts';
import { maskedHead } from './outbound/credential-echo.ts';
import { EarlyBody, mayBeError } from './outbound/error-body.ts';
import { noteEnded, noteSent } from './generation.ts';
import { noteAnswered, noteFault } from './health/backend.ts';
import { HeldAnswer } from './held-answer.ts';
import { RouteWatch } from './outbound/missing-route.ts';
import type { MissingRouteSink } from './outbound/missing-route.ts';
import type { Outbound } from './outbound/outbound-request.ts';
import type { Step } from './plan.ts';
import { Relay } from './relay.ts';
import type { Sending } from './sending.ts';
import { TranslatedAnswer } from './outbound/translated-answer.ts';
import type { TranslatedSink } from './outbound/translated-answer.ts';
import { internalFault } from './transport/upstream-attempt.ts';
import type {
  ExchangeListener,
  FlatHeaders,
  UpstreamCall,
  UpstreamFault,
  UpstreamRequest,
} from './transport/boundary.ts';

export type AttemptResult =
  /**
   * The client gets nothing more: the answer is complete, the client disconnected, or it did not
   * read. With a fault, the answer was cut off. `relay` is null when nothing was relayed.
   */
  | Readonly<{
      kind: 'ended';
      relay: Relay | null;
      usage: UsageReport | null;
      fault: UpstreamFault | null;
    }>
  /** Another backend must be tried. If that fails too, the client gets the held answer. */
  | Readonly<{ kind: 'declined'; held: HeldAnswer; next: Step }>
  | Readonly<{ kind: 'unreached'; fault: UpstreamFault; next: Step | null }>
  | Readonly<{ kind: 'unserved' }>;

type State =
  | Readonly<{ kind: 'waiting' }>
  /** Nothing was relayed yet, because the body may contain an error. */
  | Readonly<{ kind: 'early'; headers: FlatHeaders; body: EarlyBody }>
  | Relay
  /** The request has moved on, but the rest of the body may still arrive. */
  | HeldAnswer
  /** The backend no longer counts the attempt as in flight. */
  | Readonly<{ kind: 'over' }>;

const waiting: State = { kind: 'waiting' };
const over: State = { kind: 'over' };

export class Attempt implements TranslatedSink, MissingRouteSink, ExchangeListener {
  #state: State = waiting;
  #call: UpstreamCall | null = null;
  readonly #sending: Sending;
  readonly #step: Step;
  readonly #credential: string | null;
  /** Set when the backend and the client use different protocols. */
  readonly #translated: TranslatedAnswer | null;
  readonly #mayLackRoute: boolean;
  readonly #startedAt: number;
  readonly #onResult: (result: AttemptResult) => void;
  #hasResult = false;

  /** `onResult` is called once, possibly during `run`. */
  constructor(
    sending: Sending,
    step: Step,
    { request, reading, mayLackRoute }: Outbound,
    onResult: (result: AttemptResult) => void,
  ) {
    this.#onResult = onResult;
    this.#sending = sending;
    this.#step = step;
    this.#credential = request.credential;
    this.#mayLackRoute = mayLackRoute === true;
    this.#translated =
      reading === null ? null : new TranslatedAnswer(reading, this, () => this.#call?.abort());
    this.#startedAt = sending.walk.context.monotonic();
  }

  /**
   * If the backend has flow control, the caller holds a slot of it. The end of the attempt releases
   * it.
   */
  run(request: UpstreamRequest): void {
    const { exchange, context } = this.#sending.walk;
    const { backend } = this.#step;
    exchange.listen(this);
    if (exchange.isGone) {
      this.#state = over;
      backend.admission?.release();
      this.#ended(null, null);
    } else {
      noteSent(backend);
      const sink = this.#translated ?? (this.#mayLackRoute ? new RouteWatch(this) : this);
      this.#call = context.upstreams.send(backend.backend.origin, request, sink);
    }
  }

  onHead(status: number, headers: FlatHeaders, isFollowed: boolean): void {
    if (mayBeError(status, headers)) {
      this.#state = { kind: 'early', headers, body: new EarlyBody() };
    } else this.#decide(status, headers, isFollowed);
  }

  onChunk(chunk: Buffer, isLast: boolean): boolean {
    const state = this.#state;
    switch (state.kind) {
      case 'early':
        return this.#readEarly(state, chunk, isLast);
      case 'relaying':
      case 'held': {
        if (state.head.mask === null) return state.push(chunk, isLast);
        const masked = state.head.mask.push(chunk, isLast);
        return masked.length === 0 || state.push(masked, isLast);
      }
      case 'waiting':
      case 'over':
        return true;
    }
  }

  onEnd(): void {
    if (this.#state.kind === 'early') this.#endEarly(this.#state);
    const state = this.#state;
    if (state.kind === 'over') return;
    const answer = state.kind === 'relaying' || state.kind === 'held' ? state : null;
    const rest = answer?.head.mask?.end() ?? null;
    if (rest !== null && rest.length > 0) answer?.push(rest, true);
    const nowMs = this.#sending.walk.context.monotonic();
    this.#end(nowMs - this.#startedAt);
    if (state.kind === 'held') return state.complete();
    const relay = relayIn(state);
    let usage: UsageReport | null = null;
    try {
      this.#sending.walk.exchange.end();
      usage = this.#translated === null ? (relay?.readUsage() ?? null) : this.#translated.usage;
      relay?.complete(usage, nowMs);
      this.#ended(relay, usage);
    } catch (error) {
      // The attempt is over, so no fault can follow, and without a result the request would never end.
      this.#sending.walk.exchange.cut();
      this.#ended(relay, usage, internalFault(error));
    }
  }

  onFault(fault: UpstreamFault): void {
    const state = this.#state;
    if (state.kind === 'over') return;
    const relay = relayIn(state);
    if (fault.kind === 'unread') {
      this.#end(null);
      this.#sending.walk.exchange.cut();
      return this.#ended(relay, null);
    }
    this.#noteFault(fault);
    this.#end(null);
    if (state.kind === 'held') return state.drop();
    // Nothing of an early answer was relayed, so the request can still move on.
    if (relay === null) {
      return this.#resolve({ kind: 'unreached', fault, next: this.#next(null) });
    }
    this.#sending.walk.exchange.cut();
    this.#ended(relay, null, fault);
  }

  onBrokenOff(fault: UpstreamFault): void {
    const relay = relayIn(this.#state);
    this.#noteFault(fault);
    this.#end(null);
    this.#sending.walk.exchange.end();
    this.#ended(relay, null, fault);
  }

  onMissingRoute(): void {
    if (this.#state.kind === 'over') return;
    this.#end(null);
    this.#resolve({ kind: 'unserved' });
  }

  onDrain(): void {
    this.#call?.resume();
  }

  onGone(): void {
    const state = this.#state;
    if (state.kind === 'over' || state.kind === 'held') return;
    const relay = relayIn(state);
    this.#abort();
    // Clients may disconnect at the end marker. Usage that was reported before it still counts.
    const isWhole = this.#translated === null && endsStream(relay?.tail ?? '');
    const usage = isWhole ? relay?.readUsage() : this.#translated?.usage;
    this.#ended(relay, usage ?? null);
  }

  #readEarly(
    { headers, body }: Extract<State, { kind: 'early' }>,
    chunk: Buffer,
    isLast: boolean,
  ): boolean {
    body.push(chunk);
    const status = body.status(isLast);
    if (status === null) {
      body.keepLast();
      return true;
    }
    this.#decide(status, headers, true);
    const last = body.chunks.length - 1;
    return body.chunks.reduce(
      (_, kept, index) => this.onChunk(kept, isLast && index === last),
      true,
    );
  }

  /** The end arrived separately from the last chunk, or there was no chunk. */
  #endEarly({ headers, body }: Extract<State, { kind: 'early' }>): void {
    this.#decide(body.status(true) ?? 200, headers, true);
    for (const kept of body.chunks) this.onChunk(kept, false);
  }

  #decide(status: number, headers: FlatHeaders, isFollowed: boolean): void {
    const { counts, now } = this.#sending.walk.context;
    noteAnswered(this.#step.backend, { status, headers }, now);
    countStatus(counts, status);
    const head = maskedHead(status, headers, this.#credential);
    const next = isRetryable(status) ? this.#next(status) : null;
    if (next === null) {
      this.#state = new Relay(this.#sending.walk, this.#step, head, isFollowed);
      return;
    }
    const held = new HeldAnswer(this.#step, head, () => this.#abort());
    this.#state = held;
    this.#resolve({ kind: 'declined', held, next });
  }

  #next(status: number | null): Step | null {
    const { plan, walk } = this.#sending;
    return plan.next({ status, tookMs: walk.context.monotonic() - this.#startedAt });
  }

  #noteFault(fault: UpstreamFault): void {
    const { log, monotonic, now } = this.#sending.walk.context;
    const { backend: state } = this.#step;
    const nowMs = now();
    const sentMs = nowMs - (monotonic() - this.#startedAt);
    if (!noteFault(state, fault, { sentMs, nowMs })) return;
    const { apiBase: api_base, upstreamModel: model } = state.backend;
    const reason = fault.kind === 'timed_out' ? 'header timeouts' : 'unreachable';
    const seconds = Math.ceil((state.restsUntilMs - nowMs) / 1000);
    log.warn({ api_base, model, reason, seconds }, 'a backend is out of rotation');
  }

  #ended(relay: Relay | null, usage: UsageReport | null, fault: UpstreamFault | null = null): void {
    this.#resolve({ kind: 'ended', relay, usage, fault });
  }

  #resolve(result: AttemptResult): void {
    if (this.#hasResult) return;
    this.#hasResult = true;
    this.#onResult(result);
  }

  #abort(): void {
    this.#call?.abort();
    this.#end(null);
  }

  #end(durationMs: number | null): void {
    const state = this.#state;
    if (state.kind === 'over') return;
    this.#state = over;
    const isServed = state.kind === 'relaying' && state.head.status < 400;
    noteEnded(this.#step.backend, { durationMs, isServed });
  }
}

const relayIn = (state: State): Relay | null => (state.kind === 'relaying' ? state : null);
