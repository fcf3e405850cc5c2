// Tests that decimals are scaled exactly where doubles would round.

import assert from 'node:assert/strict';
import { it } from 'node:test';

import * as fc from 'fast-check';

import { scaleDecimal } from '../../src/lib/decimal.ts';

it('a decimal number is scaled and rounded, halves away from zero', () => {
  for (const [text, places, expected] of [
    ['0.000003', 12, 3_000_000n],
    ['3e-06', 12, 3_000_000n],
    ['3E-6', 12, 3_000_000n],
    ['0.0000006000000000000001', 12, 600_000n],
    ['0.0000000000005', 12, 1n],
    ['0.00000000000049999', 12, 0n],
    ['-0.0000000000005', 12, -1n],
    ['-1', 12, -1_000_000_000_000n],
    ['0', 12, 0n],
    ['.5', 0, 1n],
    ['2.', 0, 2n],
    ['+1', 0, 1n],
    ['12345678901234567890.5', 0, 12345678901234567891n],
  ] as const) {
    assert.equal(scaleDecimal(text, places), expected, text);
  }
});

it('returns null for text that is not a decimal number or is too large', () => {
  for (const text of [
    '',
    '.',
    '-',
    'e5',
    'NaN',
    'Infinity',
    '0x10',
    '1,5',
    '1 000',
    '$1',
    '1e9999',
    '1e-9999',
    '1'.repeat(10_000),
  ]) {
    assert.equal(scaleDecimal(text, 12), null, text.slice(0, 20));
  }
});

it('a double is scaled as it is written', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 0, max: 1_000_000_000 }),
      fc.nat({ max: 15 }),
      (digits, shift) => {
        const text = `${digits}e-${shift}`;
        const scaled = scaleDecimal(String(Number(text)), shift);
        assert.equal(scaled, BigInt(digits), text);
      },
    ),
  );
});
