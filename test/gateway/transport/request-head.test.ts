// A head is read by ourselves in one form only, and then as Node's own parser reads it; every other one is left to that.
// GW_TEST_REQUESTS makes it longer (`npm run test:soak`).

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import * as fc from 'fast-check';

import { rawFields, readStrictHead } from '../../../src/gateway/transport/request-head.ts';
import { readByNode, readByOurs, requestBytes } from '../../harness/bytes/request-bytes.ts';

const runs = Number(process.env['GW_TEST_REQUESTS'] ?? 20_000);

const line = 'POST /v1/chat/completions?a=b HTTP/1.1\r\n';
const own = 'Host: x\r\ncontent-length: 2\r\n';

/** The bytes of a head whose fields hold these lines besides what makes it whole. */
const headOf = (fields: string, first = line): Buffer =>
  Buffer.from(`${first}${own}${fields}\r\n`, 'latin1');

const read = (bytes: Buffer) => readStrictHead(bytes, 0);

describe('a head in the strict form', () => {
  it('is parsed into the fields that the gateway uses', () => {
    const bytes = headOf(
      'AUTHORIZATION:Bearer k\r\nuser-agent: \t y z \t\r\nx-other: 1\r\nOpenAI-Beta: b\r\nContent-Type: c\r\n',
    );
    const head = read(Buffer.concat([bytes, Buffer.from('{}')]));
    assert.deepEqual(head, {
      method: 'POST',
      target: '/v1/chat/completions?a=b',
      own: ['authorization', 'Bearer k', 'content-type', 'c'],
      forwarded: ['user-agent', 'y z', 'openai-beta', 'b', 'content-type', 'c'],
      bodyBytes: 2,
      isLast: false,
      fieldsAt: line.length,
      end: bytes.length,
    });
  });

  it('forwards a field by its prefix alone', () => {
    const head = read(headOf('OpenAI-: x\r\n'));
    assert.deepEqual(typeof head === 'object' && head.forwarded, ['openai-', 'x']);
  });

  it('returns all of its fields as received', () => {
    const fields = rawFields(headOf('X-Other:\t1 \r\nempty:\r\n').subarray(line.length));
    const expected = ['Host', 'x', 'content-length', '2', 'X-Other', '1', 'empty', ''];
    assert.deepEqual(fields, expected);
  });

  it('may begin after other bytes', () => {
    const bytes = Buffer.concat([headOf(''), headOf('')]);
    const second = readStrictHead(bytes, headOf('').length);
    assert.ok(typeof second === 'object');
    assert.equal(second.end, bytes.length);
  });

  it('is partial at every byte before its end', () => {
    const bytes = headOf('authorization: Bearer k\r\nconnection: close\r\n');
    for (let length = 0; length < bytes.length; length++) {
      assert.equal(read(bytes.subarray(0, length)), 'partial', `${length} bytes`);
    }
  });

  it('states whether the client keeps the connection', () => {
    for (const [fields, isLast] of [
      ['connection: close\r\n', true],
      ['Connection: Keep-Alive\r\n', false],
      ['', false],
    ] as const) {
      const head = read(headOf(fields));
      assert.equal(typeof head === 'object' && head.isLast, isLast, fields);
    }
  });

  it('of a GET has no body', () => {
    const head = read(Buffer.from('GET /healthz HTTP/1.1\r\nhost: x\r\n\r\n'));
    assert.ok(typeof head === 'object');
    assert.deepEqual([head.method, head.bodyBytes], ['GET', 0]);
  });
});

const unusualLines = [
  'PUT /v1/x HTTP/1.1',
  'HEAD /healthz HTTP/1.1',
  'post /v1/x HTTP/1.1',
  'CONNECT x:1 HTTP/1.1',
  'POST /v1/x HTTP/1.0',
  'POST /v1/x HTTP/1.2',
  'POST /v1/x http/1.1',
  'POST /v1/x HTTP/1.10',
  'POST http://x/v1/x HTTP/1.1',
  'POST * HTTP/1.1',
  'POST v1/x HTTP/1.1',
  'POST  HTTP/1.1',
  'POST /v1/x#y HTTP/1.1',
  'POST /v1/\xe9 HTTP/1.1',
  'POST /v1/"x" HTTP/1.1',
  'POST /a\\b HTTP/1.1',
  'POST  /v1/x HTTP/1.1',
  'POST /v1/x  HTTP/1.1',
  'POST\t/v1/x HTTP/1.1',
  'POST /v1/x HTTP/1.1 ',
  ' POST /v1/x HTTP/1.1',
  '\r\nPOST /v1/x HTTP/1.1',
  'POST /v1\0 HTTP/1.1',
  'POST /v1/x',
  'PRI * HTTP/2.0',
  '\x16\x03\x01\x02\x00',
  'nonsense',
];

const unusualFields = [
  'Transfer-Encoding: chunked',
  'transfer-encoding: identity',
  'Transfer-Encoding:',
  'TE: trailers',
  'Trailer: x',
  'Expect: 100-continue',
  'Upgrade: h2c',
  'Proxy-Connection: keep-alive',
  'Connection: upgrade',
  'Connection: close, x',
  'Connection:',
  'connection: keep-alive\r\nConnection: close',
  'Host: y',
  'hOST: x',
  'Content-Length: 2',
  'content-LENGTH: 3',
  'authorization: a\r\nAuthorization: b',
  'x-api-key: a\r\nx-api-key: a',
  'content-type: a\r\ncontent-type: b',
  ' folded',
  '\tfolded',
  'a: b\r\n folded',
  'spaced : x',
  'a b: c',
  ': x',
  'x',
  '(a): b',
  'a\0: b',
  'a: \0',
  'a: b\x7f',
  'a: \xe9',
  'a: b\rc: d',
  'a: b\nc: d',
  'a: b\r\r\nc: d',
  '\x80: a',
  'a: \x1b',
];

const unusualLengths = [
  '',
  '+2',
  '-2',
  '2 2',
  '2,2',
  '2, 2',
  '0x2',
  '2.0',
  '2e0',
  '02',
  '00',
  'two',
  '2\t2',
  '٢',
  '1234567890123456',
  '18446744073709551618',
  '2;',
  '"2"',
  '\x0b2',
];

describe('a head that is left to Node’s parser', () => {
  for (const [what, heads] of [
    ['for its first line', unusualLines.map((first) => headOf('', `${first}\r\n`))],
    ['for a field', unusualFields.map((field) => headOf(`${field}\r\n`))],
    [
      'for its length',
      unusualLengths.map((length) =>
        Buffer.from(`${line}host: x\r\ncontent-length: ${length}\r\n\r\n`),
      ),
    ],
    [
      'for what it lacks or has too much',
      [
        `${line}content-length: 2\r\n\r\n`,
        `${line}host: x\r\n\r\n`,
        'GET /healthz HTTP/1.1\r\n\r\n',
        'GET /healthz HTTP/1.1\r\nhost: x\r\ncontent-length: 0\r\n\r\n',
        'GET /healthz HTTP/1.1\nhost: x\n\n',
        `${line}${own}a: ${'b'.repeat(16 * 1024)}\r\n\r\n`,
        `${line}${own}${'a: b\r\n'.repeat(4000)}\r\n`,
      ].map((text) => Buffer.from(text)),
    ],
  ] as const) {
    it(`${what} is so at whichever byte it was cut, once that is clear`, () => {
      for (const bytes of heads) {
        const text = JSON.stringify(bytes.toString('latin1').slice(0, 120));
        assert.equal(read(bytes), 'unusual', text);
        let wasUnusual = false;
        for (let length = 0; length < Math.min(bytes.length, 300); length++) {
          const isUnusual = read(bytes.subarray(0, length)) === 'unusual';
          assert.ok(isUnusual || !wasUnusual, `${text} at ${length}`);
          wasUnusual = isUnusual;
        }
      }
    });
  }

  it('is left because of its size even if it never ends', () => {
    const bytes = Buffer.from(`${line}${own}a: ${'b'.repeat(32 * 1024)}`);
    assert.equal(read(bytes), 'unusual');
  });
});

describe('the requests read from a connection', () => {
  it(`is what Node's parser reads of the same bytes, in ${runs} of all sorts`, async () => {
    let read = 0;
    await fc.assert(
      fc.asyncProperty(requestBytes, async (bytes) => {
        const { requests, end } = readByOurs(bytes);
        if (requests.length === 0) return;
        read++;
        const theirs = await readByNode(bytes.subarray(0, end));
        assert.deepEqual(theirs, { requests, isClean: true });
      }),
      { numRuns: runs },
    );
    assert.ok(read > runs / 4, `${read} were read at all`);
  });
});
