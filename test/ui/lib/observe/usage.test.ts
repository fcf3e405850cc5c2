// Tests how the usage screen groups and compares sums, and splits time.

import assert from 'node:assert/strict';
import { it } from 'node:test';

import { groupsOf } from '../../../../ui/api/usage.ts';
import { bucketSecondsOf, edgesBefore, isoEdges } from '../../../../ui/lib/page/range.ts';
import {
  beside,
  changeText,
  comparedText,
  hiddenText,
  rangeOfDay,
  readGrouping,
  recordOf,
  rowFilterOf,
  spendFormat,
  unpricedText,
} from '../../../../ui/lib/observe/usage.ts';
import { attemptsText } from '../../../../ui/lib/observe/usage-outcome.ts';

it('links a group to its requests if the API can filter by it', () => {
  const principals = [{ id: 7, name: 'search' }];
  assert.deepEqual(rowFilterOf('model', 'gpt', principals), { model: 'gpt' });
  assert.deepEqual(rowFilterOf('principal', 'search', principals), { principal_id: 7 });
  assert.equal(rowFilterOf('principal', 'gone', principals), null);
  assert.equal(rowFilterOf('tag', null, principals), null);
  assert.equal(rowFilterOf('day', '2026-11-21', principals), null);
});

it('a day is a half-open UTC range', () => {
  assert.equal(rangeOfDay('2026-11-21'), '2026-11-21T00:00:00.000Z/2026-11-22T00:00:00.000Z');
  assert.equal(rangeOfDay('soon'), null);
});

it('the previous range has the same length and ends where this one begins', () => {
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

it('compares a total only with an existing previous value', () => {
  assert.equal(comparedText(12, 10), '+20 % vs previous period');
  assert.equal(comparedText(5, 10), '−50 % vs previous period');
  assert.equal(comparedText(100_001, 100_000), 'no change');
  assert.equal(comparedText(5, 0), '');
  assert.equal(comparedText(null, 10), '');
});

it('shows how many groups the table omits', () => {
  assert.equal(
    hiddenText({ shown: 1_000, hidden: 1_234 }),
    'The 1,000 groups with the highest spend. The totals above include the other 1,234 groups.',
  );
});

it('an attempt failed when another one followed it, or when no backend answered', () => {
  assert.equal(attemptsText({ attempts: 1, refusal: null }), '1');
  assert.equal(attemptsText({ attempts: 3, refusal: null }), '3, 2 failed');
  assert.equal(attemptsText({ attempts: 2, refusal: 'no_backend' }), '2, 2 failed');
  assert.equal(attemptsText({ attempts: 0, refusal: 'budget' }), '0');
});

it('counts all groups by the response header', () => {
  assert.equal(groupsOf(new Headers({ 'x-total-count': '2234' }), 1_000), 2_234);
  assert.equal(groupsOf(new Headers(), 7), 7);
});

it('an unknown grouping falls back to models', () => {
  assert.equal(readGrouping('day'), 'day');
  assert.equal(readGrouping('colour'), 'model');
});

it('aligns spend: exactly while all values are below a dollar, otherwise to the cent', () => {
  const little = spendFormat([60_541, 33_950, null]);
  assert.deepEqual([60_541, 33_950, 0].map(little), ['$0.060541', '$0.033950', '$0.000000']);
  const much = spendFormat([12_340_000, 500, 0]);
  assert.deepEqual([12_340_000, 500, 0].map(much), ['$12.34', '< $0.01', '$0.00']);
});

const group = (key: string | null, cost_micros: number | null) => ({ key, cost_micros });

it('shows the previous spend of a group if it is known', () => {
  const now = [group('a', 30), group('b', 5), group(null, 7), group('c', null)];
  const before = [group('a', 20), group(null, 7), group('c', 4), group('gone', 9)];
  const changes = (isWhole: boolean) => beside(now, { groups: before, isWhole }).map(changeText);
  assert.deepEqual(changes(true), ['+50.0 %', 'new', 'unchanged', '']);
  assert.deepEqual(changes(false), ['+50.0 %', '', 'unchanged', '']);
});

it('links a group to its record if its requests name one', () => {
  const row = { model_id: 4, principal_id: 7, provider_id: null, frontend_model_id: 2 };
  assert.deepEqual(recordOf('model', row)?.rest, [4]);
  assert.equal(recordOf('virtual_model', row)?.screen, 'frontend-models');
  assert.deepEqual(recordOf('principal', row)?.rest, [7]);
  assert.equal(recordOf('provider', row), null);
  assert.equal(recordOf('day', row), null);
});

it('shows how many requests have no price, and no requests are not "all priced"', () => {
  assert.equal(unpricedText({ requests: 0, unpriced: 0 }), 'no requests');
  assert.equal(unpricedText({ requests: 3, unpriced: 0 }), 'all requests priced');
  assert.equal(unpricedText({ requests: 3, unpriced: 1 }), '+ 1 unpriced request');
});
