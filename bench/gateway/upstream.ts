// The upstream of the benchmark as a process: it reads whole requests and writes prepared answers. It uses plain
// sockets to save CPU, because it shares its core with the load generator.

import { createServer } from 'node:net';
import type { Socket } from 'node:net';

import { announce } from './announce.ts';
import { answerOnWire, paceMs } from './workload.ts';

const headBytesMax = 16 * 1024;
const endOfHead = Buffer.from('\r\n\r\n');
const json = answerOnWire('json');
const sse = answerOnWire('sse');
const paced = answerOnWire('paced');
const refusal = Buffer.from('HTTP/1.1 400 Bad Request\r\ncontent-length: 0\r\n\r\n');

const server = createServer({ noDelay: true }, serve);
server.listen(0, '127.0.0.1', () => announce(server));

function serve(socket: Socket): void {
  let unread: Buffer = Buffer.alloc(0);
  let bodyBytesLeft = 0;
  let answer = json;
  socket.on('error', () => {});
  socket.on('data', (chunk: Buffer) => {
    let data = unread.length === 0 ? chunk : Buffer.concat([unread, chunk]);
    unread = data.subarray(0, 0);
    while (data.length > 0) {
      if (bodyBytesLeft === 0) {
        const end = data.indexOf(endOfHead);
        const head = end === -1 ? null : readHead(data.toString('latin1', 0, end + 2));
        if (head === null) {
          unread = data;
          if (end !== -1 || data.length > headBytesMax) socket.end(refusal);
          return;
        }
        ({ bodyBytes: bodyBytesLeft, answer } = head);
        data = data.subarray(end + endOfHead.length);
      }
      const taken = Math.min(bodyBytesLeft, data.length);
      bodyBytesLeft -= taken;
      data = data.subarray(taken);
      if (bodyBytesLeft === 0) write(socket, answer, 0);
    }
  });
}

/** Writes the pieces from `index` on, at their pace. */
function write(socket: Socket, pieces: readonly Buffer[], index: number): void {
  const piece = pieces[index];
  if (piece === undefined || socket.destroyed) return;
  socket.write(piece);
  if (index + 1 < pieces.length) setTimeout(write, paceMs, socket, pieces, index + 1);
}

/** Null for a request without a length: none of the candidates sends one. */
function readHead(head: string): Readonly<{ bodyBytes: number; answer: readonly Buffer[] }> | null {
  const length = /\r\ncontent-length: *(\d+)\r\n/i.exec(head)?.[1];
  if (length === undefined) return null;
  return { bodyBytes: Number(length), answer: answerTo(head) };
}

function answerTo(head: string): readonly Buffer[] {
  if (head.startsWith('POST /sse/')) return sse;
  return head.startsWith('POST /paced/') ? paced : json;
}
