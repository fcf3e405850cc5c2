// Serves the admin port while the control plane opens: alive, not ready, with Retry-After. The real
// listener then takes over.

import { randomUUID } from 'node:crypto';
import { createServer as createHttpServer } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import type { AddressInfo } from 'node:net';

import type { Refusal } from '../../lib/refusal.ts';
import { securityHeaders } from './security-headers.ts';
import type { AdminServerParts } from './server.ts';
import { answerRefusal } from './status.ts';

type Place = Readonly<{
  host: string;
  port: number;
  tls: AdminServerParts['tls'];
  /** Says what the process waits for. */
  unready: () => Refusal;
}>;

/** Closing a second time does nothing. */
export type Waiting = Readonly<{ url: string; port: number; close: () => Promise<void> }>;

const limits = {
  headersTimeout: 10_000,
  requestTimeout: 10_000,
  connectionsCheckingInterval: 1000,
};
const connectionsMax = 1000;

export async function listenWaiting({ host, port, tls, unready }: Place): Promise<Waiting> {
  const answer = (request: IncomingMessage, response: ServerResponse): void =>
    answerWaiting(request, response, unready());
  const server =
    tls === null
      ? createHttpServer(limits, answer)
      : createHttpsServer({ ...limits, ...tls }, answer);
  server.maxConnections = connectionsMax;
  const listening = Promise.withResolvers<void>();
  server.once('error', listening.reject);
  server.listen(port, host, listening.resolve);
  await listening.promise;
  const address: string | AddressInfo | null = server.address();
  if (address === null || typeof address === 'string') throw new Error('not listening on a port');
  const name = address.family === 'IPv6' ? `[${address.address}]` : address.address;
  return {
    url: `${tls === null ? 'http' : 'https'}://${name}:${address.port}`,
    port: address.port,
    close: async () => {
      const closed = Promise.withResolvers<void>();
      server.close(() => closed.resolve());
      server.closeAllConnections();
      await closed.promise;
    },
  };
}

function answerWaiting(request: IncomingMessage, response: ServerResponse, unready: Refusal): void {
  const requestId = randomUUID();
  const refusal = answerRefusal(unready, requestId);
  const isLiveness = request.url === '/healthz';
  response.writeHead(isLiveness ? 200 : refusal.status, {
    ...(isLiveness ? {} : refusal.headers),
    ...securityHeaders,
    'content-type': 'application/json; charset=utf-8',
    'x-request-id': requestId,
    // Makes the next request reach the real listener.
    connection: 'close',
  });
  response.end(JSON.stringify(isLiveness ? { status: 'ok' } : refusal.body));
}
