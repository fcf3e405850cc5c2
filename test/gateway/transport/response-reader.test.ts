// An answer is read alike whichever pieces it comes in, and never where Node's own parser would
// refuse it or read something else.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import * as fc from 'fast-check';

import { ResponseReader } from '../../../src/gateway/transport/response-reader.ts';
import { cut, endOfAnswer, readByNode, readByOurs } from '../../harness/bytes/answer-bytes.ts';

const ok = 'HTTP/1.1 200 OK\r\n';
const two = 'content-length: 2\r\n\r\nok';
const chunked = `${ok}transfer-encoding: chunked\r\n\r\n`;
const answer = { status: 200, body: 'ok', isWhole: true };

const read: readonly (readonly [what: string, text: string, more?: object])[] = [
  ['by its length', `${ok}${two}`],
  ['by its chunks', `${chunked}1\r\no\r\n1\r\nk\r\n0\r\n\r\n`],
  ['by the end of the connection', `${ok}\r\nok`],
  ['by the end of the connection to HTTP/1.0', `HTTP/1.0 200 OK\r\n\r\nok`],
  ['in chunks over HTTP/1.0', `${chunked.replace('1.1', '1.0')}2\r\nok\r\n0\r\n\r\n`],
  ['without a reason', `HTTP/1.1 200\r\n${two}`],
  ['with an empty reason', `HTTP/1.1 200 \r\n${two}`],
  ['with a reason beyond ASCII', `HTTP/1.1 200 \xe9t\xe9\r\n${two}`],
  [
    'after interim answers',
    `HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 x\r\na: b\r\n\r\n${ok}${two}`,
  ],
  ['without a body at 204', `HTTP/1.1 204 x\r\n\r\n`, { status: 204, body: '' }],
  [
    'without a body at 304',
    `HTTP/1.1 304 x\r\ncontent-length: 9\r\n\r\n`,
    { status: 304, body: '' },
  ],
  ['of no bytes', `${ok}content-length: 0\r\n\r\n`, { body: '' }],
  ['of no chunks', `${chunked}0\r\n\r\n`, { body: '' }],
  ['with blanks about a value', `${ok}content-length: \t2 \r\n\r\nok`],
  ['with an empty value', `${ok}x:\r\n${two}`],
  ['with names in any case', `${ok}CONTENT-Length:2\r\n\r\nok`],
  ['with chunk extensions', `${chunked}2;a=b;c="d;\\" e"\r\nok\r\n0;z\r\n\r\n`],
  ['with leading zeros in a size', `${chunked}0002\r\nok\r\n000\r\n\r\n`],
  ['with trailers', `${chunked}2\r\nok\r\n0\r\nx-a: b\r\nc:\r\n\r\n`],
  ['and what comes after it is not', `${ok}${two}HTTP/1.1 500 x\r\n\r\n`],
];

const refused: readonly (readonly [what: string, text: string, problem: RegExp])[] = [
  ['another protocol', 'SIP/2.0 200 OK\r\n\r\n', /not HTTP\/1/],
  ['another version', `HTTP/1.2 200 OK\r\n${two}`, /not HTTP\/1/],
  ['a short status', `HTTP/1.1 20 OK\r\n${two}`, /status/],
  ['a long status', `HTTP/1.1 2000 OK\r\n${two}`, /status/],
  ['a status in words', `HTTP/1.1 2xx OK\r\n${two}`, /status/],
  ['two blanks before the status', `HTTP/1.1  200 OK\r\n${two}`, /status/],
  ['a status out of range', `HTTP/1.1 600 OK\r\n${two}`, /status 600/],
  ['a switch of protocols', 'HTTP/1.1 101 x\r\nupgrade: y\r\n\r\n', /status 101/],
  ['a blank line first', `\r\n${ok}${two}`, /not HTTP\/1/],
  ['a control character in the reason', `HTTP/1.1 200 O\x01\r\n${two}`, /control/],
  ['a bare line feed', `HTTP/1.1 200 OK\n${two}`, /control/],
  ['a bare carriage return', `HTTP/1.1 200 OK\ra: b\r\n${two}`, /line end/],
  ['a folded field', `${ok}a: b\r\n c\r\n${two}`, /no name/],
  ['a blank before the colon', `${ok}content-length : 2\r\n\r\nok`, /no name/],
  ['a field without a colon', `${ok}content-length\r\n\r\nok`, /no name/],
  ['a field without a name', `${ok}: 2\r\n\r\nok`, /no name/],
  ['NUL in a value', `${ok}a: \0\r\n${two}`, /control/],
  ['DEL in a value', `${ok}a: \x7f\r\n${two}`, /control/],
  ['two lengths', `${ok}content-length: 3\r\n${two}`, /single number/],
  ['the same length twice', `${ok}content-length: 2\r\n${two}`, /single number/],
  ['a list of lengths', `${ok}content-length: 2, 2\r\n\r\nok`, /single number/],
  ['a signed length', `${ok}content-length: +2\r\n\r\nok`, /single number/],
  ['an empty length', `${ok}content-length:\r\n\r\nok`, /single number/],
  ['a length beyond counting', `${ok}content-length: 9999999999999999\r\n\r\n`, /single number/],
  [
    'a length and chunks',
    `${ok}transfer-encoding: chunked\r\n${two}`,
    /both content-length and transfer-encoding/,
  ],
  ['another coding', `${ok}transfer-encoding: gzip\r\n\r\n`, /must be chunked/],
  [
    'chunks under another coding',
    `${ok}transfer-encoding: gzip, chunked\r\n\r\n`,
    /must be chunked/,
  ],
  ['a blank after the coding', `${ok}transfer-encoding: chunked\t\r\n\r\n`, /must be chunked/],
  ['chunks twice', `${chunked.slice(0, -2)}transfer-encoding: chunked\r\n\r\n`, /must be chunked/],
  ['too large a head', `${ok}a: ${'b'.repeat(16 * 1024)}\r\n${two}`, /too large/],
  [
    'an interim answer that closes',
    `HTTP/1.1 100 x\r\nconnection: close\r\n\r\n${ok}${two}`,
    /interim/,
  ],
  ['an interim answer with a body', `HTTP/1.1 100 x\r\n${two}${ok}${two}`, /interim/],
  ['too many interim answers', 'HTTP/1.1 102 x\r\n\r\n'.repeat(9), /interim/],
  ['a chunk without a size', `${chunked}\r\nok\r\n`, /chunk size/],
  ['a chunk size with a sign', `${chunked}+2\r\nok\r\n`, /chunk size/],
  ['a chunk size with a prefix', `${chunked}0x2\r\nok\r\n`, /chunk size/],
  ['a blank after a chunk size', `${chunked}2 \r\nok\r\n`, /chunk size/],
  ['a chunk size that ends in a line feed', `${chunked}2\nok\r\n`, /chunk size/],
  ['a chunk size beyond counting', `${chunked}${'f'.repeat(14)}\r\n`, /too large/],
  ['a chunk that is longer than its size', `${chunked}1\r\nok\r\n`, /longer/],
  ['a chunk that ends in a line feed', `${chunked}2\r\nok\n`, /longer/],
  ['a broken chunk extension', `${chunked}2;=\r\nok\r\n`, /extension/],
  ['a blank in a chunk extension', `${chunked}2; a\r\nok\r\n`, /extension/],
  ['a line feed in a chunk extension', `${chunked}2;a\nok\r\n`, /control/],
  [
    'endless chunk extensions',
    `${chunked}${`1;${'a'.repeat(99)}\r\nx\r\n`.repeat(200)}`,
    /are too large/,
  ],
  ['endless trailers', `${chunked}0\r\n${'a: b\r\n'.repeat(6000)}\r\n`, /are too large/],
  ['a trailer without a colon', `${chunked}0\r\na\r\n\r\n`, /trailer/],
  ['a length in a trailer', `${chunked}0\r\nContent-Length: 2\r\n\r\n`, /trailer/],
  ['a folded trailer', `${chunked}0\r\na: b\r\n c: d\r\n\r\n`, /trailer/],
];

const unfinished: readonly (readonly [what: string, text: string])[] = [
  ['nothing', ''],
  ['half a head', `${ok}content-`],
  ['an interim answer alone', 'HTTP/1.1 100 Continue\r\n\r\n'],
  ['fewer bytes than its length', `${ok}content-length: 3\r\n\r\nok`],
  ['no last chunk', `${chunked}2\r\nok\r\n`],
  ['half a last chunk', `${chunked}2\r\nok\r\n0\r\n`],
];

const bytewise = (text: string) => Array.from(text, (byte) => Buffer.from(byte, 'latin1'));

describe('an answer', () => {
  for (const [what, text, more] of read) {
    it(`is read ${what}`, async () => {
      const expected = { ...answer, ...more };
      const whole = Buffer.from(text, 'latin1');
      assert.deepEqual(readByOurs([whole]), expected);
      assert.deepEqual(readByOurs(bytewise(text)), expected);
      assert.deepEqual(await readByNode([whole]), expected);
    });
  }

  for (const [what, text, problem] of refused) {
    it(`with ${what} is refused`, () => {
      for (const parts of [[Buffer.from(text, 'latin1')], bytewise(text)]) {
        const reader = new ResponseReader();
        for (const part of parts) if (reader.problem === null) reader.read(Buffer.from(part));
        assert.match(reader.problem ?? '', problem);
        assert.equal(reader.isComplete, false);
      }
    });
  }

  for (const [what, text] of unfinished) {
    it(`that ends with ${what} is not whole`, () => {
      assert.equal(readByOurs([Buffer.from(text, 'latin1')]).isWhole, false);
      assert.equal(readByOurs(bytewise(text)).isWhole, false);
    });
  }
});

const kept: readonly (readonly [text: string, isReusable: boolean])[] = [
  [`${ok}${two}`, true],
  [`${chunked}0\r\n\r\n`, true],
  [`${ok}Connection: Close\r\n${two}`, false],
  [`${ok}connection: x, close\r\n${two}`, false],
  [`${ok}connection: keep-alive, close\r\n${two}`, false],
  [`${ok}${two}x`, false],
  [`${chunked}0\r\n\r\nx`, false],
  [`HTTP/1.0 200 OK\r\n${two}`, false],
  [`HTTP/1.0 200 OK\r\nconnection: Keep-Alive\r\n${two}`, true],
  [
    `HTTP/1.0 200 OK\r\nconnection: keep-alive\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n`,
    false,
  ],
  ['HTTP/1.1 204 x\r\n\r\n', true],
  ['HTTP/1.1 204 x\r\ncontent-length: 2\r\n\r\n', false],
  ['HTTP/1.1 204 x\r\ntransfer-encoding: chunked\r\n\r\n', false],
  [`${ok}\r\nok`, false],
];

describe('a connection', () => {
  it('is kept only if both sides agree on the end of the response', () => {
    for (const [text, isReusable] of kept) {
      const reader = new ResponseReader();
      reader.read(Buffer.from(text, 'latin1'));
      assert.equal(reader.isReusable, isReusable, text);
    }
  });

  it('is kept for as long as the upstream allows', () => {
    for (const [value, keepAliveMs] of [
      ['timeout=5', 5000],
      ['max=3, Timeout=20', 20_000],
      ['x-timeout=5', null],
      ['timeout=soon', null],
    ] as const) {
      const reader = new ResponseReader();
      reader.read(Buffer.from(`${ok}keep-alive: ${value}\r\n${two}`));
      assert.equal(reader.head?.keepAliveMs, keepAliveMs, value);
    }
  });
});

describe('the headers of an answer', () => {
  it('are those that the client may see, in lower case, each once', () => {
    const head = [
      'Content-Type: text/plain',
      'Set-Cookie: a',
      'X-GW-Route: forged',
      'Connection: close',
      'cache-control: a',
      'RETRY-AFTER: cache-control',
      'Cache-Control: b',
    ];
    const reader = new ResponseReader();
    reader.read(Buffer.from(`${ok}${head.join('\r\n')}\r\n${two}`));
    assert.deepEqual(reader.head?.headers, [
      'content-type',
      'text/plain',
      'cache-control',
      'a, b',
      'retry-after',
      'cache-control',
      'content-length',
      '2',
    ]);
  });
});

const latin1 = (max: number) =>
  fc.uint8Array({ maxLength: max }).map((bytes) => Buffer.from(bytes).toString('latin1'));
const token = fc.stringMatching(/^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,12}$/);
const value = fc.stringMatching(/^[\t -~\x80-\xff]{0,20}$/);
/** Fields that decide nothing. */
const plainFields = fc
  .array(fc.tuple(token, value), { maxLength: 4 })
  .map((fields) => fields.map(([name, text]) => `x-${name}: ${text}\r\n`).join(''));
const extension = fc.constantFrom('', '', ';a', ';a=b', ';a="b c"');
const chunk = fc
  .tuple(
    latin1(40).filter((text) => text !== ''),
    extension,
  )
  .map(([data, more]) => ({ data, wire: `${data.length.toString(16)}${more}\r\n${data}\r\n` }));
const body = fc.oneof(
  latin1(60).map((data) => ({
    data,
    wire: `Content-Length: ${data.length}\r\n\r\n${data}`,
  })),
  latin1(60).map((data) => ({ data, wire: `\r\n${data}` })),
  fc.tuple(fc.array(chunk, { maxLength: 5 }), plainFields).map(([chunks, trailers]) => ({
    data: chunks.map(({ data }) => data).join(''),
    wire: `Transfer-Encoding: chunked\r\n\r\n${chunks.map(({ wire }) => wire).join('')}0\r\n${trailers}\r\n`,
  })),
);
const valid = fc
  .record({
    interim: fc.constantFrom('', 'HTTP/1.1 100 Continue\r\n\r\n', 'HTTP/1.1 103 x\r\na: b\r\n\r\n'),
    status: fc.integer({ min: 200, max: 599 }).filter((status) => status !== 204 && status !== 304),
    minor: fc.constantFrom(0, 1),
    fields: plainFields,
    body,
  })
  .map(({ interim, status, minor, fields, body }) => ({
    wire: `${interim}HTTP/1.${minor} ${status} x\r\n${fields}${body.wire}`,
    expected: { status, body: body.data, isWhole: true },
  }));
const cuts = fc.array(fc.nat(400), { maxLength: 8 });

/** Bytes that break a message more often than random ones. */
const splinter = fc.oneof(
  fc.constantFrom('\r\n', '\n', '\r', ' ', '\t', '\0', '\x7f', ':', ',', ';', '-', '0', '1', 'f'),
  fc.constantFrom('content-length: 1\r\n', 'connection: close\r\n', '0\r\n\r\n'),
  fc.constant('transfer-encoding: chunked\r\n'),
);
const wound = fc.record({ at: fc.nat(400), out: fc.nat(3), put: splinter });

describe('any answer', () => {
  it('that is valid is read correctly in any pieces, and as Node reads it', async () => {
    await fc.assert(
      fc.asyncProperty(valid, cuts, async ({ wire, expected }, at) => {
        const parts = cut(Buffer.from(wire, 'latin1'), at);
        assert.deepEqual(readByOurs(parts), expected);
        assert.deepEqual(await readByNode(parts), expected);
      }),
      { numRuns: 300 },
    );
  });

  it('that is damaged is read as Node reads it, or not at all', async () => {
    await fc.assert(
      fc.asyncProperty(
        valid,
        fc.array(wound, { minLength: 1, maxLength: 3 }),
        cuts,
        async ({ wire }, wounds, at) => {
          let damaged = wire;
          for (const { at, out, put } of wounds) {
            const from = at % damaged.length;
            damaged = damaged.slice(0, from) + put + damaged.slice(from + out);
          }
          const bytes = Buffer.from(damaged, 'latin1');
          const ours = readByOurs(cut(bytes, at));
          assert.deepEqual(ours, readByOurs(bytewise(damaged)));
          if (!ours.isWhole) return;
          assert.deepEqual(await readByNode(cut(bytes.subarray(0, endOfAnswer(bytes)), at)), ours);
        },
      ),
      { numRuns: 1000 },
    );
  });
});
