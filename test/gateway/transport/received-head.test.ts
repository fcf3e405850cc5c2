// A head is recognised only if the parser would read the same fields.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import * as fc from 'fast-check';

import { ReceivedHead } from '../../../src/gateway/transport/received-head.ts';
import { readStrictHead } from '../../../src/gateway/transport/request-head.ts';
import { requestBytes } from '../../harness/bytes/request-bytes.ts';

const post = (length: string, more = ''): Buffer =>
  Buffer.from(
    `POST /v1/chat/completions?a=b HTTP/1.1\r\nhost: x\r\nContent-Length: ${length}\r\nX-Tier: gold\r\n${more}\r\n`,
  );

function received(bytes: Buffer, from = 0): ReceivedHead {
  const head = readStrictHead(bytes, from);
  assert.ok(typeof head === 'object');
  return new ReceivedHead(head, bytes, from);
}

describe('a head that repeats the previous one of its connection', () => {
  it('is recognised with another length of the body, at any offset', () => {
    const head = received(post('5'));
    const bytes = Buffer.concat([post('5'), Buffer.from('12345'), post('1234')]);
    const from = post('5').length + 5;
    assert.ok(head.isAt(bytes, from));
    assert.deepEqual([head.bodyBytes, head.bodyAt], [1234, bytes.length]);
    assert.equal(head.path, '/v1/chat/completions');
  });

  it('is recognised without a body', () => {
    const bytes = Buffer.from('GET /healthz HTTP/1.1\r\nhost: x\r\n\r\n');
    const head = received(bytes);
    assert.ok(head.isAt(bytes, 0));
    assert.deepEqual([head.bodyBytes, head.bodyAt], [0, bytes.length]);
  });

  for (const [what, bytes] of [
    ['an empty length', post('')],
    ['a length with a leading zero', post('05')],
    ['a signed length', post('+5')],
    ['a length with a blank in it', post('5 5')],
    ['a list of lengths', post('5, 5')],
    ['a length of 16 digits', post('1234567890123456')],
    ['one more field', post('5', 'transfer-encoding: chunked\r\n')],
    ['a field in other case', Buffer.from(post('5').toString().replace('X-Tier', 'x-tier'))],
    ['only a part of its bytes', post('5').subarray(0, -1)],
  ] as const) {
    it(`is not recognised with ${what}`, () => {
      const head = received(post('5'));
      assert.equal(head.isAt(bytes, 0), false);
      assert.deepEqual([head.bodyBytes, head.bodyAt], [5, post('5').length]);
    });
  }

  it('is read as the parser reads it, whatever the bytes', () => {
    let recognised = 0;
    const length = fc.oneof(
      fc.nat(99_999).map(String),
      fc.constantFrom('00', '+1', '1 ', ' 1', ''),
    );
    fc.assert(
      fc.property(requestBytes, fc.nat(), length, (bytes, at, digits) => {
        const first = readStrictHead(bytes, 0);
        if (typeof first === 'string') return;
        const head = new ReceivedHead(first, bytes, 0);
        const own = bytes.toString('latin1', 0, first.end);
        const changed = own.replace(/(?<=content-length: *)\d+/i, digits);
        const damaged = `${changed.slice(0, at % own.length)}x${changed.slice((at % own.length) + 1)}`;
        for (const text of [changed, damaged]) {
          const next = Buffer.from(text, 'latin1');
          const parsed = readStrictHead(next, 0);
          if (!head.isAt(next, 0)) continue;
          recognised++;
          assert.ok(typeof parsed === 'object');
          assert.deepEqual(
            [parsed.method, parsed.own, parsed.forwarded, parsed.isLast],
            [head.method, head.own, head.forwarded, head.isLast],
          );
          assert.deepEqual([parsed.bodyBytes, parsed.end], [head.bodyBytes, head.bodyAt]);
        }
      }),
      { numRuns: 5000 },
    );
    assert.ok(recognised > 500, `${recognised} were recognised`);
  });

  it('answers rules with the same fields', () => {
    const head = received(post('5', 'x-tier: silver\r\n'));
    for (let time = 0; time < 2; time++) {
      assert.equal(head.field('x-tier'), 'gold, silver');
      assert.equal(head.field('x-team'), undefined);
    }
  });

  it('that differs takes the place of the previous one', () => {
    const first = received(post('5'));
    const other = post('7', 'x-tier: silver\r\n');
    const parsed = readStrictHead(other, 0);
    assert.ok(typeof parsed === 'object');
    const second = new ReceivedHead(parsed, other, 0, first);
    assert.deepEqual([second.isRepeated, second.isAt(post('5'), 0)], [false, false]);
    assert.ok(second.isAt(post('12', 'x-tier: silver\r\n'), 0));
    assert.deepEqual([second.isRepeated, second.bodyBytes], [true, 12]);
    assert.equal(second.field('x-tier'), 'gold, silver');
  });

  it('is not kept if it is long', () => {
    assert.ok(received(post('5')).isKept);
    assert.ok(!received(post('5', `x-long: ${'x'.repeat(2048)}\r\n`)).isKept);
  });
});
