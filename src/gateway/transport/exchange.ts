// An exchange on node:http: bytes are written to the raw response, which the framework has let go
// of.

import type { IncomingMessage, ServerResponse } from 'node:http';

import type { Clock } from '../../lib/clock.ts';
import { readBody, releaseBody } from './body.ts';
import type { BodyBudget, BodyLease } from './body.ts';
import type { BodyResult, Exchange, ExchangeListener, FlatHeaders } from './boundary.ts';
import { readRequestHead } from './header-policy.ts';
import type { RequestHead } from './header-policy.ts';
import type { Watch, Watched } from './watch.ts';

export type ExchangeContext = Readonly<{
  watch: Watch;
  bodyBudget: BodyBudget;
  bodyBytesMax: number;
  now: Clock;
  monotonic: Clock;
  newId: () => string;
  /** Told of the end of each exchange. */
  onClosed: () => void;
}>;

const requestIdPattern = /^[\w.:-]{1,128}$/;

/** After an early answer the rest of a body is read and thrown away for so long, then cut. */
const lingerMs = 2000;

export class HttpExchange implements Exchange, Watched {
  readonly method: string;
  readonly path: string;
  readonly id: string;
  readonly requestId: string;
  readonly startedMs: number;
  readonly startedAt: number;
  isGone = false;
  deadlineTick = Infinity;
  readonly #request: IncomingMessage;
  readonly #response: ServerResponse;
  readonly #context: ExchangeContext;
  readonly #lease: BodyLease = { bytes: 0 };
  #head: RequestHead | null = null;
  #listener: ExchangeListener | null = null;
  #isClosed = false;
  #hasDrainListener = false;

  constructor(request: IncomingMessage, response: ServerResponse, context: ExchangeContext) {
    const url = request.url ?? '/';
    const query = url.indexOf('?');
    this.method = request.method ?? 'GET';
    this.path = query === -1 ? url : url.slice(0, query);
    const given = request.headers['x-request-id'];
    this.id = context.newId();
    this.requestId = typeof given === 'string' && requestIdPattern.test(given) ? given : this.id;
    this.startedMs = context.now();
    this.startedAt = context.monotonic();
    this.#request = request;
    this.#response = response;
    this.#context = context;
    response.on('close', () => this.#onClose());
    // A write to a client that has just left fails later; leaving is handled at 'close'.
    response.on('error', ignore);
  }

  get hasStarted(): boolean {
    return this.#response.headersSent;
  }

  get malformed(): string | null {
    if (!this.path.startsWith('/')) return 'request target must be a path';
    if (this.#request.httpVersion !== '1.1' && this.header('transfer-encoding') !== undefined) {
      return 'transfer-encoding needs HTTP/1.1';
    }
    const { duplicate } = this.#readHead();
    return duplicate === null ? null : `header ${duplicate} is given twice`;
  }

  header(name: string): string | undefined {
    const value = this.#request.headers[name];
    return typeof value === 'string' ? value : undefined;
  }

  forwardedHeaders(): string[] {
    return this.#readHead().forwarded;
  }

  readBody(): Promise<BodyResult> {
    return readBody(this.#request, {
      bytesMax: this.#context.bodyBytesMax,
      budget: this.#context.bodyBudget,
      lease: this.#lease,
    });
  }

  listen(listener: ExchangeListener): void {
    this.#listener = listener;
  }

  answer(status: number, headers: FlatHeaders, body: string | Buffer): void {
    if (this.isGone) return;
    const length = String(Buffer.byteLength(body));
    headers.push('content-length', length);
    this.#response.writeHead(status, headers);
    this.#response.end(this.method === 'HEAD' ? undefined : body);
    if (!this.#request.complete) this.#linger();
  }

  start(status: number, headers: FlatHeaders): void {
    this.#response.writeHead(status, headers);
  }

  write(chunk: Buffer): boolean {
    if (this.#response.write(chunk)) return true;
    if (!this.#hasDrainListener) {
      this.#hasDrainListener = true;
      this.#response.on('drain', () => this.#listener?.onDrain());
    }
    return false;
  }

  end(): void {
    this.#response.end();
  }

  cut(): void {
    this.#response.destroy();
  }

  /** The linger is over and the client still sends. */
  onLate(): void {
    this.#context.watch.remove(this);
    this.#request.destroy();
  }

  #readHead(): RequestHead {
    this.#head ??= readRequestHead(this.#request.rawHeaders);
    return this.#head;
  }

  /** Closing at once would reset the connection before the client has read why. */
  #linger(): void {
    const { watch } = this.#context;
    this.deadlineTick = watch.tick + watch.ticks(lingerMs);
    watch.add(this);
    this.#request.resume();
    this.#request.on('close', () => watch.remove(this));
  }

  #onClose(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    releaseBody(this.#context.bodyBudget, this.#lease);
    this.#context.onClosed();
    if (this.#response.writableFinished) return;
    this.isGone = true;
    this.#listener?.onGone();
  }
}

function ignore(): void {}
