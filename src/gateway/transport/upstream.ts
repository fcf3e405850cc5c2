// The connections to the upstreams: a list of idle ones an origin, and an attempt that takes one
// of them, or a new one. HTTP/1.1 without pipelining, no redirects, no decompression.

import { isIP } from 'node:net';
import { createSecureContext, rootCertificates } from 'node:tls';
import type { SecureContext } from 'node:tls';

import type {
  AnswerSink,
  UpstreamCall,
  UpstreamFault,
  UpstreamRequest,
  Upstreams,
} from './boundary.ts';
import { closedCode, Connection, createScratch } from './connection.ts';
import type { ConnectionOwner, ConnectionUser, Scratch, Target } from './connection.ts';
import { requestHead } from './request-bytes.ts';
import type { ResponseReader } from './response-reader.ts';
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

/** A kept connection that the upstream has meanwhile closed shows it so soon after it is used. */
const staleMs = 1000;
/** How a connection fails that the other side closed. */
const goneCodes: ReadonlySet<string> = new Set([closedCode, 'ECONNRESET', 'EPIPE']);

/** What all attempts share. */
type Shared = Readonly<{
  watch: Watch;
  connectTicks: number;
  stallTicks: number;
  slowReaderTicks: number;
  staleTicks: number;
  scratch: Scratch;
}>;

export function createUpstreams(watch: Watch, options: UpstreamOptions): Upstreams {
  const origins = new Map<string, Origin>();
  const { caBundle, idleConnectionsMax } = options;
  // Without a bundle Node's own context is used, which it makes once and fast.
  const context =
    caBundle.length === 0 ? null : createSecureContext({ ca: [...rootCertificates, ...caBundle] });
  const shared: Shared = {
    watch,
    connectTicks: watch.ticks(options.connectMs ?? connectMsDefault),
    stallTicks: watch.ticks(options.stallMs ?? stallMsDefault),
    slowReaderTicks: watch.ticks(options.slowReaderMs ?? slowReaderMsDefault),
    staleTicks: watch.ticks(staleMs),
    scratch: createScratch(),
  };
  const originOf = (name: string): Origin => {
    const known = origins.get(name);
    if (known !== undefined) return known;
    const made = new Origin(name, shared, { context, idleConnectionsMax });
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
      for (const [name, origin] of origins) {
        if (names.has(name)) continue;
        origins.delete(name);
        origin.retire();
      }
    },
    close: async () => {
      await Promise.all([...origins.values()].map((origin) => origin.destroy()));
    },
  };
}

/** Its connections: those that carry an answer, and those that lie idle, the last used on top. */
class Origin implements ConnectionOwner {
  /** For the Host field. */
  readonly authority: string;
  session: Buffer | undefined;
  readonly #target: Target;
  readonly #shared: Shared;
  readonly #all = new Set<Connection>();
  readonly #idle: Connection[] = [];
  #idleMax: number;

  constructor(
    name: string,
    shared: Shared,
    options: Readonly<{ context: SecureContext | null; idleConnectionsMax: number }>,
  ) {
    const { protocol, hostname, host, port } = new URL(name);
    const isSecure = protocol === 'https:';
    const address = hostname.replace(/^\[|\]$/g, '');
    this.authority = host;
    this.#target = {
      host: address,
      port: port === '' ? (isSecure ? 443 : 80) : Number(port),
      tls: isSecure
        ? { servername: isIP(address) === 0 ? address : '', context: options.context }
        : null,
    };
    this.#shared = shared;
    this.#idleMax = options.idleConnectionsMax;
  }

  takeIdle(): Connection | undefined {
    return this.#idle.pop();
  }

  open(): Connection {
    const { watch, scratch } = this.#shared;
    const connection = new Connection(this.#target, this, watch, scratch);
    this.#all.add(connection);
    return connection;
  }

  giveBack(connection: Connection): void {
    if (this.#idle.length >= this.#idleMax) connection.destroy();
    else if (connection.release()) this.#idle.push(connection);
  }

  onGone(connection: Connection): void {
    this.#all.delete(connection);
    const index = this.#idle.indexOf(connection);
    if (index !== -1) this.#idle.splice(index, 1);
  }

  /** Answers under way go on; no connection is kept after them. */
  retire(): void {
    this.#idleMax = 0;
    for (const connection of this.#idle.splice(0)) connection.destroy();
  }

  async destroy(): Promise<void> {
    await Promise.all([...this.#all].map((connection) => connection.destroyed()));
  }
}

/** Ends once: by a whole answer, a fault or an abort. */
class Attempt implements ConnectionUser, UpstreamCall, Watched {
  deadlineTick: number;
  watchIndex = unwatched;
  readonly #origin: Origin;
  readonly #shared: Shared;
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

  constructor(origin: Origin, shared: Shared, sink: AnswerSink, request: UpstreamRequest) {
    this.#origin = origin;
    this.#shared = shared;
    this.#sink = sink;
    this.#request = request;
    const { watch } = shared;
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
    const { watch, connectTicks } = this.#shared;
    this.deadlineTick = Math.min(this.#firstByteTick, watch.tick + connectTicks);
    return this.#origin.open();
  }

  onConnected(): void {
    this.#isConnecting = false;
    this.deadlineTick = this.#firstByteTick;
  }

  onRead(reader: ResponseReader): boolean {
    this.#hasBytes = true;
    const { head, payload, problem, isComplete } = reader;
    const { watch, stallTicks, slowReaderTicks } = this.#shared;
    if (head !== null) {
      this.deadlineTick = watch.tick + stallTicks;
      if (!this.#hasHead) {
        this.#hasHead = true;
        this.#sink.onHead(head.status, head.headers, payload !== null || isComplete);
      }
    }
    const mayGoOn = this.#hasEnded || payload === null || this.#sink.onChunk(payload, isComplete);
    if (this.#hasEnded) return false;
    if (problem !== null) this.#break(problem);
    else if (isComplete) this.#complete();
    else if (!mayGoOn) {
      this.#isPaused = true;
      this.deadlineTick = watch.tick + slowReaderTicks;
      return false;
    }
    return true;
  }

  onClosed(reader: ResponseReader, code: string): void {
    const connection = this.#connection;
    this.#connection = null;
    if (code === closedCode && reader.close()) this.#complete();
    else if (connection !== null && this.#isStale(connection, code)) this.#sendAfresh();
    else this.#break(code);
  }

  /** The upstream closed a kept connection just as the request went out, and answered nothing. */
  #isStale(connection: Connection, code: string): boolean {
    const { watch, staleTicks } = this.#shared;
    const isSoon = watch.tick - this.#startTick <= staleTicks;
    return connection.isReused && !this.#hasBytes && isSoon && goneCodes.has(code);
  }

  /**
   * Once, on a connection of its own. It risks no more than a failover to another backend does,
   * and where there is no other the client would be failed for nothing.
   */
  #sendAfresh(): void {
    const head = requestHead(this.#origin.authority, this.#request);
    if (head !== null) this.#sendOn(this.#open(), head);
  }

  onLate(): void {
    if (this.#isPaused) this.#fail({ kind: 'unread', detail: 'the client does not read' });
    else if (this.#hasHead) this.#fail({ kind: 'stalled', detail: 'the upstream fell silent' });
    else if (this.#isConnecting && this.deadlineTick < this.#firstByteTick) {
      this.#fail({ kind: 'unreachable', detail: 'no connection in time' });
    } else this.#fail({ kind: 'timed_out', detail: 'no first byte in time' });
  }

  resume(): void {
    if (!this.#isPaused || this.#hasEnded) return;
    this.#isPaused = false;
    this.deadlineTick = this.#shared.watch.tick + this.#shared.stallTicks;
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
    this.#shared.watch.remove(this);
    return true;
  }
}
