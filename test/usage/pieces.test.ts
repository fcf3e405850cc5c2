// Tests that the pieces of a time range cover it once, from the coarsest sums that fit.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { coarsestIn, piecesOf, sumPrecisions } from '../../src/usage/pieces.ts';
import type { Division } from '../../src/usage/pieces.ts';

const at = (text: string): number => Date.parse(text);
const always: Division = { coarsest: 'month', minutesFrom: 0, rowsFrom: 0 };

const shown = (from: number, to: number, division: Division): string[] =>
  piecesOf({ from, to }, division).map(
    (piece) => `${piece.precision} ${textOf(piece.from)} ${textOf(piece.to)}`,
  );

const textOf = (ms: number): string =>
  Number.isFinite(ms) ? new Date(ms).toISOString().replace(':00.000Z', '') : String(ms);

describe('the pieces of a time range', () => {
  it('are months, and finer pieces at both ends', () => {
    const found = shown(at('2026-01-19T16:53:30Z'), at('2026-04-12T07:06:10Z'), always);
    assert.deepEqual(found, [
      'row 2026-01-19T16:53:30.000Z 2026-01-19T16:54',
      'minute 2026-01-19T16:54 2026-01-19T16:55',
      'five_minutes 2026-01-19T16:55 2026-01-19T17:00',
      'hour 2026-01-19T17:00 2026-01-19T18:00',
      'six_hours 2026-01-19T18:00 2026-01-20T00:00',
      'day 2026-01-20T00:00 2026-01-21T00:00',
      'ten_days 2026-01-21T00:00 2026-02-01T00:00',
      'month 2026-02-01T00:00 2026-04-01T00:00',
      'ten_days 2026-04-01T00:00 2026-04-11T00:00',
      'day 2026-04-11T00:00 2026-04-12T00:00',
      'six_hours 2026-04-12T00:00 2026-04-12T06:00',
      'hour 2026-04-12T06:00 2026-04-12T07:00',
      'five_minutes 2026-04-12T07:00 2026-04-12T07:05',
      'minute 2026-04-12T07:05 2026-04-12T07:06',
      'row 2026-04-12T07:06 2026-04-12T07:06:10.000Z',
    ]);
  });

  it('are never coarser than the buckets of a series', () => {
    const seconds = [1, 60, 300, 900, 3_600, 21_600, 86_400, 604_800];
    assert.deepEqual(
      seconds.map((width) => coarsestIn(width * 1000)),
      ['row', 'minute', 'five_minutes', 'five_minutes', 'hour', 'six_hours', 'day', 'day'],
    );
  });

  it('are one piece without bounds', () => {
    assert.deepEqual(shown(-Infinity, Infinity, always), ['month -Infinity Infinity']);
  });

  it('are rows where there are no minutes', () => {
    const division = { ...always, minutesFrom: at('2026-03-01T00:00:00Z') };
    assert.deepEqual(shown(at('2026-02-01T10:50:00Z'), at('2026-02-01T12:00:00Z'), division), [
      'row 2026-02-01T10:50 2026-02-01T11:00',
      'hour 2026-02-01T11:00 2026-02-01T12:00',
    ]);
  });

  it('have each hour without rows in the range in which it begins', () => {
    const division = { ...always, rowsFrom: at('2026-03-01T00:00:00Z') };
    const [a, b, c] = [
      at('2026-02-01T10:50:00Z'),
      at('2026-02-01T11:30:00Z'),
      at('2026-02-01T11:40:00Z'),
    ];
    assert.deepEqual(shown(a, b, division), ['hour 2026-02-01T11:00 2026-02-01T12:00']);
    assert.deepEqual(shown(b, c, division), []);
  });

  it('cover any range once', () => {
    const precisions = [...sumPrecisions, 'row'] as const;
    for (let seed = 0; seed < 500; seed++) {
      const from = at('2026-01-01T00:00:00Z') + seed * 7_654_321_123;
      const to = from + ((seed * 982_451_653) % 9_000_000_000);
      const coarsest = precisions[seed % precisions.length] ?? 'row';
      const pieces = piecesOf({ from, to }, { ...always, coarsest });
      let place = from;
      for (const piece of pieces) {
        assert.equal(piece.from, place);
        assert.ok(piece.to > piece.from);
        place = piece.to;
      }
      assert.equal(pieces.length === 0 ? to : place, to);
    }
  });
});
