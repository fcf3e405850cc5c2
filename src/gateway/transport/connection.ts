// One connection to an upstream. It carries one request at a time and is kept idle between requests for as long as the
// upstream allows.

import { Socket, connect as connectPlain } from 'node:net';
import { connect as connectSecurely } from 'node:tls';
import type { SecureContext } from 'node:tls';

import type { Guard } from '../../egress/egress.ts';
import { lengthOf } from './request-bytes.ts';
import { ResponseReader } from './response-reader.ts';
import { unwatched } from './watch.ts';
import type { Watch, Watched } from './watch.ts';

/** The address and TLS settings of an origin. */
export type Target = Readonly<{
  host: string;
  port: number;
  /** Checks the address of a new connection. */
  guard: Guard;
  /** Null for plain TCP. Without a context Node's default authorities are trusted. */
  tls: Readonly<{ servername: string; context: SecureContext | null }> | null;
}>;

/** Receives the events of a connection. */
export type ConnectionUser = {
  onConnected(): void;
  /** Returning false pauses the upstream. */
  onRead(reader: ResponseReader): boolean;
  /** The upstream closed its side, or the connection failed with `code`. */
  onClosed(reader: ResponseReader, code: string): void;
};

export type ConnectionOwner = {
  /** Called once, when the connection can no longer be used. */
  onGone(connection: Connection): void;
  /** The TLS session of another connection to the same origin, for resumption. */
  session: Buffer | undefined;
};

/** Shared by all connections, because only one reads or writes at a time. */
export type WriteScratch = { writeBytes: Buffer };
export type Scratch = WriteScratch & { readonly readBytes: Buffer };

const readBytes = 64 * 1024;
export const writeBytes = 64 * 1024;

export const createScratch = (): Scratch => ({
  readBytes: Buffer.allocUnsafeSlow(readBytes),
  writeBytes: Buffer.allocUnsafeSlow(writeBytes),
});

/** The code when the upstream closed the connection normally. */
export const closedCode = 'closed';

const keepAliveProbeMs = 60_000;
/** For upstreams that announce no keep-alive timeout. */
const idleMsDefault = 4000;
const idleMsMax = 600_000;
/** A connection is closed this long before the upstream would close it, to avoid a race with a request. */
const idleMarginMs = 1000;

export class Connection implements Watched {
  deadlineTick = Infinity;
  watchIndex = unwatched;
  /** True when the connection carried an earlier request. */
  isReused = false;
  readonly #socket: Socket;
  readonly #owner: ConnectionOwner;
  readonly #watch: Watch;
  readonly #scratch: Scratch;
  readonly #isSecure: boolean;
  #user: ConnectionUser | null = null;
  #reader = new ResponseReader();
  #code = closedCode;
  #isGone = false;

  constructor(target: Target, owner: ConnectionOwner, watch: Watch, scratch: Scratch) {
    this.#owner = owner;
    this.#watch = watch;
    this.#scratch = scratch;
    this.#isSecure = target.tls !== null;
    this.#socket = openSocket(target, owner, {
      buffer: scratch.readBytes,
      callback: (length) => this.#onRead(scratch.readBytes.subarray(0, length)),
    });
    this.#socket
      .once(target.tls === null ? 'connect' : 'secureConnect', () => this.#user?.onConnected())
      .on('error', (error: Error & { code?: string }) => (this.#code = error.code ?? error.name))
      .once('end', () => this.#onClosed())
      .once('close', () => this.#onClosed());
  }

  /** `head` is Latin-1 and includes the empty line. */
  send(user: ConnectionUser, head: string, body: readonly Buffer[]): void {
    this.#watch.remove(this);
    this.#user = user;
    const length = head.length + lengthOf(body);
    if (length <= this.#scratch.writeBytes.length) return this.#sendTogether(head, body, length);
    this.#socket.cork();
    this.#socket.write(head, 'latin1');
    for (const piece of body) this.#socket.write(piece);
    this.#socket.uncork();
  }

  resume(): void {
    this.#socket.resume();
  }

  /** Ends the use of the connection. Returns false, and closes it, when it cannot be reused. */
  release(): boolean {
    const { isReusable, head } = this.#reader;
    this.#user = null;
    // An answer may arrive before the request was completely written.
    if (!isReusable || this.#isGone || this.#socket.writableLength > 0) {
      this.destroy();
      return false;
    }
    this.#reader = new ResponseReader();
    this.isReused = true;
    const announcedMs = head?.keepAliveMs ?? null;
    const keepAliveMs =
      announcedMs === null ? idleMsDefault : Math.min(announcedMs - idleMarginMs, idleMsMax);
    if (keepAliveMs <= 0) {
      this.destroy();
      return false;
    }
    this.deadlineTick = this.#watch.tick + this.#watch.ticks(keepAliveMs);
    this.#watch.add(this);
    return true;
  }

  /** The user receives no further events. */
  destroy(): void {
    this.#user = null;
    this.#detach();
    this.#socket.destroy();
  }

  /** Resolves when the socket is closed. */
  destroyed(): Promise<void> {
    return new Promise((resolve) => {
      this.#socket.once('close', () => resolve());
      this.destroy();
    });
  }

  /** The connection was idle for too long. */
  onDeadline(): void {
    this.destroy();
  }

  /** Writes everything at once. The buffer is reused once the kernel has accepted it all. */
  #sendTogether(head: string, body: readonly Buffer[], length: number): void {
    const scratch = this.#scratch;
    // TLS keeps a reference to the buffer.
    const bytes = this.#isSecure ? Buffer.allocUnsafe(length) : scratch.writeBytes;
    let at = bytes.write(head, 0, 'latin1');
    for (const piece of body) at += piece.copy(bytes, at);
    this.#socket.write(bytes.subarray(0, length));
    if (bytes === scratch.writeBytes && this.#socket.writableLength > 0) {
      scratch.writeBytes = Buffer.allocUnsafeSlow(bytes.length);
    }
  }

  #onRead(bytes: Buffer): boolean {
    // No request is in progress, so the bytes are unexpected.
    if (this.#user === null) this.destroy();
    if (this.#user === null) return false;
    this.#reader.read(bytes);
    return this.#user.onRead(this.#reader);
  }

  #onClosed(): void {
    const user = this.#user;
    this.#user = null;
    this.#detach();
    this.#socket.destroy();
    user?.onClosed(this.#reader, this.#code);
  }

  #detach(): void {
    if (this.#isGone) return;
    this.#isGone = true;
    this.#watch.remove(this);
    this.#owner.onGone(this);
  }
}

type OnRead = Readonly<{
  buffer: Uint8Array;
  callback: (length: number) => boolean;
}>;

function openSocket(target: Target, owner: ConnectionOwner, onread: OnRead): Socket {
  const { host, port, tls, guard } = target;
  const refused = guard.refusalOf(host);
  if (refused !== null) return new Socket().destroy(refused);
  const options = {
    host,
    port,
    lookup: guard.lookup,
    noDelay: true,
    keepAlive: true,
    keepAliveInitialDelay: keepAliveProbeMs,
    onread,
  };
  if (tls === null) return connectPlain(options);
  const { servername, context } = tls;
  const socket = connectSecurely({
    ...options,
    servername,
    ALPNProtocols: ['http/1.1'],
    ...(context === null ? {} : { secureContext: context }),
    ...(owner.session === undefined ? {} : { session: owner.session }),
  });
  return socket
    .on('session', (session: Buffer) => (owner.session = session))
    .on('error', () => (owner.session = undefined));
}
