// What an explanation says that the row does not hold of who was up, case by case.

import assert from 'node:assert/strict';
import { it } from 'node:test';

import { notRecorded } from '../../../src/control/history/unrecorded.ts';
import { modelId } from '../../../src/lib/ids.ts';

const one = (id: number, change: Readonly<{ pool?: string; isSmall?: boolean }> = {}) => ({
  model: { id: modelId.parse(id) },
  pool: change.pool === undefined ? null : { name: change.pool },
  dropped: null,
  isSmall: change.isSmall ?? false,
});
const gone = { ...one(1), dropped: 'not_granted' } as const;
const small = one(1, { isSmall: true });
const [p1, p2] = [one(1, { pool: 'p' }), one(2, { pool: 'p' })];

/** Candidates, who answered, by how many attempts; whether it is said that one before was not up. */
const cases: readonly (readonly [
  string,
  Parameters<typeof notRecorded>[2],
  number,
  number,
  boolean,
])[] = [
  ['the first', [one(1), one(2)], 1, 1, false],
  ['the first, out of the cache', [one(1), one(2)], 1, 0, false],
  ['the second, behind an attempt', [one(1), one(2)], 2, 2, false],
  ['the second, without one', [one(1), one(2)], 2, 1, true],
  ['the third, behind one attempt', [one(1), one(2), one(3)], 3, 2, true],
  ['the second, the first dropped', [gone, one(2)], 2, 1, false],
  ['the second, the first too small', [small, one(2)], 2, 1, false],
  ['a member of a pool', [p1, p2], 2, 1, false],
  ['one behind a pool', [p1, p2, one(3)], 3, 1, true],
];

for (const [who, listed, answered, attempts, isSaid] of cases) {
  it(`where ${who} answered, which endpoints were up is ${isSaid ? 'said' : 'not said'} to be unknown`, () => {
    const row = { refusal: null, attempts, prompt_class_id: null, model_id: answered };
    const said = notRecorded(row, [], listed);
    assert.equal(said.includes('which endpoints were up and in rotation'), isSaid);
  });
}
