// Tests that server-sent events are complete however the bytes are split, and that an endless event
// is not buffered.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import * as fc from 'fast-check';

import { SseDecoder } from '../../src/protocols/sse.ts';
import type { SseEvent } from '../../src/protocols/sse.ts';

function read(pieces: readonly (string | Buffer)[], bytesMax?: number): readonly SseEvent[] {
  const decoder = new SseDecoder(bytesMax);
  const events = pieces.flatMap((piece) => decoder.push(Buffer.from(piece)));
  return [...events, ...decoder.end()];
}

const event = (data: string, name = ''): SseEvent => ({ name, data });

describe('an event', () => {
  const cases: readonly (readonly [string, string, readonly SseEvent[]])[] = [
    ['has a name and data', 'event: ping\ndata: {}\n\n', [event('{}', 'ping')]],
    ['ends its lines with CRLF too', 'event: a\r\ndata: b\r\n\r\n', [event('b', 'a')]],
    [
      'needs no space after the colon, and drops one',
      'data:a\n\ndata:  b\n\n',
      [event('a'), event(' b')],
    ],
    ['may have several lines of data', 'data: a\ndata:\ndata: b\n\n', [event('a\n\nb')]],
    ['is nothing without data', 'event: a\n\nid: 1\nretry: 5\n\n', []],
    ['is not a comment', ': OPENROUTER PROCESSING\n\ndata: a\n: more\n\n', [event('a')]],
    ['may have empty data', 'data\n\ndata:\n\n', [event(''), event('')]],
    ['starts after a byte order mark', '\ufeffdata: a\n\n', [event('a')]],
    ['may lack its empty line at the end', 'data: a\n\ndata: b', [event('a'), event('b')]],
    ['keeps its spaces at the end', 'data: {}   \n\n', [event('{}   ')]],
  ];
  for (const [what, text, expected] of cases) {
    it(what, () => assert.deepEqual(read([text]), expected));
  }
});

it('the cut of the bytes makes no difference', () => {
  const line = fc.constantFrom(
    'data: {"text":"ü€😀"}',
    'data: x',
    'data',
    'event: ping',
    ': note',
    'id: 7',
    'retry',
    '',
  );
  const end = fc.constantFrom('\n', '\r\n');
  fc.assert(
    fc.property(
      fc.array(
        fc.tuple(line, end).map((one) => one.join('')),
        { maxLength: 20 },
      ),
      fc.array(fc.nat({ max: 400 }), { maxLength: 20 }),
      (lines, cuts) => {
        const bytes = Buffer.from(lines.join(''));
        const at = [0, ...cuts.toSorted((a, b) => a - b), bytes.length];
        const pieces = at.slice(1).map((stop, index) => bytes.subarray(at[index], stop));
        assert.deepEqual(read(pieces), read([bytes]));
      },
    ),
  );
});

describe('an event that is too large', () => {
  for (const [what, text] of [
    ['in one line', `data: ${'x'.repeat(100)}`],
    ['in many lines', 'data: x\n'.repeat(20)],
  ] as const) {
    it(`ends the reading ${what}`, () => {
      const decoder = new SseDecoder(50);
      assert.deepEqual(decoder.push(Buffer.from('data: a\n\n')), [event('a')]);
      assert.equal(decoder.isOverflown, false);
      assert.deepEqual(decoder.push(Buffer.from(text)), []);
      assert.equal(decoder.isOverflown, true);
      assert.deepEqual(decoder.push(Buffer.from('\n\ndata: b\n\n')), []);
      assert.deepEqual(decoder.end(), []);
    });
  }

  it('is not the sum of small ones', () =>
    assert.equal(read(['data: abc\n\n'.repeat(100)], 50).length, 100));
});
