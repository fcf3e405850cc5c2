// One request to an upstream: it takes a connection, is told what comes on it, and ends once: by a
// whole answer, a fault or an abort. The time limits of an answer are kept here.

import type { AnswerSink, UpstreamCall, UpstreamFault, UpstreamRequest } from './boundary.ts';
import { closedCode } from './connection.ts';
import type { Connection, ConnectionUser } from './connection.ts';
import type { Origin } from './origin.ts';
import { requestHead } from './request-bytes.ts';
import type { ResponseReader } from './response-reader.ts';
import { unwatched } from './watch.ts';
import type { Watch, Watched } from './watch.ts';

export type AttemptLimits = Readonly<{
  connectTicks: number;
  stallTicks: number;
  slowReaderTicks: number;
  /** A request that is sent afresh is so within this time. */
  staleTicks: number;
}>;

type AttemptDependencies = Readonly<{ watch: Watch; limits: AttemptLimits }>;

/** How a connection fails that the other side closed. */
const peerClosedCodes: ReadonlySet<string> = new Set([closedCode, 'ECONNRESET', 'EPIPE']);

export class UpstreamAttempt implements ConnectionUser, UpstreamCall, Watched {
  deadlineTick: number;
  watchIndex = unwatched;
  readonly #origin: Origin;
  readonly #watch: Watch;
  readonly #limits: AttemptLimits;
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
    { watch, limits }: AttemptDependencies,
    sink: AnswerSink,
    request: UpstreamRequest,
  ) {
    this.#origin = origin;
    this.#watch = watch;
    this.#limits = limits;
    this.#sink = sink;
    this.#request = request;
    this.#startTick = watch.tick;
    this.#firstByteTick = watch.tick + watch.ticks(request.firstByteMs);
    this.deadlineTick = this.#firstByteTick;
    watch.add(this);
  }

  send(): void {
    const head = requestHead(this.#origin.authority, this.#request);
    if (head === null) return this.#break('a header of the request cannot be sent');
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
        // Nothing of an answer that is known to be broken reaches the client: the request may move on.
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

  /** The upstream closed a kept connection just as the request went out, and answered nothing. */
  #isStale(connection: Connection, code: string): boolean {
    const isSoon = this.#watch.tick - this.#startTick <= this.#limits.staleTicks;
    return connection.isReused && !this.#hasBytes && isSoon && peerClosedCodes.has(code);
  }

  /**
   * Once, on a connection of its own. It risks no more than a failover to another backend does,
   * and where there is no other the client would be failed for nothing.
   */
  #resend(): void {
    const head = requestHead(this.#origin.authority, this.#request);
    if (head !== null) this.#sendOn(this.#open(), head);
  }

  onDeadline(): void {
    if (this.#isPaused) this.#fail({ kind: 'unread', detail: 'the client does not read' });
    else if (this.#hasHead) this.#fail({ kind: 'stalled', detail: 'the upstream fell silent' });
    else if (this.#isConnecting && this.deadlineTick < this.#firstByteTick) {
      this.#fail({ kind: 'unreachable', detail: 'no connection in time' });
    } else this.#fail({ kind: 'timed_out', detail: 'no first byte in time' });
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
    // Before the end is told, because the next request may come of it.
    if (this.#connection !== null) this.#origin.giveBack(this.#connection);
    this.#sink.onEnd();
  }

  /** What a sink throws would, in a socket's event, end the process and all other requests. */
  #breakOnError(error: unknown): void {
    this.#break(`failed inside: ${codeOf(error)}`);
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

function codeOf(error: unknown): string {
  if (!(error instanceof Error)) return typeof error;
  return 'code' in error && typeof error.code === 'string' ? error.code : error.name;
}
