// Tests the bars of histograms.

import assert from 'node:assert/strict';
import { it } from 'node:test';

import { drawnBars, heightsOf } from '../../bars.ts';
import type { Bar } from '../../bars.ts';

const bar = (from: number, below: number | null, requests: number, failed = 0): Bar => ({
  from,
  below,
  requests,
  failed,
});

const sum = (of: readonly Readonly<{ requests: number }>[]): number =>
  of.reduce((total, { requests }) => total + requests, 0);

it('draws the bars from the first to the last with requests', () => {
  const bars = [bar(0, 1, 0), bar(1, 2, 3), bar(2, 5, 0), bar(5, 10, 1), bar(10, 20, 0)];
  assert.deepEqual(
    drawnBars(bars).map(({ from }) => from),
    [1, 2, 5],
  );
  assert.deepEqual(drawnBars([]), []);
});

it('has the bars of both groups', () => {
  const drawn = drawnBars([bar(1, 2, 3, 1)], [bar(2, 5, 4), bar(5, null, 1)]);
  assert.deepEqual(drawn, [
    { from: 1, below: 2, requests: 3, failed: 1, other: 0 },
    { from: 2, below: 5, requests: 0, failed: 0, other: 4 },
    { from: 5, below: null, requests: 0, failed: 0, other: 1 },
  ]);
});

it('merges the lowest bars if there are many, and loses no request', () => {
  const bars = Array.from({ length: 14 }, (_, at) => bar(2 ** at, 2 ** (at + 1), at + 1, 1));
  const drawn = drawnBars(bars);
  assert.equal(drawn.length, 10);
  assert.deepEqual(drawn[0], { from: 0, below: 32, requests: 15, failed: 5, other: 0 });
  assert.equal(sum(drawn), sum(bars));
});

it('makes the highest bar full, and compares groups of different sizes by share', () => {
  const heights = heightsOf(
    drawnBars([bar(1, 2, 1), bar(2, 5, 3, 3)], [bar(1, 2, 75), bar(2, 5, 25)]),
  );
  assert.deepEqual(
    heights.map(({ requests, failed, other }) => [requests, failed, other]),
    [
      [1 / 3, 0, 1],
      [1, 1, 1 / 3],
    ],
  );
});
