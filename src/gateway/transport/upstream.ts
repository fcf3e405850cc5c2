// The connections to the upstreams: one undici pool an origin, and one attempt an object that
// undici calls. HTTP/1.1 without pipelining, no redirects, no decompression; time limits are
// ours, because the client's own are coarse and do not run while a body is paused.

import { readFileSync } from 'node:fs';
import { rootCertificates } from 'node:tls';

import { Pool } from 'undici';
import type { Dispatcher } from 'undici';

import type {
  AnswerSink,
  UpstreamCall,
  UpstreamFault,
  UpstreamHeaders,
  Upstreams,
} from './boundary.ts';
import type { Watch, Watched } from './watch.ts';

export type UpstreamOptions = Readonly<{
  /** Connections kept open to an origin while idle. */
  idleConnectionsMax: number;
  /** PEM file of further certificate authorities; null for the built-in ones alone. */
  caBundle: string | null;
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

type Limits = Readonly<{ watch: Watch; stallTicks: number; slowReaderTicks: number }>;

export function createUpstreams(watch: Watch, options: UpstreamOptions): Upstreams {
  const pools = new Map<string, OriginPool>();
  const { idleConnectionsMax } = options;
  const limits: Limits = {
    watch,
    stallTicks: watch.ticks(options.stallMs ?? stallMsDefault),
    slowReaderTicks: watch.ticks(options.slowReaderMs ?? slowReaderMsDefault),
  };
  const authorities =
    options.caBundle === null ? {} : { ca: [...rootCertificates, readFileSync(options.caBundle)] };
  const poolOptions: Pool.Options = {
    connect: { ...authorities, timeout: options.connectMs ?? connectMsDefault },
    allowH2: false,
    pipelining: 1,
    headersTimeout: 0,
    bodyTimeout: 0,
  };
  const poolOf = (origin: string): OriginPool => {
    const known = pools.get(origin);
    if (known !== undefined) return known;
    const made = { pool: new Pool(origin, poolOptions), inFlight: 0 };
    pools.set(origin, made);
    return made;
  };
  return {
    send: (origin, request, sink) => {
      const originPool = poolOf(origin);
      originPool.inFlight++;
      const attempt = new Attempt(originPool, limits, sink, request.firstByteMs);
      const options: Dispatcher.DispatchOptions = {
        method: 'POST',
        path: request.path,
        headers: request.headers,
        body: request.body,
        // A connection beyond those that may stay idle is closed after this one answer.
        reset: originPool.inFlight > idleConnectionsMax,
      };
      originPool.pool.dispatch(options, attempt);
      return attempt;
    },
    keepOnly: (origins) => {
      for (const [origin, { pool }] of pools) {
        if (origins.has(origin)) continue;
        pools.delete(origin);
        void pool.close();
      }
    },
    close: async () => {
      await Promise.all([...pools.values()].map(({ pool }) => pool.destroy()));
    },
  };
}

type OriginPool = { readonly pool: Pool; inFlight: number };

/** Ends once, whatever order undici calls in: by a whole answer, a fault or an abort. */
class Attempt implements Dispatcher.DispatchHandler, UpstreamCall, Watched {
  deadlineTick: number;
  readonly #origin: OriginPool;
  readonly #limits: Limits;
  readonly #sink: AnswerSink;
  #controller: Dispatcher.DispatchController | null = null;
  #hasEnded = false;
  #hasHead = false;
  #isPaused = false;
  #interimAnswers = 0;

  constructor(origin: OriginPool, limits: Limits, sink: AnswerSink, firstByteMs: number) {
    this.#origin = origin;
    this.#limits = limits;
    this.#sink = sink;
    const { watch } = limits;
    this.deadlineTick = watch.tick + watch.ticks(firstByteMs);
    watch.add(this);
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
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
    this.deadlineTick = this.#limits.watch.tick + this.#limits.stallTicks;
    this.#sink.onHead(status, headers);
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#hasEnded) return;
    const { watch, stallTicks, slowReaderTicks } = this.#limits;
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
    if (!this.#finish()) return;
    const code = 'code' in error && typeof error.code === 'string' ? error.code : error.name;
    this.#sink.onFault({ kind: this.#hasHead ? 'broken' : 'unreachable', detail: code });
  }

  onLate(): void {
    if (this.#isPaused) this.#fail({ kind: 'stalled', detail: 'the client does not read' });
    else if (this.#hasHead) this.#fail({ kind: 'stalled', detail: 'the upstream fell silent' });
    else this.#fail({ kind: 'timed_out', detail: 'no first byte in time' });
  }

  resume(): void {
    if (!this.#isPaused || this.#hasEnded) return;
    this.#isPaused = false;
    this.deadlineTick = this.#limits.watch.tick + this.#limits.stallTicks;
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
    this.#limits.watch.remove(this);
    this.#origin.inFlight--;
    return true;
  }
}
