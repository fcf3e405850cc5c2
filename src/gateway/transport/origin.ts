// The connections to one origin: those that carry an answer, and the idle ones, most recently used first.

import { isIP } from 'node:net';
import type { SecureContext } from 'node:tls';

import type { Guard } from '../../egress/egress.ts';
import { Connection } from './connection.ts';
import type { ConnectionOwner, Scratch, Target } from './connection.ts';
import type { Watch } from './watch.ts';

/** Shared by all origins. */
export type OriginOptions = Readonly<{
  watch: Watch;
  scratch: Scratch;
  /** Trusted authorities in addition to Node's own. Null without a bundle. */
  context: SecureContext | null;
  guard: Guard;
  idleConnectionsMax: number;
}>;

export class Origin implements ConnectionOwner {
  /** The value of the Host header. */
  readonly authority: string;
  session: Buffer | undefined;
  readonly #target: Target;
  readonly #options: OriginOptions;
  readonly #all = new Set<Connection>();
  readonly #idle: Connection[] = [];
  #idleMax: number;

  /** `name` has the format of URL.origin: scheme, host and port. */
  constructor(name: string, options: OriginOptions) {
    const { protocol, hostname, host, port } = new URL(name);
    const isSecure = protocol === 'https:';
    const address = hostname.replace(/^\[|\]$/g, '');
    this.authority = host;
    this.#target = {
      host: address,
      guard: options.guard,
      port: port === '' ? (isSecure ? 443 : 80) : Number(port),
      tls: isSecure
        ? { servername: isIP(address) === 0 ? address : '', context: options.context }
        : null,
    };
    this.#options = options;
    this.#idleMax = options.idleConnectionsMax;
  }

  takeIdle(): Connection | undefined {
    return this.#idle.pop();
  }

  open(): Connection {
    const { watch, scratch } = this.#options;
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

  /** Connections close after their current answers. */
  retire(): void {
    this.#idleMax = 0;
    for (const connection of this.#idle.splice(0)) connection.destroy();
  }

  async destroy(): Promise<void> {
    await Promise.all([...this.#all].map((connection) => connection.destroyed()));
  }
}
