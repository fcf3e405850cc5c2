// An exchange on a connection that the gateway parses itself: one request in the strict form, and its answer.

import type { Trace } from '../../telemetry/trace.ts';
import { framingOf, lengthIn } from './answer-head.ts';
import type { AnswerFraming, AnswerHead } from './answer-head.ts';
import { BodyCollector, refuseBody, releaseBody } from './body.ts';
import type { BodyBounds, BodyLease } from './body.ts';
import { blockBytes } from './body-memory.ts';
import type { BodyMemory } from './body-memory.ts';
import type { BodyResult, Exchange, ExchangeListener, FlatHeaders, OwnField } from './boundary.ts';
import { isUsableId } from './exchange-context.ts';
import type { ExchangeContext } from './exchange-context.ts';
import type { ReceivedHead } from './received-head.ts';
import { ownValue } from './request-head.ts';

/** The connection as its exchange uses it. */
export type ExchangeConnection = {
  /** True when the connection stays open after the answer whose head is written next. */
  keepsAlive(): boolean;
  /** Writes all three in one call. Returns false when the client reads too slowly. Text is Latin-1. */
  send(before: string, chunk: Buffer | null, after: string): boolean;
  /** The answer was written completely. */
  answered(): void;
  askForBody(): void;
  cut(): void;
};

export type RawExchangeContext = ExchangeContext &
  Readonly<{ answerHead: AnswerHead; bodyMemory: BodyMemory }>;

const none = { kind: 'bytes', bytes: Buffer.alloc(0) } as const;
const gone: BodyResult = { kind: 'gone' };

export class RawExchange implements Exchange {
  readonly method: string;
  readonly path: string;
  readonly id: string;
  readonly requestId: string;
  readonly startedMs: number;
  readonly startedAt: number;
  readonly repeatsHead: boolean;
  /** Malformed requests are handled by Node's parser. */
  readonly malformed = null;
  trace: Trace | null = null;
  isGone = false;
  hasStarted = false;
  /** True when the body was requested, or an answer was given without it. */
  isBodySettled = false;
  /** Later requests of the connection may share it. */
  readonly #head: ReceivedHead;
  readonly #bodyBytes: number;
  /** The memory of the body, which has its received part first. Null once it may be reused. */
  #memory: Buffer | null = null;
  readonly #connection: ExchangeConnection;
  readonly #context: RawExchangeContext;
  readonly #lease: BodyLease = { bytes: 0 };
  #listener: ExchangeListener | null = null;
  #collector: BodyCollector | null = null;
  #resolveBody: ((result: BodyResult) => void) | null = null;
  #bodyBytesLeft: number;
  #framing: AnswerFraming = 'empty';
  /** The bytes of the answer's body that its head still promises. */
  #answerBytesLeft = 0;
  /** The head while it waits for the first bytes of the body. */
  #pendingHead = '';
  /** Sent together with the end. */
  #last: Buffer | null = null;
  #isClosed = false;

  /** `bytes` contains the received part of the body, which is copied. */
  constructor(
    head: ReceivedHead,
    bytes: Buffer,
    connection: ExchangeConnection,
    context: RawExchangeContext,
  ) {
    const { bodyBytes, bodyAt } = head;
    this.method = head.method;
    this.path = head.path;
    const given = ownValue(head.own, 'x-request-id');
    this.id = context.newId();
    this.requestId = isUsableId(given) ? given : this.id;
    this.startedMs = context.now();
    this.startedAt = context.monotonic();
    this.repeatsHead = head.isRepeated;
    this.#head = head;
    this.#bodyBytes = bodyBytes;
    this.#connection = connection;
    this.#context = context;
    const receivedEnd = Math.min(bytes.length, bodyAt + bodyBytes);
    this.#bodyBytesLeft = bodyAt + bodyBytes - receivedEnd;
    if (bodyBytes === 0) return;
    // A longer body gets memory as it arrives.
    const memory = context.bodyMemory.take(
      bodyBytes <= blockBytes ? bodyBytes : receivedEnd - bodyAt,
    );
    bytes.copy(memory, 0, bodyAt, receivedEnd);
    this.#memory = memory;
  }

  header(name: OwnField): string | undefined {
    if (name === 'content-length' && this.method === 'POST') return String(this.#bodyBytes);
    return ownValue(this.#head.own, name);
  }

  anyHeader(name: string): string | undefined {
    // The only field in which the requests that share the head differ.
    return name === 'content-length' ? this.header(name) : this.#head.field(name);
  }

  forwardedHeaders(): readonly string[] {
    return this.#head.forwarded;
  }

  readBody(): BodyResult | Promise<BodyResult> {
    this.isBodySettled = true;
    const bodyBytes = this.#bodyBytes;
    const memory = this.#memory;
    if (this.isGone) return gone;
    if (memory === null) return none;
    const bounds: BodyBounds = {
      bytesMax: this.#context.bodyBytesMax,
      budget: this.#context.bodyBudget,
      lease: this.#lease,
    };
    const collector = new BodyCollector(bounds, bodyBytes, memory);
    const receivedBytes = bodyBytes - this.#bodyBytesLeft;
    const refusal = refuseBody(bodyBytes, bounds) ?? collector.addHeld(receivedBytes);
    if (refusal !== null) return refusal;
    if (this.#bodyBytesLeft === 0) return collector.complete();
    this.#collector = collector;
    this.#connection.askForBody();
    return new Promise((resolve) => (this.#resolveBody = resolve));
  }

  /** More bytes of this body arrived. */
  takeBody(chunk: Buffer): void {
    this.#bodyBytesLeft -= chunk.length;
    const collector = this.#collector;
    if (collector === null) return;
    const refusal = collector.add(chunk);
    if (refusal !== null) this.#settleBody(refusal);
    else if (this.#bodyBytesLeft === 0) this.#settleBody(collector.complete());
  }

  releaseRequest(): void {
    if (this.#memory !== null) this.#context.bodyMemory.giveBack(this.#memory);
    this.#memory = null;
  }

  /** An attempt that was abandoned may still send the body. */
  #forgetMemory(): void {
    if (this.#memory !== null) this.#context.bodyMemory.forget(this.#memory);
    this.#memory = null;
  }

  listen(listener: ExchangeListener): void {
    this.#listener = listener;
  }

  answer(status: number, headers: FlatHeaders, body: string | Buffer): void {
    if (this.isGone) return;
    const bytes = typeof body === 'string' ? Buffer.from(body) : body;
    headers.push('content-length', String(bytes.length));
    this.#begin(status, headers);
    this.#finish(bytes);
  }

  start(status: number, headers: FlatHeaders, isFollowed: boolean): void {
    if (this.isGone) return;
    this.#begin(status, headers);
    if (isFollowed) return;
    this.#connection.send(this.#pendingHead, null, '');
    this.#pendingHead = '';
  }

  write(chunk: Buffer, isLast: boolean): boolean {
    if (this.isGone) return true;
    if (!isLast) return this.#send(chunk, false);
    this.#last = chunk;
    return true;
  }

  end(): void {
    if (!this.isGone) this.#finish(this.#last);
  }

  cut(): void {
    if (!this.#isClosed) this.#connection.cut();
  }

  onDrain(): void {
    this.#listener?.onDrain();
  }

  /** `isWhole` means that the client received the complete answer. */
  close(isWhole: boolean): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    // The answer may be complete before the caller of end() can release the request.
    if (isWhole) queueMicrotask(() => this.#forgetMemory());
    else this.#forgetMemory();
    releaseBody(this.#context.bodyBudget, this.#lease);
    this.#context.onClosed();
    if (isWhole) return;
    this.isGone = true;
    this.#settleBody(gone);
    this.#listener?.onGone();
  }

  #settleBody(result: BodyResult): void {
    this.#collector = null;
    this.#resolveBody?.(result);
    this.#resolveBody = null;
  }

  #begin(status: number, headers: FlatHeaders): void {
    const length = lengthIn(headers);
    this.#answerBytesLeft = length ?? 0;
    this.#framing = framingOf(status, length);
    const how = { framing: this.#framing, isKeepAlive: this.#connection.keepsAlive() };
    this.#pendingHead = this.#context.answerHead(status, headers, how);
    this.hasStarted = true;
    this.isBodySettled = true;
  }

  #finish(close: Buffer | null): void {
    this.#last = null;
    this.#send(close, true);
    this.#connection.answered();
  }

  #send(chunk: Buffer | null, isEnd: boolean): boolean {
    const head = this.#pendingHead;
    this.#pendingHead = '';
    switch (this.#framing) {
      case 'empty':
        return this.#connection.send(head, null, '');
      case 'length':
        return this.#sendOfLength(head, chunk, isEnd);
      case 'chunked': {
        // An empty chunk would end the body.
        if (chunk === null || chunk.length === 0) {
          return this.#connection.send(head, null, isEnd ? '0\r\n\r\n' : '');
        }
        const size = chunk.length.toString(16);
        return this.#connection.send(`${head}${size}\r\n`, chunk, isEnd ? '\r\n0\r\n\r\n' : '\r\n');
      }
    }
  }

  /** A length mismatch would corrupt the next answer on the connection. */
  #sendOfLength(head: string, chunk: Buffer | null, isEnd: boolean): boolean {
    this.#answerBytesLeft -= chunk?.length ?? 0;
    const isBroken = this.#answerBytesLeft < 0 || (isEnd && this.#answerBytesLeft > 0);
    if (!isBroken) return this.#connection.send(head, chunk, '');
    this.#connection.cut();
    return true;
  }
}
