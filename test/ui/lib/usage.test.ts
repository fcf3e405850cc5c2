// Holds what the screen of usage and spend makes of sums, and how it cuts time.

import assert from 'node:assert/strict';
import { it } from 'node:test';

import { bucketSecondsOf, edgesBefore, isoEdges } from '../../../ui/lib/range.ts';
import { comparedText, rangeOfDay, readGrouping, rowFilterOf } from '../../../ui/lib/usage.ts';

it('a group is found again in the single rows, where anything can ask for it', () => {
  const principals = [{ id: 7, name: 'search' }];
  assert.deepEqual(rowFilterOf('model', 'gpt', principals), { model: 'gpt' });
  assert.deepEqual(rowFilterOf('principal', 'search', principals), { principal_id: 7 });
  assert.equal(rowFilterOf('principal', 'gone', principals), null);
  assert.equal(rowFilterOf('tag', null, principals), null);
  assert.equal(rowFilterOf('day', '2026-11-21', principals), null);
});

it('a day is a half-open range of UTC', () => {
  assert.equal(rangeOfDay('2026-11-21'), '2026-11-21T00:00:00.000Z/2026-11-22T00:00:00.000Z');
  assert.equal(rangeOfDay('soon'), null);
});

it('the range before ends where this one begins, and is as long', () => {
  const edges = { since: Date.UTC(2026, 10, 2), until: Date.UTC(2026, 10, 4) };
  assert.deepEqual(isoEdges(edgesBefore(edges)), {
    since: '2026-10-31T00:00:00.000Z',
    until: '2026-11-02T00:00:00.000Z',
  });
});

const hours = (count: number): number => bucketSecondsOf({ since: 0, until: count * 3_600_000 });

it('a chart has at most 170 buckets', () => {
  assert.deepEqual([hours(1), hours(24), hours(7 * 24), hours(30 * 24)], [30, 900, 3_600, 21_600]);
});

it('a total is compared with what was there, and with nothing else', () => {
  assert.equal(comparedText(12, 10), '+20 % on before');
  assert.equal(comparedText(5, 10), '−50 % on before');
  assert.equal(comparedText(100_001, 100_000), 'about as before');
  assert.equal(comparedText(5, 0), '');
  assert.equal(comparedText(null, 10), '');
});

it('a grouping that is none is that of models', () => {
  assert.equal(readGrouping('day'), 'day');
  assert.equal(readGrouping('colour'), 'model');
});
