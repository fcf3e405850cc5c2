// A minimal control plane for a proxy, as a process: one snapshot, and a count of received usage rows. It shows what
// metering costs the proxy, without a database on the same machine.

import { createServer } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';

import { checkConfigFile } from '../../src/snapshot/file-mode.ts';
import { readSource } from '../../src/snapshot/file/source.ts';
import { snapshotEtag } from '../../src/snapshot/schema.ts';
import { announce } from './announce.ts';
import { everythingOn } from './config.ts';

const { file } = checkConfigFile(readSource(everythingOn(Number(process.argv[2])), {}), {});
if (file === null) throw new Error('the configuration file is wrong');
const etag = snapshotEtag(file.snapshot);
const snapshot = JSON.stringify(file.snapshot);
/** Occurs once in each row whose token counts were found in the answer. Here every answer has them. */
const rowMark = Buffer.from('"usage_reported":true');
let rows = 0;

const server = createServer((request, response) => {
  const path = request.url?.replace(/\?.*/, '');
  if (path === '/usage') return countBody(request, response);
  if (path === '/rows') return void response.end(String(rows));
  if (path !== '/snapshot') return void response.writeHead(404).end();
  if (request.headers['if-none-match'] === etag) return void response.writeHead(304).end();
  response.writeHead(200, { etag, 'content-type': 'application/json' }).end(snapshot);
});
server.listen(0, '127.0.0.1', () => announce(server));

function countBody(request: IncomingMessage, response: ServerResponse): void {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => void chunks.push(chunk));
  request.on('end', () => {
    rows += countRows(Buffer.concat(chunks));
    response.end('{}');
  });
}

function countRows(body: Buffer): number {
  let count = 0;
  for (let at = body.indexOf(rowMark); at !== -1; at = body.indexOf(rowMark, at + 1)) count++;
  return count;
}
