// A minimal Node server for heartbeats, as a process: it reads the JSON and answers with a record as long as the
// control plane's. It gets the same heartbeats at the same time, and so shows the cost of the machine and its other
// work.

import { createServer } from 'node:http';

import { announce } from '../gateway/announce.ts';

const answerBytes = 180;

const server = createServer((request, response) => {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => void chunks.push(chunk));
  request.on('end', () => {
    const text = Buffer.concat(chunks).toString('utf8');
    const read: unknown = text === '' ? null : JSON.parse(text);
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ read: read !== null, filler: 'x'.repeat(answerBytes) }));
  });
});
server.listen(0, '127.0.0.1', () => announce(server));
