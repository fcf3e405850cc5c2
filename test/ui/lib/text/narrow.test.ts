// Holds that a list of what belongs to a record holds that and no more.

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

it('what is of another whose number begins alike is not among it', () => {
  assert.deepEqual(idsOf('3'), [1]);
  assert.deepEqual(idsOf('30'), [2]);
  assert.deepEqual(idsOf('4'), []);
});

it('where nobody is asked for, all is there', () => {
  assert.deepEqual(idsOf(''), [1, 2, 3]);
});
