// Serves the liveness, readiness and metrics of an operator.

import { createServer } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

import { addProcess } from '../telemetry/metrics.ts';
import { metricsContentType, renderMetrics } from '../telemetry/registry.ts';
import { operatorSource } from './counts.ts';
import type { OperatorCounts } from './counts.ts';

export type OperatorPagesOptions = Readonly<{
  host: string;
  /** 0 is any free port. */
  port: number;
  version: string;
  counts: OperatorCounts;
  monotonic: () => number;
  /** After this time without an answer of the API server, the operator is not ready. */
  silenceMs: number;
}>;

const requestMs = 5_000;
const connectionsMax = 64;

/** Rejects if it cannot listen. `close` cuts open requests; probes and scrapes are repeated anyway. */
export async function openOperatorPages(options: OperatorPagesOptions) {
  const server = createServer(
    { requestTimeout: requestMs, headersTimeout: requestMs, keepAliveTimeout: requestMs },
    (request, response) => {
      request.resume();
      answer(request, response, options).catch(() => response.destroy());
    },
  );
  server.maxConnections = connectionsMax;
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(options.port, options.host, resolve);
  });
  return {
    url: urlOf(server.address()),
    close: (): Promise<void> =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function urlOf(address: AddressInfo | string | null): string {
  if (address === null || typeof address === 'string') throw new Error('the listener has no port');
  const { family, address: host, port } = address;
  return `http://${family === 'IPv6' ? `[${host}]` : host}:${port}`;
}

async function answer(
  { method, url = '' }: IncomingMessage,
  response: ServerResponse,
  { version, counts, monotonic, silenceMs }: OperatorPagesOptions,
): Promise<void> {
  if (method !== 'GET' && method !== 'HEAD') {
    response.setHeader('allow', 'GET, HEAD');
    return answerJson(response, 405, refused('only GET is served here'));
  }
  const [path = ''] = url.split('?');
  switch (path) {
    case '/healthz':
      return answerJson(response, 200, ok);
    case '/readyz': {
      const { heardAtMs } = counts;
      const isHeard = heardAtMs !== null && monotonic() - heardAtMs <= silenceMs;
      if (isHeard) return answerJson(response, 200, ok);
      response.setHeader('retry-after', '1');
      return answerJson(response, 503, refused('the API server does not report the leader'));
    }
    case '/metrics': {
      const page = await renderMetrics([
        (scrape) => addProcess(scrape, version),
        operatorSource(counts),
      ]);
      response.writeHead(200, { 'content-type': metricsContentType }).end(page);
      return;
    }
    default:
      return answerJson(response, 404, refused('no such path'));
  }
}

const ok = { status: 'ok' } as const;
const refused = (message: string) => ({ error: { message } });

function answerJson(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}
