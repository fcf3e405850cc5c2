// An exchange on node:http.

import type { IncomingMessage, ServerResponse } from 'node:http';

import type { Trace } from '../../telemetry/trace.ts';
import { releaseBody } from './body.ts';
import type { BodyLease } from './body.ts';
import type { BodyResult, Exchange, ExchangeListener, FlatHeaders, OwnField } from './boundary.ts';
import { isUsableId, lingeringCloseMs } from './exchange-context.ts';
import type { ExchangeContext } from './exchange-context.ts';
import { fieldIn, readRequestHead } from './header-policy.ts';
import type { RequestHead } from './header-policy.ts';
import { readIncomingBody } from './incoming-body.ts';
import { unwatched } from './watch.ts';
import type { Watched } from './watch.ts';

/** For longer bodies, converting to text costs more than a second write. */
const joinedBytesMax = 8 * 1024;

export class HttpExchange implements Exchange, Watched {
  readonly method: string;
  readonly path: string;
  readonly id: string;
  readonly requestId: string;
  readonly startedMs: number;
  readonly startedAt: number;
  trace: Trace | null = null;
  isGone = false;
  readonly repeatsHead = false;
  deadlineTick = Infinity;
  watchIndex = unwatched;
  readonly #request: IncomingMessage;
  readonly #response: ServerResponse;
  readonly #context: ExchangeContext;
  readonly #askForBody: () => void;
  readonly #head: RequestHead;
  readonly #lease: BodyLease = { bytes: 0 };
  #listener: ExchangeListener | null = null;
  #isClosed = false;
  #hasDrainListener = false;
  #unreadBytes = 0;
  /** Sent together with the end. */
  #last: Buffer | null = null;
  /** True while the head waits for the first bytes of the body. */
  #isHeadPending = false;

  /** `askForBody` asks a client that waits for it (`Expect: 100-continue`) to send the body. */
  constructor(
    request: IncomingMessage,
    response: ServerResponse,
    context: ExchangeContext,
    askForBody: () => void = ignore,
  ) {
    const url = request.url ?? '/';
    const query = url.indexOf('?');
    this.method = request.method ?? 'GET';
    this.path = query === -1 ? url : url.slice(0, query);
    this.#head = readRequestHead(request.rawHeaders);
    const given = this.#head.own.get('x-request-id');
    this.id = context.newId();
    this.requestId = isUsableId(given) ? given : this.id;
    this.startedMs = context.now();
    this.startedAt = context.monotonic();
    this.#request = request;
    this.#response = response;
    this.#context = context;
    this.#askForBody = askForBody;
    response.on('close', this.#onClose);
    // Node drops a queued answer without an event when it releases the connection, for example of a tunnel.
    if (response.socket === null) request.socket.setMaxListeners(0).on('close', this.#onClose);
    // A write to a client that disconnected fails later. The disconnect is handled at 'close'.
    response.on('error', ignore);
  }

  get hasStarted(): boolean {
    return this.#response.headersSent;
  }

  get malformed(): string | null {
    if (!this.path.startsWith('/')) return 'the request target must be a path that begins with /';
    const coding = this.header('transfer-encoding');
    if (coding !== undefined) {
      if (this.#request.httpVersion !== '1.1') return 'transfer-encoding requires HTTP/1.1';
      if (coding.toLowerCase() !== 'chunked') return 'transfer-encoding must be chunked';
    }
    const { duplicate } = this.#head;
    return duplicate === null ? null : `header ${duplicate} must appear only once`;
  }

  header(name: OwnField): string | undefined {
    return this.#head.own.get(name);
  }

  anyHeader(name: string): string | undefined {
    return fieldIn(this.#request.rawHeaders, name);
  }

  forwardedHeaders(): readonly string[] {
    return this.#head.forwarded;
  }

  readBody(): Promise<BodyResult> {
    return readIncomingBody(this.#request, this.#head.own, {
      bytesMax: this.#context.bodyBytesMax,
      budget: this.#context.bodyBudget,
      lease: this.#lease,
      ask: this.#askForBody,
    });
  }

  /** The garbage collector frees what Node's parser read. */
  releaseRequest(): void {}

  listen(listener: ExchangeListener): void {
    this.#listener = listener;
  }

  answer(status: number, headers: FlatHeaders, body: string | Buffer): void {
    if (this.isGone) return;
    headers.push('content-length', String(Buffer.byteLength(body)));
    this.#writeHead(status, headers);
    if (this.method === 'HEAD') this.#response.end();
    else this.#endWithHead(body);
    if (!this.#request.complete) this.#startLingeringClose();
    else this.#awaitReader();
  }

  start(status: number, headers: FlatHeaders, isFollowed: boolean): void {
    this.#writeHead(status, headers);
    this.#isHeadPending = isFollowed;
    if (!isFollowed) this.#response.flushHeaders();
  }

  write(chunk: Buffer, isLast: boolean): boolean {
    const kept = Buffer.from(chunk);
    if (isLast) {
      this.#last = kept;
      return true;
    }
    this.#isHeadPending = false;
    if (this.#response.write(kept)) return true;
    if (!this.#hasDrainListener) {
      this.#hasDrainListener = true;
      this.#response.on('drain', () => this.#listener?.onDrain());
    }
    return false;
  }

  end(): void {
    const last = this.#last;
    if (last === null) this.#response.end();
    else if (this.#isHeadPending) this.#endWithHead(last);
    else this.#response.end(last);
    this.#last = null;
    this.#awaitReader();
  }

  cut(): void {
    this.#response.destroy();
  }

  onDeadline(): void {
    const { writableLength, socket } = this.#response;
    const isWaitingItsTurn = socket === null;
    if (this.#unreadBytes > 0 && (isWaitingItsTurn || writableLength < this.#unreadBytes)) {
      return this.#awaitReader();
    }
    this.#context.watch.remove(this);
    this.#request.socket.destroy();
  }

  #writeHead(status: number, headers: FlatHeaders): void {
    if (this.#context.isClosing()) headers.push('connection', 'close');
    this.#response.writeHead(status, headers);
  }

  /** Sends a short body in one piece with a pending head. */
  #endWithHead(body: string | Buffer): void {
    if (typeof body === 'string' || body.length > joinedBytesMax) this.#response.end(body);
    else this.#response.end(body.toString('latin1'), 'latin1');
  }

  /** Waits until the client has read the complete answer. */
  #awaitReader(): void {
    this.#unreadBytes = this.#isClosed ? 0 : this.#response.writableLength;
    if (this.#unreadBytes > 0) this.#watchFor(this.#context.slowReaderMs);
    else this.#context.watch.remove(this);
  }

  #watchFor(limitMs: number): void {
    const { watch } = this.#context;
    this.deadlineTick = watch.tick + watch.ticks(limitMs);
    watch.add(this);
  }

  /** Closing at once would reset the connection before the client has read the answer. */
  #startLingeringClose(): void {
    this.#watchFor(lingeringCloseMs);
    this.#request.resume();
    this.#request.on('close', () => this.#awaitReader());
  }

  readonly #onClose = (): void => {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#request.socket.off('close', this.#onClose);
    if (this.#unreadBytes > 0) this.#context.watch.remove(this);
    releaseBody(this.#context.bodyBudget, this.#lease);
    this.#context.onClosed();
    if (this.#response.writableFinished) return;
    this.isGone = true;
    this.#listener?.onGone();
  };
}

function ignore(): void {}
