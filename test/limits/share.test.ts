// How a limit is divided among replicas (specification, "Reconciliation").

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import * as fc from 'fast-check';

import { firstShare, shareOf } from '../../src/limits/share.ts';

// what each replica saw -> what each gets
const cases = [
  ['a lone replica has it all', [7], [1]],
  ['equal demand, equal parts', [5, 5], [0.5, 0.5]],
  ['the busier gets more', [3, 1], [0.75, 0.25]],
  ['without demand two have all of it each', [0, 0], [1, 1]],
  ['without demand more have a part each', [0, 0, 0], [0.5, 0.5, 0.5]],
  [
    'an idle one keeps an even part, and takes none from the others',
    [4, 0, 12],
    [0.25, 1 / 3, 0.75],
  ],
] as const;

describe('a limit', () => {
  for (const [name, demand, shares] of cases) {
    it(name, () => {
      const total = demand.reduce((sum: number, mine) => sum + mine, 0);
      const parts = demand.map((mine) => shareOf({ mine, total }, demand.length));
      assert.deepEqual(parts, shares);
    });
  }

  it('is never let through more than once by all that saw demand', () => {
    fc.assert(
      fc.property(fc.array(fc.maxSafeNat(), { minLength: 1, maxLength: 50 }), (demand) => {
        const total = demand.reduce((sum, mine) => sum + mine, 0);
        const busy = demand.filter((mine) => mine > 0);
        const parts = busy.map((mine) => shareOf({ mine, total }, demand.length));
        const sum = parts.reduce((sum, part) => sum + part, 0);
        assert.ok(sum <= 1 + 1e-9 && parts.every((part) => part > 0 && part <= 1));
      }),
    );
  });

  it('is let through at most twice in a spike that nobody is prepared for', () => {
    for (let live = 1; live <= 100; live++) {
      const first = firstShare(live);
      assert.ok(first > 0 && first <= 1);
      // It meets all of them, or some of them while others already divide the limit.
      for (let unprepared = 0; unprepared < live; unprepared++) {
        assert.ok(live * first <= 2 && 1 + unprepared * first <= 2 + 1e-9, `${live} replicas`);
      }
    }
  });
});
