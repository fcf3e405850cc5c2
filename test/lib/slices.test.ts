// Tests that long work yields at the end of its slice and not before.

import assert from 'node:assert/strict';
import { it } from 'node:test';

import { createYieldTurn } from '../../src/lib/slices.ts';

it('yields once per slice', async () => {
  let nowMs = 0;
  let turns = 0;
  const yieldTurn = createYieldTurn(() => nowMs);
  const turn = (): void => {
    turns += 1;
    next = setImmediate(turn);
  };
  let next = setImmediate(turn);
  for (let work = 0; work < 100; work++) {
    nowMs += 1;
    await yieldTurn();
  }
  clearImmediate(next);
  // A hundred milliseconds of work in slices of ten.
  assert.ok(turns >= 9 && turns <= 11, `${turns} turns`);
});
