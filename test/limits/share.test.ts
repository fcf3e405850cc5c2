// Tests the division of a limit among replicas (specification, "Reconciliation").

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import * as fc from 'fast-check';

import { shareOf } from '../../src/limits/share.ts';

const sumOf = (values: readonly number[]): number => values.reduce((sum, one) => sum + one, 0);

/** The parts of replicas that were asked for this since their last reports, and for `earlier` in the minute before. */
function partsOf(demand: readonly number[], limit: number, earlier = 0): readonly number[] {
  const latest = sumOf(demand);
  const lastMinute = latest + earlier;
  return demand.map((mine) => shareOf({ mine, latest, lastMinute }, limit, demand.length));
}

// what each replica was asked for, and all of them before -> what each gets of a limit of 16
const cases = [
  ['a single replica gets the whole limit', [7], 100, [1]],
  ['equal demand, equal parts', [8, 8], 0, [0.5, 0.5]],
  ['the busier gets more', [12, 4], 0, [0.75, 0.25]],
  ['each gets the whole limit without demand', [0, 0, 0], 0, [1, 1, 1]],
  ['each gets the unclaimed part', [4, 0, 0], 0, [1, 0.75, 0.75]],
  ['demand of the last minute is not unclaimed', [0, 0, 0], 12, [1 / 3, 1 / 3, 1 / 3]],
  [
    'an idle replica keeps an even share, and takes none from the others',
    [4, 0, 12],
    0,
    [0.25, 1 / 3, 0.75],
  ],
] as const;

describe('a limit', () => {
  for (const [name, demand, earlier, shares] of cases) {
    it(name, () => assert.deepEqual(partsOf(demand, 16, earlier), shares));
  }

  it('of nothing is divided by demand', () => assert.deepEqual(partsOf([1, 3], 0), [0.25, 0.75]));

  const demands = fc.array(fc.maxSafeNat(), { minLength: 1, maxLength: 50 });

  it('is admitted once by the replicas with demand, when a minute of demand reaches it', () => {
    fc.assert(
      fc.property(demands, (demand) => {
        const busy = demand.filter((mine) => mine > 0);
        const parts = partsOf(demand, sumOf(demand)).filter((_, index) => (demand[index] ?? 0) > 0);
        assert.equal(parts.length, busy.length);
        assert.ok(sumOf(parts) <= 1 + 1e-9 && parts.every((part) => part > 0 && part <= 1));
      }),
    );
  });

  it('gives each replica at least its share of the demand, and the unclaimed part', () => {
    fc.assert(
      fc.property(demands, fc.maxSafeNat(), fc.maxSafeNat(), (demand, limit, earlier) => {
        const total = sumOf(demand);
        for (const [index, part] of partsOf(demand, limit, earlier).entries()) {
          assert.ok(part <= 1);
          assert.ok(part >= (demand[index] ?? 0) / Math.max(1, total) - 1e-9);
          const expected = (demand[index] ?? 0) > 0 ? total : 0;
          const left = 1 - (total + earlier + expected) / Math.max(1, limit);
          assert.ok(part >= left - 1e-9);
        }
      }),
    );
  });
});
