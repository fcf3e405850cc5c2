// The connections to the upstreams: one undici pool an origin, and one attempt an object that
// undici calls. HTTP/1.1 without pipelining, no redirects, no decompression; time limits are
// ours, because the client's own are coarse and do not run while a body is paused.

import { rootCertificates } from 'node:tls';

import { buildConnector, Client, Pool } from 'undici';
import type { Dispatcher } from 'undici';

import type {
  AnswerSink,
  UpstreamCall,
  UpstreamFault,
  UpstreamHeaders,
  UpstreamRequest,
  Upstreams,
} from './boundary.ts';
import { unwatched } from './watch.ts';
import type { Watch, Watched } from './watch.ts';

export type UpstreamOptions = Readonly<{
  /** Connections kept open to an origin while idle. */
  idleConnectionsMax: number;
  /** PEM certificates that are trusted besides the built-in ones. */
  caBundle: readonly string[];
  connectMs?: number;
  stallMs?: number;
  slowReaderMs?: number;
}>;

const connectMsDefault = 10_000;
/** An upstream that has been silent for so long in the middle of a body is given up. */
const stallMsDefault = 300_000;
/** A client that has read nothing for so long is given up. */
const slowReaderMsDefault = 60_000;
/** More interim answers than this are an attack or a fault. */
const interimAnswersMax = 8;

/** A kept connection that the upstream has meanwhile closed shows it so soon after it is used. */
const staleMs = 1000;
/** How a connection that was closed by the other side fails. */
const closedCodes: ReadonlySet<string> = new Set(['UND_ERR_SOCKET', 'ECONNRESET', 'EPIPE']);

/** What all attempts share. */
type Shared = Readonly<{
  watch: Watch;
  stallTicks: number;
  slowReaderTicks: number;
  staleTicks: number;
  idleConnectionsMax: number;
  connection: Client.Options;
  /** Whether what is written now is written to a connection that was just made. */
  fresh: Fresh;
}>;

type Fresh = { isHandedOver: boolean };
type Origin = { readonly name: string; readonly pool: Pool; inFlight: number };

export function createUpstreams(watch: Watch, options: UpstreamOptions): Upstreams {
  const origins = new Map<string, Origin>();
  const authorities =
    options.caBundle.length === 0 ? {} : { ca: [...rootCertificates, ...options.caBundle] };
  const timeout = options.connectMs ?? connectMsDefault;
  const fresh: Fresh = { isHandedOver: false };
  const connection: Client.Options = {
    connect: connectorFor({ ...authorities, timeout }, fresh),
    allowH2: false,
    pipelining: 1,
    headersTimeout: 0,
    bodyTimeout: 0,
  };
  const shared: Shared = {
    watch,
    stallTicks: watch.ticks(options.stallMs ?? stallMsDefault),
    slowReaderTicks: watch.ticks(options.slowReaderMs ?? slowReaderMsDefault),
    staleTicks: watch.ticks(staleMs),
    idleConnectionsMax: options.idleConnectionsMax,
    connection,
    fresh,
  };
  const originOf = (name: string): Origin => {
    const known = origins.get(name);
    if (known !== undefined) return known;
    const made = { name, pool: new Pool(name, connection), inFlight: 0 };
    origins.set(name, made);
    return made;
  };
  return {
    send: (origin, request, sink) => {
      const attempt = new Attempt(originOf(origin), shared, sink, request);
      attempt.send();
      return attempt;
    },
    keepOnly: (names) => {
      for (const [name, { pool }] of origins) {
        if (names.has(name)) continue;
        origins.delete(name);
        void pool.close();
      }
    },
    close: async () => {
      await Promise.all([...origins.values()].map(({ pool }) => pool.destroy()));
    },
  };
}

/** A request that waited for a connection is written while that one is handed over. */
function connectorFor(
  options: buildConnector.BuildOptions,
  fresh: Fresh,
): buildConnector.connector {
  const connect = buildConnector(options);
  return (target, callback) =>
    connect(target, (...result) => {
      fresh.isHandedOver = true;
      callback(...result);
      fresh.isHandedOver = false;
    });
}

/** Ends once, whatever order undici calls in: by a whole answer, a fault or an abort. */
class Attempt implements Dispatcher.DispatchHandler, UpstreamCall, Watched {
  deadlineTick: number;
  watchIndex = unwatched;
  readonly #origin: Origin;
  readonly #shared: Shared;
  readonly #sink: AnswerSink;
  readonly #request: UpstreamRequest;
  readonly #startTick: number;
  #controller: Dispatcher.DispatchController | null = null;
  #isOnKeptConnection = false;
  #hasEnded = false;
  #hasHead = false;
  #isPaused = false;
  #interimAnswers = 0;

  constructor(origin: Origin, shared: Shared, sink: AnswerSink, request: UpstreamRequest) {
    this.#origin = origin;
    this.#shared = shared;
    this.#sink = sink;
    this.#request = request;
    const { watch } = shared;
    this.#startTick = watch.tick;
    this.deadlineTick = watch.tick + watch.ticks(request.firstByteMs);
    watch.add(this);
  }

  send(): void {
    const inFlight = ++this.#origin.inFlight;
    // A connection beyond those that may stay idle is closed after this one answer.
    this.#dispatch(this.#origin.pool, inFlight > this.#shared.idleConnectionsMax);
  }

  #dispatch(dispatcher: Dispatcher, reset: boolean): void {
    const { path, headers, body } = this.#request;
    dispatcher.dispatch({ method: 'POST', path, headers, body, reset }, this);
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    this.#isOnKeptConnection = !this.#shared.fresh.isHandedOver;
    if (this.#hasEnded) controller.abort(new Error('given up'));
  }

  onResponseStart(
    _: Dispatcher.DispatchController,
    status: number,
    headers: UpstreamHeaders,
  ): void {
    if (this.#hasEnded) return;
    if (status >= 100 && status < 200 && status !== 101) {
      if (++this.#interimAnswers > interimAnswersMax) {
        this.#fail({ kind: 'broken', detail: 'too many interim answers' });
      }
      return;
    }
    if (status < 200 || status > 599) {
      return this.#fail({ kind: 'broken', detail: `status ${status}` });
    }
    this.#hasHead = true;
    this.deadlineTick = this.#shared.watch.tick + this.#shared.stallTicks;
    this.#sink.onHead(status, headers);
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#hasEnded) return;
    const { watch, stallTicks, slowReaderTicks } = this.#shared;
    this.deadlineTick = watch.tick + stallTicks;
    if (this.#sink.onChunk(chunk) || this.#hasEnded) return;
    this.#isPaused = true;
    this.deadlineTick = watch.tick + slowReaderTicks;
    controller.pause();
  }

  onResponseEnd(): void {
    if (this.#finish()) this.#sink.onEnd();
  }

  onResponseError(_: Dispatcher.DispatchController | null, error: Error): void {
    if (this.#hasEnded) return;
    const code = 'code' in error && typeof error.code === 'string' ? error.code : error.name;
    if (this.#isStale(code)) return this.#sendAfresh();
    this.#finish();
    this.#sink.onFault({ kind: this.#hasHead ? 'broken' : 'unreachable', detail: code });
  }

  /** The upstream closed a kept connection just as the request went out, and answered nothing. */
  #isStale(code: string): boolean {
    const { watch, staleTicks } = this.#shared;
    const isSoon = watch.tick - this.#startTick <= staleTicks;
    return this.#isOnKeptConnection && !this.#hasHead && isSoon && closedCodes.has(code);
  }

  /**
   * Once, on a connection of its own. It risks no more than a failover to another backend does,
   * and where there is no other the client would be failed for nothing.
   */
  #sendAfresh(): void {
    this.#isOnKeptConnection = false;
    this.#controller = null;
    const client = new Client(this.#origin.name, this.#shared.connection);
    this.#dispatch(client, true);
    void client.close();
  }

  onLate(): void {
    if (this.#isPaused) this.#fail({ kind: 'unread', detail: 'the client does not read' });
    else if (this.#hasHead) this.#fail({ kind: 'stalled', detail: 'the upstream fell silent' });
    else this.#fail({ kind: 'timed_out', detail: 'no first byte in time' });
  }

  resume(): void {
    if (!this.#isPaused || this.#hasEnded) return;
    this.#isPaused = false;
    this.deadlineTick = this.#shared.watch.tick + this.#shared.stallTicks;
    this.#controller?.resume();
  }

  abort(): void {
    if (this.#finish()) this.#controller?.abort(new Error('given up'));
  }

  #fail(fault: UpstreamFault): void {
    if (!this.#finish()) return;
    this.#controller?.abort(new Error(fault.detail));
    this.#sink.onFault(fault);
  }

  #finish(): boolean {
    if (this.#hasEnded) return false;
    this.#hasEnded = true;
    this.#shared.watch.remove(this);
    this.#origin.inFlight--;
    return true;
  }
}
