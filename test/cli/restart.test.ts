// Holds what follows the death of a worker, life by life.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { afterDeath } from '../../src/cli/workers/restart.ts';
import type { Verdict } from '../../src/cli/workers/restart.ts';

const minute = 60_000;

/** The pauses after lives of these lengths, and how it ended. */
function pauses(lives: readonly number[]): readonly (number | 'give_up')[] {
  let shortLives = 0;
  return lives.map((livedMs) => {
    const verdict: Verdict = afterDeath(livedMs, shortLives);
    if (verdict.kind === 'give_up') return 'give_up';
    shortLives = verdict.shortLives;
    return verdict.afterMs;
  });
}

test('each short life makes the pause twice as long, and the sixth is the last', () => {
  assert.deepEqual(pauses([0, 10, 20, 30, 40, 50]), [100, 200, 400, 800, 1600, 'give_up']);
});

test('a long life ends the row', () => {
  const lives = [0, 0, 0, 0, 0, minute, 0, 0];
  assert.deepEqual(pauses(lives), [100, 200, 400, 800, 1600, 100, 200, 400]);
});
