// Starts the HTTP listener without a gateway. It answers every request and records it.

import { connect } from 'node:net';
import { setImmediate as turn } from 'node:timers/promises';

import { createBodyBudget } from '../../../src/gateway/transport/body.ts';
import type { Exchange } from '../../../src/gateway/transport/boundary.ts';
import { startServer } from '../../../src/gateway/transport/server.ts';
import type { Server, ServerOptions } from '../../../src/gateway/transport/server.ts';
import { createWatch } from '../../../src/gateway/transport/watch.ts';

/** More than the buffers of two sockets hold together. */
export const bodyBytesMax = 40 * 1024 * 1024;

type TestListener = AsyncDisposable & Readonly<{ server: Server; port: number }>;

/** `handle` receives each exchange before any of its body is read. */
export async function startListener(
  handle: (exchange: Exchange) => void,
  options: Partial<ServerOptions> = {},
): Promise<TestListener> {
  const watch = createWatch(20);
  let ids = 0;
  const server = await startServer({
    host: '127.0.0.1',
    port: 0,
    context: {
      watch,
      bodyBudget: createBodyBudget(2 * bodyBytesMax),
      bodyBytesMax,
      now: Date.now,
      monotonic: () => performance.now(),
      newId: () => String(++ids),
    },
    handle,
    malformedAnswer: (message) => ({ requestId: 'none', body: message }),
    disablesKeepAlive: () => false,
    onConnectionsRefused: () => {},
    connectionsRefused: { total: 0, address: 0 },
    onFault: () => {},
    ...options,
  });
  return {
    server,
    port: Number(new URL(server.url).port),
    [Symbol.asyncDispose]: async () => {
      server.closeAll();
      await server.close();
      watch.stop();
    },
  };
}

/** Sends the pieces one after another; resolves with everything that comes back, in Latin-1. */
export function sendPieces(port: number, pieces: readonly Buffer[]): Promise<string> {
  return new Promise((resolve) => {
    let text = '';
    const socket = connect({ port, host: '127.0.0.1', noDelay: true, allowHalfOpen: true });
    socket.on('error', () => {}).on('close', () => resolve(text));
    socket.on('data', (bytes: Buffer) => (text += bytes.toString('latin1')));
    socket.on('end', () => socket.end());
    socket.on('connect', () => void send());
    const send = async (): Promise<void> => {
      for (const piece of pieces) {
        socket.write(piece);
        await turn();
        await turn();
      }
      if (!socket.writableEnded) socket.end();
    };
  });
}
