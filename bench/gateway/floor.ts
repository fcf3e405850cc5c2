// A minimal Node proxy, as a process: node:http for clients and undici's dispatch for the upstream. Candidates are
// compared with it, because it shows the cost of the machine and the runtime.

import { createServer } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';

import { Pool } from 'undici';
import type { Dispatcher } from 'undici';

import { announce } from './announce.ts';

const pool = new Pool(process.argv[2] ?? '', { pipelining: 1, headersTimeout: 0, bodyTimeout: 0 });

const server = createServer({ keepAliveTimeout: 72_000 }, (request, response) => {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => void chunks.push(chunk));
  request.on('end', () => {
    const [only] = chunks;
    forward(request, response, chunks.length === 1 && only ? only : Buffer.concat(chunks));
  });
});
server.listen(0, '127.0.0.1', () => announce(server));

function forward(request: IncomingMessage, response: ServerResponse, body: Buffer): void {
  let upstream: Dispatcher.DispatchController | null = null;
  response.on('drain', () => upstream?.resume());
  pool.dispatch(
    {
      method: 'POST',
      path: request.url ?? '/',
      headers: ['content-type', 'application/json'],
      body,
    },
    {
      onRequestStart: (controller) => {
        upstream = controller;
      },
      onResponseStart: (_, status, headers) => {
        const { 'content-type': type, 'content-length': length } = headers;
        const head = ['content-type', String(type)];
        response.writeHead(
          status,
          length === undefined ? head : [...head, 'content-length', length],
        );
      },
      onResponseData: (controller, chunk) => {
        if (!response.write(chunk)) controller.pause();
      },
      onResponseEnd: () => void response.end(),
      onResponseError: () => void response.destroy(),
    },
  );
}
