// A minimal Node server, as a process: it reads a request and answers with stored bytes. Answers of gw's cache are
// compared with it.

import { createServer } from 'node:http';

import { announce } from './announce.ts';
import { answerBody } from './workload.ts';

const answer = answerBody('cached');
const head = ['content-type', 'application/json', 'content-length', String(answer.length)];

const server = createServer({ keepAliveTimeout: 72_000 }, (request, response) => {
  request.on('data', () => {});
  request.on('end', () => void response.writeHead(200, head).end(answer));
});
server.listen(0, '127.0.0.1', () => announce(server));
