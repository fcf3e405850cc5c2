// The seam between the walk and the sockets: a request comes in as head fields and body bytes, an
// answer goes out as a head and chunks. Whoever implements these types can replace the transport.

import type { Trace } from '../../telemetry/trace.ts';

/** Names in lower case and values in turn; given away with the call. */
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
  /** The bodies in flight fill the memory set aside for them. */
  | Readonly<{ kind: 'overloaded' }>
  /** The client left before it had sent the whole body. */
  | Readonly<{ kind: 'gone' }>;

/** What the client's side tells whoever answers it. */
export type ExchangeListener = {
  /** The client reads again: write() may go on. */
  onDrain(): void;
  /** The client left before the answer was complete; told once. */
  onGone(): void;
};

/** One request of a client and the answer to it. */
export type Exchange = {
  readonly method: string;
  /** Without the query. */
  readonly path: string;
  /** Ours, a ULID, and unlike any other. */
  readonly id: string;
  /** The client's own x-request-id when it gave a usable one, else `id`. */
  readonly requestId: string;
  /** Epoch milliseconds at which the head had been read, and the same on the monotonic clock. */
  readonly startedMs: number;
  readonly startedAt: number;
  /** Null while it is not traced. */
  trace: Trace | null;
  readonly isGone: boolean;
  /** The head of an answer is on its way. */
  readonly hasStarted: boolean;
  /** The reason, when the head is one that two readers could read differently. */
  readonly malformed: string | null;
  header(name: OwnField): string | undefined;
  /** Any field by its name in lower case; the values of one that came several times, with commas. */
  anyHeader(name: string): string | undefined;
  /** Those request headers that an upstream may see. */
  forwardedHeaders(): string[];
  /** At once when all of it has come. */
  readBody(): BodyResult | Promise<BodyResult>;
  listen(listener: ExchangeListener): void;
  /** The whole answer at once. */
  answer(status: number, headers: FlatHeaders, body: string | Buffer): void;
  /** `isFollowed` when a chunk or the end follows at once, with which the head can travel. */
  start(status: number, headers: FlatHeaders, isFollowed: boolean): void;
  /** False when the client does not keep up: wait for onDrain. The last may wait for end(). */
  write(chunk: Buffer, isLast: boolean): boolean;
  end(): void;
  /** Breaks the connection, so that the client never takes a cut answer for a whole one. */
  cut(): void;
};

export type UpstreamRequest = Readonly<{
  path: string;
  headers: string[];
  /** The body in pieces. */
  body: readonly Buffer[];
  /** From the start of the attempt to the first byte of an answer. */
  firstByteMs: number;
}>;

/** Why an attempt ended without a whole answer; `detail` is for the log. */
export type UpstreamFault = Readonly<{
  /** `unread` is the client's own fault: it does not take what the upstream gives. */
  kind: 'unreachable' | 'timed_out' | 'stalled' | 'broken' | 'unread';
  detail: string;
}>;

/**
 * Told of one attempt: onHead once, then onChunk, and then onEnd or onFault; onFault may come at
 * once.
 */
export type AnswerSink = {
  /**
   * `headers` are those that the client may see, each once; `isFollowed` when a chunk or the end is
   * told at once.
   */
  onHead(status: number, headers: FlatHeaders, isFollowed: boolean): void;
  /**
   * False when it cannot take more: the upstream is paused until resume(). The last is followed by
   * the end at once.
   */
  onChunk(chunk: Buffer, isLast: boolean): boolean;
  onEnd(): void;
  onFault(fault: UpstreamFault): void;
};

export type UpstreamCall = {
  /** Closes the upstream's connection; the sink is told nothing more. */
  abort(): void;
  resume(): void;
};

/** The connections to all upstreams. */
export type Upstreams = Readonly<{
  send: (origin: string, request: UpstreamRequest, sink: AnswerSink) => UpstreamCall;
  /** Closes the connections to all other origins once their last answer is through. */
  keepOnly: (origins: ReadonlySet<string>) => void;
  close: () => Promise<void>;
}>;
