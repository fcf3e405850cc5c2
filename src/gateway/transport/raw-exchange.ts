// An exchange on a connection whose bytes are read and written here: one request in the strict form, and the answer to it.

import type { Trace } from '../../telemetry/trace.ts';
import { framingOf, lengthIn } from './answer-head.ts';
import type { AnswerFraming, AnswerHead } from './answer-head.ts';
import { BodyCollector, refuseBody, releaseBody } from './body.ts';
import type { BodyBounds, BodyLease } from './body.ts';
import type { BodyResult, Exchange, ExchangeListener, FlatHeaders, OwnField } from './boundary.ts';
import { isUsableId } from './exchange-context.ts';
import type { ExchangeContext } from './exchange-context.ts';
import { fieldIn } from './header-policy.ts';
import { ownValue, rawFields } from './request-head.ts';
import type { StrictHead } from './request-head.ts';

/** The connection, as its exchange sees it. */
export type ExchangeConnection = {
  /** Whether it carries another request after the answer whose head is about to be written. */
  keepsAlive(): boolean;
  /** Writes the three in one go; false when the client does not keep up. Text is Latin-1. */
  send(before: string, chunk: Buffer | null, after: string): boolean;
  /** The answer has been written to its end. */
  answered(): void;
  /** The rest of the body is wanted. */
  askForBody(): void;
  cut(): void;
};

export type RawExchangeContext = ExchangeContext & Readonly<{ answerHead: AnswerHead }>;

const none: BodyResult = { kind: 'bytes', bytes: Buffer.alloc(0) };
const gone: BodyResult = { kind: 'gone' };

export class RawExchange implements Exchange {
  readonly method: string;
  readonly path: string;
  readonly id: string;
  readonly requestId: string;
  readonly startedMs: number;
  readonly startedAt: number;
  /** Another form of a request is not read here. */
  readonly malformed = null;
  trace: Trace | null = null;
  isGone = false;
  hasStarted = false;
  /** Whether the body was asked for, or an answer was given without it. */
  isBodySettled = false;
  readonly #head: StrictHead;
  /** The fields as they came. */
  readonly #fields: Buffer;
  #rawFields: string[] | null = null;
  readonly #connection: ExchangeConnection;
  readonly #context: RawExchangeContext;
  readonly #lease: BodyLease = { bytes: 0 };
  #listener: ExchangeListener | null = null;
  #collector: BodyCollector | null = null;
  #resolveBody: ((result: BodyResult) => void) | null = null;
  /** What came of the body and was not collected; the rest follows. */
  #received: Buffer | null;
  #bodyBytesLeft: number;
  #framing: AnswerFraming = 'empty';
  /** What the head of the answer says that is still to come of its body. */
  #answerBytesLeft = 0;
  /** The head, while it waits for the first bytes behind it. */
  #pendingHead = '';
  /** What goes out together with the end. */
  #last: Buffer | null = null;
  #isClosed = false;

  /** `bytes` hold the head, and what came of the body behind it; they are not used again by the caller. */
  constructor(
    head: StrictHead,
    bytes: Buffer,
    connection: ExchangeConnection,
    context: RawExchangeContext,
  ) {
    const { target, method, own, end, bodyBytes } = head;
    const query = target.indexOf('?');
    this.method = method;
    this.path = query === -1 ? target : target.slice(0, query);
    const given = ownValue(own, 'x-request-id');
    this.id = context.newId();
    this.requestId = isUsableId(given) ? given : this.id;
    this.startedMs = context.now();
    this.startedAt = context.monotonic();
    this.#head = head;
    this.#connection = connection;
    this.#context = context;
    this.#received = bodyBytes === 0 ? null : bytes.subarray(end, end + bodyBytes);
    this.#bodyBytesLeft = bodyBytes - (this.#received?.length ?? 0);
    const fields = bytes.subarray(head.fieldsAt, end);
    // A body in several pieces is copied together: what its first piece came in is not kept for the fields alone.
    this.#fields = this.#bodyBytesLeft === 0 ? fields : Buffer.from(fields);
  }

  header(name: OwnField): string | undefined {
    if (name === 'content-length' && this.method === 'POST') return String(this.#head.bodyBytes);
    return ownValue(this.#head.own, name);
  }

  anyHeader(name: string): string | undefined {
    this.#rawFields ??= rawFields(this.#fields);
    return fieldIn(this.#rawFields, name);
  }

  forwardedHeaders(): string[] {
    return this.#head.forwarded;
  }

  readBody(): BodyResult | Promise<BodyResult> {
    this.isBodySettled = true;
    const { bodyBytes } = this.#head;
    const received = this.#received;
    this.#received = null;
    if (received === null) return none;
    const bounds: BodyBounds = {
      bytesMax: this.#context.bodyBytesMax,
      budget: this.#context.bodyBudget,
      lease: this.#lease,
    };
    const collector = new BodyCollector(bounds, bodyBytes);
    const refusal = refuseBody(bodyBytes, bounds) ?? collector.add(received);
    if (refusal !== null) return refusal;
    if (this.#bodyBytesLeft === 0) return collector.complete();
    this.#collector = collector;
    this.#connection.askForBody();
    return new Promise((resolve) => (this.#resolveBody = resolve));
  }

  /** More of the body came, and no more than belongs to it. */
  takeBody(chunk: Buffer): void {
    this.#bodyBytesLeft -= chunk.length;
    const collector = this.#collector;
    if (collector === null) return;
    const refusal = collector.add(chunk);
    if (refusal !== null) this.#settleBody(refusal);
    else if (this.#bodyBytesLeft === 0) this.#settleBody(collector.complete());
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

  /** The connection is through with the exchange; `isWhole` when the client has been sent the whole answer. */
  close(isWhole: boolean): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
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
        // A chunk without bytes would be the end.
        if (chunk === null || chunk.length === 0) {
          return this.#connection.send(head, null, isEnd ? '0\r\n\r\n' : '');
        }
        const size = chunk.length.toString(16);
        return this.#connection.send(`${head}${size}\r\n`, chunk, isEnd ? '\r\n0\r\n\r\n' : '\r\n');
      }
    }
  }

  /** A byte too many would begin the next answer, and one too few would be taken out of it. */
  #sendOfLength(head: string, chunk: Buffer | null, isEnd: boolean): boolean {
    this.#answerBytesLeft -= chunk?.length ?? 0;
    const isBroken = this.#answerBytesLeft < 0 || (isEnd && this.#answerBytesLeft > 0);
    if (!isBroken) return this.#connection.send(head, chunk, '');
    this.#connection.cut();
    return true;
  }
}
