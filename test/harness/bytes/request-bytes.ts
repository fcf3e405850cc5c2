// Generates valid and damaged requests, and parses them twice: with our reader, and with a Node
// server as the oracle. The server reads from a stream instead of a socket.

import { once } from 'node:events';
import { createServer } from 'node:http';
import type { IncomingMessage } from 'node:http';
import { Duplex } from 'node:stream';
import { setImmediate as turn } from 'node:timers/promises';

import * as fc from 'fast-check';

import { rawFields, readStrictHead } from '../../../src/gateway/transport/request-head.ts';

export type ReadRequest = Readonly<{
  method: string | undefined;
  target: string | undefined;
  /** Names, as received, alternating with values. */
  fields: readonly string[];
  /** The part of the body that was received, in Latin-1. */
  body: string;
}>;

type ReadByOurs = Readonly<{
  requests: readonly ReadRequest[];
  /**
   * The offset after the last complete request. Our reader leaves the rest to Node's parser or
   * rejects it.
   */
  end: number;
}>;

/** Reads complete requests up to the first that our reader does not handle itself. */
export function readByOurs(bytes: Buffer): ReadByOurs {
  const requests: ReadRequest[] = [];
  let at = 0;
  while (at < bytes.length) {
    const head = readStrictHead(bytes, at);
    if (typeof head === 'string' || head.end + head.bodyBytes > bytes.length) break;
    const { method, target, fieldsAt, end, bodyBytes } = head;
    const fields = rawFields(bytes.subarray(fieldsAt, end));
    at = end + bodyBytes;
    requests.push({ method, target, fields, body: bytes.toString('latin1', end, at) });
    if (head.isLast) break;
  }
  return { requests, end: at };
}

type ReadByNode = Readonly<{ requests: readonly ReadRequest[]; isClean: boolean }>;
type Reading = { requests: ReadRequest[]; isClean: boolean };

const readings = new WeakMap<object, Reading>();
const oracle = createServer((request, response) => {
  void collect(request).then(() => response.end());
});
oracle.maxHeadersCount = 0;
oracle.on('clientError', (_, socket) => {
  const reading = readings.get(socket);
  if (reading !== undefined) reading.isClean = false;
  socket.destroy();
});

async function collect(request: IncomingMessage): Promise<void> {
  const { method, url: target, rawHeaders: fields } = request;
  let body = '';
  request.setEncoding('latin1').on('data', (text: string) => (body += text));
  request.on('error', () => {});
  await once(request, 'end').catch(() => {});
  readings.get(request.socket)?.requests.push({ method, target, fields, body });
}

/** Reads these bytes and then the end of the connection. */
export async function readByNode(bytes: Buffer): Promise<ReadByNode> {
  const socket = new Duplex({ read() {}, write: (_, __, done) => done() });
  const reading: Reading = { requests: [], isClean: true };
  readings.set(socket, reading);
  const closed = once(socket, 'close');
  oracle.emit('connection', socket);
  socket.push(bytes);
  await turn();
  socket.push(null);
  await closed;
  return reading;
}

const token = fc.string({
  unit: fc.constantFrom('a', 'b', 'c', 'X', 'Y', 'Z', '0', '1', '9', '-', '_', '!'),
  minLength: 1,
  maxLength: 12,
});
const printable = fc.string({ unit: 'binary-ascii', maxLength: 20 });
const value = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom('x', 'Bearer key', 'application/json', '', 'a b\tc') },
  { weight: 1, arbitrary: printable },
);
const field = fc.oneof(
  { weight: 6, arbitrary: fc.tuple(token, value).map(([name, text]) => `${name}: ${text}`) },
  {
    weight: 6,
    arbitrary: fc.constantFrom(
      'Authorization: Bearer key',
      'content-type:application/json',
      'Connection: keep-alive',
      'connection: Close',
      'OpenAI-Beta: x',
      'User-Agent: \t y \t',
    ),
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      'Expect: 100-continue',
      'Transfer-Encoding: chunked',
      'transfer-encoding: identity',
      'Upgrade: h2c',
      'Connection: upgrade',
      'Proxy-Connection: close',
      'TE: trailers',
      'Trailer: x',
      'Host: y',
      'Content-Length: 3',
      'content-length: +3',
      'Content-Length: 3, 3',
      ' folded',
      'spaced : x',
      ': nameless',
      'x',
    ),
  },
);

const lineOf = fc.oneof(
  {
    weight: 12,
    arbitrary: fc.constantFrom(
      'POST /v1/chat/completions HTTP/1.1',
      'POST /v1/embeddings?a=b HTTP/1.1',
      'GET /healthz HTTP/1.1',
    ),
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      'post /v1/x HTTP/1.1',
      'PUT /v1/x HTTP/1.1',
      'HEAD /healthz HTTP/1.1',
      'POST http://x/v1/x HTTP/1.1',
      'GET * HTTP/1.1',
      'POST /v1/x HTTP/1.0',
      'POST /v1/x HTTP/1.2',
      'POST /v1/x HTTP/2.0',
      'POST /v1/x HTTP/0.9',
      'POST /v1/x#y HTTP/1.1',
      'POST  /v1/x HTTP/1.1',
      'POST /v1/x  HTTP/1.1',
      'CONNECT x:1 HTTP/1.1',
    ),
  },
);

const body = fc.oneof(
  fc.constantFrom('', '{"model":"m"}', 'GET /smuggled HTTP/1.1\r\nhost: x\r\n\r\n'),
  printable,
);

/** One request, nearly always valid. */
const request = fc
  .record({ line: lineOf, fields: fc.array(field, { maxLength: 4 }), body, at: fc.nat(4) })
  .map(({ line, fields, body: text, at }) => {
    const lines = [...fields];
    lines.splice(at, 0, 'Host: x');
    if (!line.startsWith('GET')) lines.splice(at, 0, `Content-Length: ${text.length}`);
    return `${line}\r\n${lines.join('\r\n')}\r\n\r\n${line.startsWith('GET') ? '' : text}`;
  });

const hurtful = fc.constantFrom(
  '\0',
  '\r',
  '\n',
  '\r\n',
  '\n\n',
  '\r\n\r\n',
  ' ',
  '\t',
  ':',
  ',',
  ';',
  '0',
  '1',
  '-',
  '+',
  '_',
  '\x7f',
  '\x80',
  '\xff',
  'a',
  'Z',
  '#',
  '\\',
  '"',
  '\x0b',
  'chunked',
  'host: z\r\n',
  'content-length: 1\r\n',
  '0\r\n\r\n',
  'GET / HTTP/1.1\r\nhost: x\r\n\r\n',
);
type Damage = Readonly<{ at: number; removed: number; put: string }>;
const damage: fc.Arbitrary<Damage> = fc.record({
  at: fc.nat(400),
  removed: fc.constantFrom(0, 0, 1, 1, 2, 7),
  put: fc.oneof(hurtful, fc.constant('')),
});

/** Up to three requests on one connection, some of them damaged. */
export const requestBytes: fc.Arbitrary<Buffer> = fc
  .record({
    requests: fc.array(request, { minLength: 1, maxLength: 3 }),
    damages: fc.oneof(
      fc.array(damage, { maxLength: 0 }),
      fc.array(damage, { minLength: 1, maxLength: 2 }),
    ),
  })
  .map(({ requests, damages }) =>
    Buffer.from(damages.reduce(damaged, requests.join('')), 'latin1'),
  );

function damaged(text: string, { at, removed, put }: Damage): string {
  const from = text.length === 0 ? 0 : at % text.length;
  return text.slice(0, from) + put + text.slice(from + removed);
}
