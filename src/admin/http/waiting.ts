// Serves the admin port until the database is first reached: alive, not ready, with Retry-After.
// The real listener then takes over.

import { randomUUID } from 'node:crypto';
import { createServer as createHttpServer } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import type { AddressInfo } from 'node:net';

import { databaseUnavailable } from '../../control/commands/unavailable.ts';
import { securityHeaders } from './security-headers.ts';
import type { AdminServerParts } from './server.ts';
import { answerRefusal } from './status.ts';

type Failure = Parameters<typeof databaseUnavailable>[0];

type Place = Readonly<{
  host: string;
  port: number;
  tls: AdminServerParts['tls'];
  /** The error of the last attempt to open the database. */
  failure: () => Failure;
}>;

export type Waiting = Readonly<{ url: string; port: number; close: () => Promise<void> }>;

export async function listenWaiting({ host, port, tls, failure }: Place): Promise<Waiting> {
  const answer = (request: IncomingMessage, response: ServerResponse): void =>
    answerWaiting(request, response, failure());
  const server = tls === null ? createHttpServer(answer) : createHttpsServer(tls, answer);
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

function answerWaiting(request: IncomingMessage, response: ServerResponse, failure: Failure): void {
  const requestId = randomUUID();
  const unavailable = databaseUnavailable(
    failure,
    'this process has not connected to the database yet',
  );
  const refusal = answerRefusal(unavailable, requestId);
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
