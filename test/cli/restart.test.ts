// Tests what happens after each death of a worker.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { afterDeath } from '../../src/cli/workers/restart.ts';
import type { Verdict } from '../../src/cli/workers/restart.ts';

const minute = 60_000;

/** The pauses after worker lives of these lengths (in ms), and the outcome. */
function pauses(lives: readonly number[]): readonly (number | 'give_up')[] {
  let shortLives = 0;
  return lives.map((livedMs) => {
    const verdict: Verdict = afterDeath(livedMs, shortLives);
    if (verdict.kind === 'give_up') return 'give_up';
    shortLives = verdict.shortLives;
    return verdict.afterMs;
  });
}

test('doubles the pause after each short life, and gives up after the sixth', () => {
  assert.deepEqual(pauses([0, 10, 20, 30, 40, 50]), [100, 200, 400, 800, 1600, 'give_up']);
});

test('resets the pause after a long life', () => {
  const lives = [0, 0, 0, 0, 0, minute, 0, 0];
  assert.deepEqual(pauses(lives), [100, 200, 400, 800, 1600, 100, 200, 400]);
});
