// Runs an upstream that sends raw bytes, and records what an attempt reports to its sink.

import { createServer as createPlain } from 'node:net';
import type { Server, Socket } from 'node:net';
import { createServer as createSecure } from 'node:tls';
import type { TlsOptions } from 'node:tls';

import type {
  AnswerSink,
  UpstreamCall,
  UpstreamFault,
  Upstreams,
} from '../../../src/gateway/transport/boundary.ts';

export type RawConnection = { readonly socket: Socket; text: string; isClosed: boolean };

export type RawUpstream = AsyncDisposable &
  Readonly<{ origin: string; port: number; connections: readonly RawConnection[] }>;

/** `answer` receives each piece of data, with its index on its connection. */
export async function startRawUpstream(
  answer: (socket: Socket, turn: number) => void,
  options: Readonly<{
    host?: string;
    tls?: TlsOptions;
    /** Called for each connection before any data arrives. */
    greet?: (socket: Socket) => void;
  }> = {},
): Promise<RawUpstream> {
  const connections: RawConnection[] = [];
  const accept = (socket: Socket): void => {
    const connection: RawConnection = { socket, text: '', isClosed: false };
    connections.push(connection);
    let turn = 0;
    socket.on('error', () => {}).on('close', () => (connection.isClosed = true));
    socket.on('data', (bytes: Buffer) => {
      connection.text += bytes.toString('latin1');
      answer(socket, turn++);
    });
    options.greet?.(socket);
  };
  const { host = '127.0.0.1', tls } = options;
  const server = tls === undefined ? createPlain(accept) : createSecure(tls, accept);
  server.on('tlsClientError', () => {});
  await new Promise<void>((resolve) => {
    server.listen(0, host, resolve);
  });
  const port = portOf(server);
  const name = host.includes(':') ? `[${host}]` : host;
  return {
    origin: `${tls === undefined ? 'http' : 'https'}://${name}:${port}`,
    port,
    connections,
    [Symbol.asyncDispose]: () =>
      new Promise((resolve) => {
        for (const { socket } of connections) socket.destroy();
        server.close(() => resolve());
      }),
  };
}

function portOf(server: Server): number {
  const address = server.address();
  return typeof address === 'object' && address !== null ? address.port : 0;
}

export type Seen = {
  status: number | null;
  headers: readonly string[];
  body: string;
  end: 'whole' | UpstreamFault | null;
};

/**
 * Sends one request and resolves with everything that the sink received, once the attempt ended.
 */
export function ask(upstreams: Upstreams, origin: string, options: AskOptions = {}): Promise<Seen> {
  return new Promise((resolve) => {
    askFor(upstreams, origin, { ...options, onEnded: resolve });
  });
}

export type AskOptions = Readonly<{
  body?: Buffer;
  headers?: string[];
  firstByteMs?: number;
  path?: string;
  onHead?: () => void;
  /** Returns whether the sink accepts more after this chunk. */
  mayGoOn?: () => boolean;
  onEnded?: (seen: Seen) => void;
}>;

export function askFor(
  upstreams: Upstreams,
  origin: string,
  options: AskOptions,
): Readonly<{ seen: Seen; call: UpstreamCall }> {
  const seen: Seen = { status: null, headers: [], body: '', end: null };
  const ended = (end: Seen['end']): void => {
    seen.end = end;
    options.onEnded?.(seen);
  };
  const sink: AnswerSink = {
    onHead: (status, headers) => {
      seen.status = status;
      seen.headers = headers;
      options.onHead?.();
    },
    onChunk: (chunk) => {
      seen.body += chunk.toString('latin1');
      return options.mayGoOn?.() ?? true;
    },
    onEnd: () => ended('whole'),
    onFault: ended,
  };
  const { body = Buffer.from('{}'), path = '/v1/x', headers = [], firstByteMs = 20_000 } = options;
  const request = {
    path,
    headers,
    isRepeated: false,
    ownHeaders: [],
    body: [body],
    firstByteMs,
  };
  const call = upstreams.send(origin, request, sink);
  return { seen, call };
}
