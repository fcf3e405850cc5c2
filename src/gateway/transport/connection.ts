// One connection to an upstream: a socket that carries one request at a time, and lies idle between
// them for as long as the upstream keeps it.

import { Socket, connect as connectPlain } from 'node:net';
import { connect as connectSecurely } from 'node:tls';
import type { SecureContext } from 'node:tls';

import type { Guard } from '../../egress/egress.ts';
import { lengthOf } from './request-bytes.ts';
import { ResponseReader } from './response-reader.ts';
import { unwatched } from './watch.ts';
import type { Watch, Watched } from './watch.ts';

/** Where an origin's connections lead, and what secures them. */
export type Target = Readonly<{
  host: string;
  port: number;
  /** Judges the address that a new connection goes to. */
  guard: Guard;
  /** Null for plain TCP; without a context Node's own authorities are trusted. */
  tls: Readonly<{ servername: string; context: SecureContext | null }> | null;
}>;

/** What a connection tells whoever uses it. */
export type ConnectionUser = {
  onConnected(): void;
  /** Something came; false pauses the upstream. */
  onRead(reader: ResponseReader): boolean;
  /** The upstream closed its side, or the connection broke; `code` says how. */
  onClosed(reader: ResponseReader, code: string): void;
};

export type ConnectionOwner = {
  /** Told once, when the connection is of no more use. */
  onGone(connection: Connection): void;
  /** TLS can resume a session that another connection to the same origin had. */
  session: Buffer | undefined;
};

/** What all connections share, because only one of them reads or writes at a time. */
export type WriteScratch = { writeBytes: Buffer };
export type Scratch = WriteScratch & { readonly readBytes: Buffer };

const readBytes = 64 * 1024;
export const writeBytes = 64 * 1024;

export const createScratch = (): Scratch => ({
  readBytes: Buffer.allocUnsafeSlow(readBytes),
  writeBytes: Buffer.allocUnsafeSlow(writeBytes),
});

/** Told of a connection that the upstream closed in good order. */
export const closedCode = 'closed';

const keepAliveProbeMs = 60_000;
/** An upstream that does not say how long it keeps an idle connection keeps it so long at least. */
const idleMsDefault = 4000;
const idleMsMax = 600_000;
/** The connection is left so long before the upstream would close it under a request. */
const idleMarginMs = 1000;

export class Connection implements Watched {
  deadlineTick = Infinity;
  watchIndex = unwatched;
  /** Whether it has carried a request before the one it carries now. */
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

  /** Sends a request; `head` is ASCII or Latin-1 and holds its empty line. */
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

  /**
   * The answer is over and its user gone; false when the connection cannot carry another, and is
   * closed.
   */
  release(): boolean {
    const { isReusable, head } = this.#reader;
    this.#user = null;
    // An answer may come before the whole request was written.
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

  /** The user is told nothing more. */
  destroy(): void {
    this.#user = null;
    this.#detach();
    this.#socket.destroy();
  }

  /** Destroys it and resolves once its socket is closed. */
  destroyed(): Promise<void> {
    return new Promise((resolve) => {
      this.#socket.once('close', () => resolve());
      this.destroy();
    });
  }

  /** It has been idle for too long. */
  onDeadline(): void {
    this.destroy();
  }

  /** One write for all: the buffer is used again as soon as the system has taken all of it. */
  #sendTogether(head: string, body: readonly Buffer[], length: number): void {
    const scratch = this.#scratch;
    // TLS holds on to what it is given.
    const bytes = this.#isSecure ? Buffer.allocUnsafe(length) : scratch.writeBytes;
    let at = bytes.write(head, 0, 'latin1');
    for (const piece of body) at += piece.copy(bytes, at);
    this.#socket.write(bytes.subarray(0, length));
    if (bytes === scratch.writeBytes && this.#socket.writableLength > 0) {
      scratch.writeBytes = Buffer.allocUnsafeSlow(bytes.length);
    }
  }

  #onRead(bytes: Buffer): boolean {
    // Nobody has asked for anything.
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
