// One request to an upstream. Takes a connection, receives its events, and ends once: with a
// complete answer, a fault or an abort. Enforces the time limits of an answer.

import type { AnswerSink, UpstreamCall, UpstreamFault, UpstreamRequest } from './boundary.ts';
import { closedCode } from './connection.ts';
import type { Connection, ConnectionUser } from './connection.ts';
import type { Origin } from './origin.ts';
import type { RequestHeads } from './request-bytes.ts';
import type { ResponseReader } from './response-reader.ts';
import { unwatched } from './watch.ts';
import type { Watch, Watched } from './watch.ts';

export type AttemptLimits = Readonly<{
  connectTicks: number;
  stallTicks: number;
  slowReaderTicks: number;
  /** A stale connection is replaced only within this time. */
  staleTicks: number;
}>;

type AttemptDependencies = Readonly<{ watch: Watch; limits: AttemptLimits; heads: RequestHeads }>;

/** Error codes when the peer closed the connection. */
const peerClosedCodes: ReadonlySet<string> = new Set([closedCode, 'ECONNRESET', 'EPIPE']);

export class UpstreamAttempt implements ConnectionUser, UpstreamCall, Watched {
  deadlineTick: number;
  watchIndex = unwatched;
  readonly #origin: Origin;
  readonly #watch: Watch;
  readonly #limits: AttemptLimits;
  readonly #heads: RequestHeads;
  readonly #sink: AnswerSink;
  readonly #request: UpstreamRequest;
  readonly #startTick: number;
  readonly #firstByteTick: number;
  #connection: Connection | null = null;
  #isConnecting = false;
  #hasEnded = false;
  #hasBytes = false;
  #hasHead = false;
  #isPaused = false;

  constructor(
    origin: Origin,
    { watch, limits, heads }: AttemptDependencies,
    sink: AnswerSink,
    request: UpstreamRequest,
  ) {
    this.#origin = origin;
    this.#watch = watch;
    this.#limits = limits;
    this.#heads = heads;
    this.#sink = sink;
    this.#request = request;
    this.#startTick = watch.tick;
    this.#firstByteTick = watch.tick + watch.ticks(request.firstByteMs);
    this.deadlineTick = this.#firstByteTick;
    watch.add(this);
  }

  send(): void {
    const head = this.#heads.head(this.#origin.authority, this.#request);
    if (head === null) return this.#break('the request has an invalid header');
    this.#sendOn(this.#origin.takeIdle() ?? this.#open(), head);
  }

  #sendOn(connection: Connection, head: string): void {
    this.#connection = connection;
    connection.send(this, head, this.#request.body);
  }

  #open(): Connection {
    this.#isConnecting = true;
    const connectTick = this.#watch.tick + this.#limits.connectTicks;
    this.deadlineTick = Math.min(this.#firstByteTick, connectTick);
    return this.#origin.open();
  }

  onConnected(): void {
    this.#isConnecting = false;
    this.deadlineTick = this.#firstByteTick;
  }

  onRead(reader: ResponseReader): boolean {
    try {
      return this.#forward(reader);
    } catch (error) {
      this.#breakOnError(error);
      return false;
    }
  }

  #forward(reader: ResponseReader): boolean {
    this.#hasBytes = true;
    const { head, payload, problem, isComplete } = reader;
    if (head !== null) {
      this.deadlineTick = this.#watch.tick + this.#limits.stallTicks;
      if (!this.#hasHead) {
        // A broken answer is not forwarded at all, so that the request can move on.
        if (problem !== null) {
          this.#break(problem);
          return false;
        }
        this.#hasHead = true;
        this.#sink.onHead(head.status, head.headers, payload !== null || isComplete);
      }
    }
    const isWritable =
      this.#hasEnded || payload === null || this.#sink.onChunk(payload, isComplete);
    if (this.#hasEnded) return false;
    if (problem !== null) this.#break(problem);
    else if (isComplete) this.#complete();
    else if (!isWritable) {
      this.#isPaused = true;
      this.deadlineTick = this.#watch.tick + this.#limits.slowReaderTicks;
      return false;
    }
    return true;
  }

  onClosed(reader: ResponseReader, code: string): void {
    const connection = this.#connection;
    this.#connection = null;
    try {
      if (code === closedCode && reader.close()) this.#complete();
      else if (connection !== null && this.#isStale(connection, code)) this.#resend();
      else this.#break(code);
    } catch (error) {
      this.#breakOnError(error);
    }
  }

  /** The upstream closed a reused connection when the request was sent, and answered nothing. */
  #isStale(connection: Connection, code: string): boolean {
    const isSoon = this.#watch.tick - this.#startTick <= this.#limits.staleTicks;
    return connection.isReused && !this.#hasBytes && isSoon && peerClosedCodes.has(code);
  }

  /**
   * Resends once on a new connection. The risk is the same as a failover to another backend, and
   * without it the request would fail for no reason.
   */
  #resend(): void {
    const head = this.#heads.head(this.#origin.authority, this.#request);
    if (head !== null) this.#sendOn(this.#open(), head);
  }

  onDeadline(): void {
    if (this.#isPaused) this.#fail({ kind: 'unread', detail: 'the client does not read' });
    else if (this.#hasHead) this.#fail({ kind: 'stalled', detail: 'the upstream stopped sending' });
    else if (this.#isConnecting && this.deadlineTick < this.#firstByteTick) {
      this.#fail({ kind: 'unreachable', detail: 'connecting timed out' });
    } else this.#fail({ kind: 'timed_out', detail: 'the first byte timed out' });
  }

  resume(): void {
    if (!this.#isPaused || this.#hasEnded) return;
    this.#isPaused = false;
    this.deadlineTick = this.#watch.tick + this.#limits.stallTicks;
    this.#connection?.resume();
  }

  abort(): void {
    if (this.#finish()) this.#connection?.destroy();
  }

  #complete(): void {
    if (!this.#finish()) return;
    // Before onEnd, because the next request may start there.
    if (this.#connection !== null) this.#origin.giveBack(this.#connection);
    this.#sink.onEnd();
  }

  /** An exception in a socket event would end the process. */
  #breakOnError(error: unknown): void {
    this.#break(internalFault(error).detail);
  }

  #break(detail: string): void {
    this.#fail({ kind: this.#hasHead ? 'broken' : 'unreachable', detail });
  }

  #fail(fault: UpstreamFault): void {
    if (!this.#finish()) return;
    this.#connection?.destroy();
    this.#sink.onFault(fault);
  }

  #finish(): boolean {
    if (this.#hasEnded) return false;
    this.#hasEnded = true;
    this.#watch.remove(this);
    return true;
  }
}

/** A fault of the gateway. The message of the error may contain data of the client. */
export const internalFault = (error: unknown): UpstreamFault => ({
  kind: 'broken',
  detail: `internal error: ${codeOf(error)}`,
});

function codeOf(error: unknown): string {
  if (!(error instanceof Error)) return typeof error;
  return 'code' in error && typeof error.code === 'string' ? error.code : error.name;
}
