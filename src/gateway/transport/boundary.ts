// The interface between request processing and the sockets. A request arrives as header fields and body bytes, and an
// answer leaves as a head and chunks. Another implementation of these types can replace the transport.

import type { Trace } from '../../telemetry/trace.ts';

/** Alternating lower-case names and values. The callee takes ownership. */
export type FlatHeaders = string[];

/** The header fields that the gateway itself reads. */
export const ownNames = [
  'anthropic-version',
  'authorization',
  'content-encoding',
  'content-length',
  'content-type',
  'transfer-encoding',
  'x-api-key',
  'x-request-id',
] as const;

export type OwnField = (typeof ownNames)[number];

export type BodyResult =
  | Readonly<{ kind: 'bytes'; bytes: Buffer }>
  | Readonly<{ kind: 'too_large'; bytesMax: number }>
  /** The bodies in flight use all memory that is reserved for them. */
  | Readonly<{ kind: 'overloaded' }>
  /** The client disconnected before it sent the whole body. */
  | Readonly<{ kind: 'gone' }>;

/** Receives events of the client connection. */
export type ExchangeListener = {
  /** The client reads again, so `write` may continue. */
  onDrain(): void;
  /** The client disconnected before the answer was complete. Called once. */
  onGone(): void;
};

/** One client request and its answer. */
export type Exchange = {
  readonly method: string;
  /** Without the query. */
  readonly path: string;
  /** The gateway's unique id of the request, a ULID. */
  readonly id: string;
  /** The client's x-request-id when it is valid, otherwise `id`. */
  readonly requestId: string;
  /** When the head was read, in epoch milliseconds, and on the monotonic clock. */
  readonly startedMs: number;
  readonly startedAt: number;
  /** Null while the request is not traced. */
  trace: Trace | null;
  readonly isGone: boolean;
  /** The head of an answer is being sent. */
  readonly hasStarted: boolean;
  /** The reason for refusing an ambiguous head. Null when the head is valid. */
  readonly malformed: string | null;
  header(name: OwnField): string | undefined;
  /** Any header by lower-case name. Values of a repeated header are joined by commas. */
  anyHeader(name: string): string | undefined;
  /** Those that an upstream may see. */
  forwardedHeaders(): readonly string[];
  /** An earlier request had the same array of these headers. */
  readonly repeatsHead: boolean;
  /** Synchronous when the whole body has already arrived. */
  readBody(): BodyResult | Promise<BodyResult>;
  /** Nothing reads the head and the body any more, and no upstream still receives them, so their memory may be reused. */
  releaseRequest(): void;
  listen(listener: ExchangeListener): void;
  answer(status: number, headers: FlatHeaders, body: string | Buffer): void;
  /** `isFollowed` means that a chunk or the end follows at once and can be sent with the head. */
  start(status: number, headers: FlatHeaders, isFollowed: boolean): void;
  /**
   * Returns false when the client reads too slowly; then wait for onDrain. The last chunk may be sent by end(). The
   * caller may reuse the memory of a chunk after the call, and that of the last one after end().
   */
  write(chunk: Buffer, isLast: boolean): boolean;
  end(): void;
  /** Closes the connection, so that the client cannot mistake a truncated answer for a complete one. */
  cut(): void;
};

export type UpstreamRequest = Readonly<{
  path: string;
  /** Alternating names and values. */
  headers: readonly string[];
  /** Later requests may have the same array of headers, which is then rendered once. */
  isRepeated: boolean;
  /** Those of this request alone. */
  ownHeaders: readonly string[];
  body: readonly Buffer[];
  /** From the start of the attempt to the first byte of the answer. */
  firstByteMs: number;
}>;

/** The cause of an attempt without a complete answer. `detail` is for the log. */
export type UpstreamFault = Readonly<{
  /** `unread`: the client does not read the answer. */
  kind: 'unreachable' | 'timed_out' | 'stalled' | 'broken' | 'unread';
  detail: string;
}>;

/** Receives the events of one attempt: onHead once, then onChunk, then onEnd or onFault. onFault may be the first call. */
export type AnswerSink = {
  /**
   * `headers` are those that the client may see, without duplicates. `isFollowed` means that a chunk or the end
   * follows at once.
   */
  onHead(status: number, headers: FlatHeaders, isFollowed: boolean): void;
  /**
   * Returns false when it cannot take more; the upstream is paused until resume(). The end follows the last chunk at
   * once. The memory of the chunk is reused after the call, or after the end that follows it.
   */
  onChunk(chunk: Buffer, isLast: boolean): boolean;
  onEnd(): void;
  onFault(fault: UpstreamFault): void;
};

export type UpstreamCall = {
  /** Closes the upstream connection. The sink gets no further calls. */
  abort(): void;
  resume(): void;
};

export type Upstreams = Readonly<{
  send: (origin: string, request: UpstreamRequest, sink: AnswerSink) => UpstreamCall;
  /** Closes the connections to all other origins after their current answers. */
  keepOnly: (origins: ReadonlySet<string>) => void;
  close: () => Promise<void>;
}>;
