// The admin listener before the database was reached for the first time: it lives, it is not ready, and it says when to ask
// again. The real one takes over its port.

import { createServer as createHttpServer } from 'node:http';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';

import { refuse } from '../lib/refusal.ts';
import { answerRefusal } from './status.ts';

const databaseAway = refuse('unavailable', 'the database has not been reached yet', {
  retryAfterSeconds: 2,
});

export function createWaitingServer(
  tls: Readonly<{ cert: string; key: string }> | null,
  newRequestId: () => string,
): Server {
  const answer = (request: IncomingMessage, response: ServerResponse): void => {
    const isLiveness = request.url === '/healthz';
    const refusal = answerRefusal(databaseAway, newRequestId());
    const body = isLiveness ? { status: 'ok' } : refusal.body;
    response.writeHead(isLiveness ? 200 : refusal.status, {
      ...(isLiveness ? {} : refusal.headers),
      'content-type': 'application/json; charset=utf-8',
      // The real listener comes on a new connection.
      connection: 'close',
    });
    response.end(JSON.stringify(body));
  };
  return tls === null ? createHttpServer(answer) : createHttpsServer(tls, answer);
}
