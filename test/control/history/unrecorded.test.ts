// Tests what an explanation says about endpoint states that the row does not contain.

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

/**
 * Candidates, the one that answered, the number of attempts, and whether the explanation says that
 * an earlier one may have been down.
 */
const cases: readonly (readonly [
  string,
  Parameters<typeof notRecorded>[2],
  number,
  number,
  boolean,
])[] = [
  ['the first', [one(1), one(2)], 1, 1, false],
  ['the first, from the cache', [one(1), one(2)], 1, 0, false],
  ['the second, after an attempt', [one(1), one(2)], 2, 2, false],
  ['the second, without one', [one(1), one(2)], 2, 1, true],
  ['the third, after one attempt', [one(1), one(2), one(3)], 3, 2, true],
  ['the second, the first dropped', [gone, one(2)], 2, 1, false],
  ['the second, the first too small', [small, one(2)], 2, 1, false],
  ['a member of a pool', [p1, p2], 2, 1, false],
  ['one after a pool', [p1, p2, one(3)], 3, 1, true],
];

for (const [who, listed, answered, attempts, isListed] of cases) {
  it(`lists the state of endpoints as ${isListed ? 'not recorded' : 'known'} where ${who} answered`, () => {
    const row = { refusal: null, attempts, prompt_class_id: null, model_id: answered };
    const missing = notRecorded(row, [], listed);
    assert.equal(missing.includes('which endpoints were up and in rotation'), isListed);
  });
}
