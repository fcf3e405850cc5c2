// A client connection whose requests the gateway parses while they have the strict form. Requests
// are served one at a time. The first unusual request hands the connection and its bytes over to
// Node's parser.

import type { Socket } from 'node:net';

import type { WriteScratch } from './connection.ts';
import { lingeringCloseMs } from './exchange-context.ts';
import { RawExchange } from './raw-exchange.ts';
import type { ExchangeConnection, RawExchangeContext } from './raw-exchange.ts';
import { rawRefusal } from './raw-refusal.ts';
import type { MalformedAnswer } from './raw-refusal.ts';
import { ReceivedHead } from './received-head.ts';
import { readStrictHead } from './request-head.ts';
import type { NoStrictHead } from './request-head.ts';
import { unwatched } from './watch.ts';
import type { SharedReader } from './shared-read.ts';
import type { Watched } from './watch.ts';

export type RawConnectionContext = Readonly<{
  exchange: RawExchangeContext;
  handle: (exchange: RawExchange) => void;
  /** Hands the socket to Node, with the unprocessed bytes pushed back. */
  handOver: (socket: Socket) => void;
  /** For bytes that are not a request. */
  malformedAnswer: (message: string) => MalformedAnswer;
  onGone: (connection: RawConnection) => void;
  scratch: WriteScratch;
  read: SharedReader;
  ticks: Readonly<{ request: number; headers: number; keepAlive: number; slowReader: number }>;
}>;

/** A head in more pieces goes to Node's parser, which does not restart with each piece. */
const headPiecesMax = 8;
/**
 * While a request is answered, bytes of later ones are buffered up to this limit. Then reading
 * pauses.
 */
const pendingBytesMax = 64 * 1024;

/**
 * `fresh`: before the first request. `idle`: between requests. `settling`: the answer is written, but not completely
 * sent, or the request body still arrives. `leaving`: the connection is closing.
 */
type State = 'fresh' | 'idle' | 'serving' | 'settling' | 'leaving';

export class RawConnection implements ExchangeConnection, Watched {
  deadlineTick: number;
  watchIndex = unwatched;
  readonly #socket: Socket;
  readonly #context: RawConnectionContext;
  #state: State = 'fresh';
  #exchange: RawExchange | null = null;
  /** Unprocessed bytes: the beginning of a head, or what follows the current request. */
  #pending: Buffer | null = null;
  #headPieces = 0;
  /** The last one, if it is short enough to keep. */
  #head: ReceivedHead | null = null;
  /** The tick at which the current head began. */
  #headTick = 0;
  #bodyBytesLeft = 0;
  /** The connection closes after the current answer. */
  #isLast = false;
  #unsentBytes = 0;
  /** Node's parser reads the connection. */
  #isHandedOver = false;

  constructor(socket: Socket, context: RawConnectionContext) {
    const { watch } = context.exchange;
    this.#socket = socket;
    this.#context = context;
    this.deadlineTick = watch.tick + context.ticks.headers;
    watch.add(this);
    if (!context.read(socket, this.#onRead)) socket.on('data', this.#onData);
    socket.on('end', this.#onEnd).on('drain', this.#onDrain);
    socket.on('error', ignore).on('close', this.#onClose);
  }

  /** True when no byte of a next request has arrived. */
  get isIdle(): boolean {
    return this.#state === 'idle' && this.#pending === null;
  }

  destroy(): void {
    this.#socket.destroy();
  }

  keepsAlive(): boolean {
    this.#isLast ||= this.#context.exchange.isClosing();
    return !this.#isLast;
  }

  send(before: string, chunk: Buffer | null, after: string): boolean {
    const socket = this.#socket;
    const length = before.length + (chunk?.length ?? 0) + after.length;
    if (length === 0 || !socket.writable) return true;
    const { scratch } = this.#context;
    if (length > scratch.writeBytes.length) return this.#sendApart(before, chunk, after);
    // Queued bytes need their own buffer, because the socket keeps it.
    const isQueued = socket.writableLength > 0;
    const bytes = isQueued ? Buffer.allocUnsafe(length) : scratch.writeBytes;
    let at = before === '' ? 0 : bytes.write(before, 0, 'latin1');
    if (chunk !== null) at += chunk.copy(bytes, at);
    if (after !== '') at += bytes.write(after, at, 'latin1');
    const isWritable = socket.write(bytes.subarray(0, at));
    if (!isQueued && socket.writableLength > 0) {
      scratch.writeBytes = Buffer.allocUnsafeSlow(bytes.length);
    }
    return isWritable;
  }

  answered(): void {
    // A connection that is closing cannot send the answer.
    if (this.#state !== 'serving' || !this.#socket.writable) return;
    this.#state = 'settling';
    if (this.#bodyBytesLeft > 0) this.#startLingeringClose();
    if (this.#socket.writableLength === 0) return this.#onFlushed();
    this.#socket.write('', 'latin1', this.#onFlushed);
    if (this.#bodyBytesLeft === 0) this.#awaitReader();
  }

  askForBody(): void {
    this.#resume();
  }

  cut(): void {
    this.#socket.destroy();
  }

  onDeadline(): void {
    switch (this.#state) {
      case 'fresh':
        return this.#refuse('ERR_HTTP_REQUEST_TIMEOUT');
      case 'serving':
        return this.#refuse('ERR_HTTP_REQUEST_TIMEOUT');
      case 'idle':
        if (this.#pending === null) return this.destroy();
        return this.#refuse('ERR_HTTP_REQUEST_TIMEOUT');
      case 'settling':
        if (this.#bodyBytesLeft > 0 || this.#socket.writableLength >= this.#unsentBytes) {
          return this.destroy();
        }
        return this.#awaitReader();
      case 'leaving':
        return this.destroy();
    }
  }

  readonly #onRead = (bytes: Buffer): boolean => {
    if (this.#isHandedOver) return this.#socket.push(Buffer.from(bytes));
    this.#onData(bytes);
    return true;
  };

  /** The chunk may be in the shared buffer, so everything that stays is copied. */
  readonly #onData = (chunk: Buffer): void => {
    switch (this.#state) {
      case 'fresh':
      case 'idle':
        return this.#read(this.#pending === null ? chunk : Buffer.concat([this.#pending, chunk]));
      case 'serving':
      case 'settling':
        return this.#bodyBytesLeft > 0 ? this.#takeBody(chunk) : this.#addPending(chunk);
      case 'leaving':
    }
  };

  /** The client sends nothing more. As in Node's server, it gives up requests that are not answered yet. */
  readonly #onEnd = (): void => {
    const isWaiting = this.#state === 'fresh' || this.#state === 'idle';
    const isCut = isWaiting ? this.#pending !== null : this.#bodyBytesLeft > 0;
    if (isCut && this.#state !== 'settling') return this.#refuse('HPE_INVALID_EOF_STATE');
    if (this.#state === 'serving') this.#abandon();
    this.#socket.end();
  };

  readonly #onDrain = (): void => {
    if (this.#state === 'serving') this.#exchange?.onDrain();
  };

  readonly #onClose = (): void => {
    this.#state = 'leaving';
    this.#detach();
    this.#exchange?.close(false);
    this.#exchange = null;
  };

  /** The kernel has accepted the answer, so the exchange is over. */
  readonly #onFlushed = (error?: Error | null): void => {
    if (this.#state !== 'settling' || (error !== undefined && error !== null)) return;
    this.#exchange?.close(true);
    this.#exchange = null;
    if (this.#bodyBytesLeft === 0) this.#next();
    else if (this.#isLast) this.#socket.end();
  };

  #read(bytes: Buffer): void {
    this.#pending = null;
    let at = 0;
    do {
      const head = this.#readHead(bytes, at);
      if (head === 'unusual') return this.#handOver(bytes.subarray(at));
      if (head === 'partial') return this.#awaitHead(bytes.subarray(at));
      at = this.#serve(head, bytes);
    } while (this.#state === 'idle' && at < bytes.length);
    if (at < bytes.length && this.#state !== 'leaving') this.#addPending(bytes.subarray(at));
  }

  #readHead(bytes: Buffer, at: number): ReceivedHead | NoStrictHead {
    if (this.#head?.isAt(bytes, at) === true) return this.#head;
    const parsed = readStrictHead(bytes, at);
    if (typeof parsed === 'string') return parsed;
    const head = new ReceivedHead(parsed, bytes, at, this.#head);
    this.#head = head.isKept ? head : null;
    return head;
  }

  #awaitHead(bytes: Buffer): void {
    if (++this.#headPieces > headPiecesMax) return this.#handOver(bytes);
    this.#pending = Buffer.from(bytes);
    if (this.#headPieces > 1) return;
    this.#headTick = this.#context.exchange.watch.tick;
    this.deadlineTick = this.#headTick + this.#context.ticks.headers;
  }

  /** Returns the offset after the received part of the request. */
  #serve(head: ReceivedHead, bytes: Buffer): number {
    const { exchange: context, ticks, handle } = this.#context;
    const bodyEnd = head.bodyAt + head.bodyBytes;
    const end = Math.min(bytes.length, bodyEnd);
    const startTick = this.#headPieces > 0 ? this.#headTick : context.watch.tick;
    this.#headPieces = 0;
    this.#bodyBytesLeft = bodyEnd - end;
    this.#isLast = head.isLast;
    this.#state = 'serving';
    this.deadlineTick = this.#bodyBytesLeft === 0 ? Infinity : startTick + ticks.request;
    const exchange = new RawExchange(head, bytes, this, context);
    this.#exchange = exchange;
    handle(exchange);
    if (this.#bodyBytesLeft > 0 && !exchange.isBodySettled) this.#socket.pause();
    return end;
  }

  #takeBody(chunk: Buffer): void {
    const length = Math.min(chunk.length, this.#bodyBytesLeft);
    this.#bodyBytesLeft -= length;
    if (length < chunk.length) this.#addPending(chunk.subarray(length));
    const isServing = this.#state === 'serving';
    if (isServing) this.#exchange?.takeBody(chunk.subarray(0, length));
    if (this.#bodyBytesLeft > 0) return;
    if (isServing) this.deadlineTick = Infinity;
    else if (this.#exchange === null) this.#next();
    else this.#awaitReader();
  }

  #addPending(chunk: Buffer): void {
    this.#pending = Buffer.concat(this.#pending === null ? [chunk] : [this.#pending, chunk]);
    if (this.#pending.length >= pendingBytesMax) this.#socket.pause();
  }

  #startLingeringClose(): void {
    const { watch } = this.#context.exchange;
    this.deadlineTick = watch.tick + watch.ticks(lingeringCloseMs);
    this.#resume();
  }

  /** Waits until the client has read the complete answer. */
  #awaitReader(): void {
    const { exchange, ticks } = this.#context;
    this.#unsentBytes = this.#socket.writableLength;
    this.deadlineTick = exchange.watch.tick + ticks.slowReader;
  }

  #next(): void {
    const { exchange, ticks } = this.#context;
    if (this.#isLast || !this.#socket.writable) return this.#close();
    this.#state = 'idle';
    this.deadlineTick = exchange.watch.tick + ticks.keepAlive;
    const pending = this.#pending;
    if (pending === null) return;
    this.#resume();
    this.#read(pending);
  }

  /** Closes after all written bytes are sent, as Node's server does. */
  #close(): void {
    this.#startClosing();
    this.#socket.destroySoon();
  }

  /** An error message in the middle of an answer would look like model output. */
  #refuse(code: string): void {
    if (this.#exchange?.hasStarted === true) return this.destroy();
    this.#abandon();
    this.#socket.end(rawRefusal(code, this.#context.malformedAnswer), 'utf8');
  }

  #abandon(): void {
    this.#startClosing();
    this.#exchange?.close(false);
    this.#exchange = null;
    this.#resume();
  }

  /** Discards further bytes, and closes the connection if the client does not. */
  #startClosing(): void {
    const { watch } = this.#context.exchange;
    this.#state = 'leaving';
    this.#pending = null;
    this.deadlineTick = watch.tick + watch.ticks(lingeringCloseMs);
  }

  #handOver(bytes: Buffer): void {
    const socket = this.#socket;
    this.#state = 'leaving';
    this.#pending = null;
    this.#detach();
    socket.pause();
    socket.off('data', this.#onData).off('end', this.#onEnd).off('drain', this.#onDrain);
    socket.off('error', ignore).off('close', this.#onClose);
    socket.unshift(Buffer.from(bytes));
    this.#isHandedOver = true;
    this.#context.handOver(socket);
    socket.resume();
  }

  #detach(): void {
    this.#context.exchange.watch.remove(this);
    this.#context.onGone(this);
  }

  #sendApart(before: string, chunk: Buffer | null, after: string): boolean {
    const socket = this.#socket;
    socket.cork();
    if (before !== '') socket.write(before, 'latin1');
    if (chunk !== null) socket.write(Buffer.from(chunk));
    if (after !== '') socket.write(after, 'latin1');
    socket.uncork();
    return !socket.writableNeedDrain;
  }

  #resume(): void {
    if (this.#socket.isPaused()) this.#socket.resume();
  }
}

function ignore(): void {}
