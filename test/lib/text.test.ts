// Tests how long texts are shortened for messages.

import assert from 'node:assert/strict';
import { it } from 'node:test';

import { compareText, listed, shortened } from '../../src/lib/text.ts';

it('a text is shortened to 100 characters, never to half of one', () => {
  assert.equal(shortened('a'.repeat(100)), 'a'.repeat(100));
  assert.equal(shortened('a'.repeat(101)), `${'a'.repeat(100)}…`);
  assert.ok(shortened(`${'a'.repeat(99)}😀b`).isWellFormed());
});

const names = (count: number): string[] => Array.from({ length: count }, (_, index) => `n${index}`);

it('of more than 100 names a list says how many more there are', () => {
  assert.equal(listed(names(2)), 'n0, n1');
  assert.match(listed(names(100)), /, n99$/);
  assert.match(listed(names(103)), /, n99 and 3 more$/);
});

it('texts are ordered by their code points, as their bytes are', () => {
  const texts = [
    '',
    'a',
    'a b',
    'aB',
    'ab',
    'Z',
    'ä',
    '\uE000',
    '\uFFFD',
    '😀',
    '😀a',
    '\u{10FFFF}',
  ];
  for (const one of texts) {
    for (const other of texts) {
      const bytes = Buffer.compare(Buffer.from(one), Buffer.from(other));
      assert.equal(Math.sign(compareText(one, other)), bytes, `${one} and ${other}`);
    }
  }
});
