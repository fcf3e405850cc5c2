// Runs an engine that processes a limited number of requests concurrently and queues the rest, so
// that its latency grows with its queue. It reports both in its metrics.

import { createServer } from 'node:http';
import type { ServerResponse } from 'node:http';

import { completion } from './upstream.ts';

export type Engine = Readonly<{
  apiBase: string;
  /** The highest number of requests in progress or queued. */
  peak: () => number;
  [Symbol.asyncDispose]: () => Promise<void>;
}>;

export async function startEngine(
  options: Readonly<{ sequencesMax: number; serviceMs: number; model?: string }>,
): Promise<Engine> {
  const { sequencesMax, serviceMs, model = 'm' } = options;
  const queue: ServerResponse[] = [];
  const running = new Set<ServerResponse>();
  let peak = 0;
  const admit = (): void => {
    while (running.size < sequencesMax) {
      const response = queue.shift();
      if (response === undefined) return;
      running.add(response);
      setTimeout(() => {
        response.end(JSON.stringify(completion));
        running.delete(response);
        admit();
      }, serviceMs);
    }
  };
  const server = createServer((request, response) => {
    if (request.method === 'GET') {
      return response.end(
        request.url === '/metrics'
          ? `vllm:num_requests_running ${running.size}\nvllm:num_requests_waiting ${queue.length}\n`
          : JSON.stringify({ object: 'list', data: [{ id: model, object: 'model' }] }),
      );
    }
    request.resume();
    request.on('end', () => {
      response.setHeader('content-type', 'application/json');
      queue.push(response);
      peak = Math.max(peak, queue.length + running.size);
      admit();
    });
    return undefined;
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return {
    apiBase: `http://127.0.0.1:${port}/v1`,
    peak: () => peak,
    [Symbol.asyncDispose]: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
