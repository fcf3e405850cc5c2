// Tests that a filtered list contains exactly the records of one owner.

import assert from 'node:assert/strict';
import { it } from 'node:test';

import { narrowed } from '../../../../ui/lib/text/narrow.ts';

const keys = [
  { id: 1, principal_id: 3 },
  { id: 2, principal_id: 30 },
  { id: 3, principal_id: null },
];
const idsOf = (asked: string) =>
  narrowed(keys, asked, ({ principal_id }) => [principal_id]).map(({ id }) => id);

it('omits records of an owner whose id has the same prefix', () => {
  assert.deepEqual(idsOf('3'), [1]);
  assert.deepEqual(idsOf('30'), [2]);
  assert.deepEqual(idsOf('4'), []);
});

it('returns all rows without an owner', () => {
  assert.deepEqual(idsOf(''), [1, 2, 3]);
});
