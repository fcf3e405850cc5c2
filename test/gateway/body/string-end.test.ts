// Tests the SIMD search for the end of a string against a loop over its bytes.

import assert from 'node:assert/strict';
import { it } from 'node:test';

import * as fc from 'fast-check';

import { endOfString } from '../../../src/gateway/body/string-end.ts';

function endByLoop(bytes: Buffer, from: number): number {
  for (let at = from; at < bytes.length; at++) {
    if (bytes[at] === 0x22) return at + 1;
    if (bytes[at] === 0x5c) at++;
  }
  return -1;
}

const pieces = fc.constantFrom('"', '\\', '\\"', '\\\\', 'a', 'plain text', '\\\\\\\\\\\\\\', 'é');
const randomText = fc
  .array(pieces, { maxLength: 200 })
  .chain((list) => fc.nat(40).map((length) => 'x'.repeat(length) + list.join('')));

it('finds the same end as a loop, for any quotes and backslashes', () => {
  fc.assert(
    fc.property(randomText, fc.nat(20), (text, from) => {
      const bytes = Buffer.from(text);
      assert.equal(endOfString(bytes, from), endByLoop(bytes, from));
    }),
    { numRuns: 20_000 },
  );
});

it('finds the end at every offset around the sizes of its copies', () => {
  for (const size of [1024, 1024 + 64 * 1024]) {
    for (let length = size - 18; length < size + 18; length++) {
      for (const end of ['"', '\\""', '\\\\"', '\\\\\\""', '\\"', '']) {
        const bytes = Buffer.from(`${'a'.repeat(length)}${end}`);
        assert.equal(endOfString(bytes, 0), endByLoop(bytes, 0), `${length} ${end}`);
      }
    }
  }
});

it('does not find a quote that an earlier string left in its memory', () => {
  endOfString(Buffer.from(`${'a'.repeat(20)}"${'"'.repeat(100)}`), 0);
  assert.equal(endOfString(Buffer.from('aaaa'), 0), -1);
});
