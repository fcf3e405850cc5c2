// Tests the hours of service tiers: which texts are valid, and that hours that are written are read as the same hours.

import assert from 'node:assert/strict';
import { it } from 'node:test';

import * as fc from 'fast-check';

import { hoursWhere, isHours, isWithinHours } from '../../../src/usage/price-hours.ts';

it('refuses hours that are empty, reversed or no hours of a day', () => {
  for (const valid of ['1 00:00-00:01', '1-7 00:00-24:00', '1-5 16:30-24:00, 6-7 00:00-24:00']) {
    assert.ok(isHours(valid), valid);
  }
  for (const wrong of [
    '',
    '0 00:00-01:00',
    '8 00:00-01:00',
    '5-1 00:00-01:00',
    '1 01:00-01:00',
    '1 16:30-00:30',
    '1 23:00-24:01',
    '1 24:00-24:00',
    '1 00:60-02:00',
    '1 00:00-01:00,2 00:00-01:00',
    Array.from({ length: 65 }, () => '1 00:00-01:00').join(', '),
  ]) {
    assert.equal(isHours(wrong), false, wrong);
  }
});

const monday = Date.parse('2026-11-23T00:00:00Z');
const minuteMs = 60_000;
const weekMinutes = 7 * 1440;

it('writes hours that contain exactly the minutes that are given', () => {
  const minute = fc.integer({ min: 0, max: weekMinutes });
  fc.assert(
    fc.property(fc.array(fc.tuple(minute, minute), { maxLength: 4 }), (spans) => {
      const isOpen = (at: number): boolean => spans.some(([from, to]) => from <= at && at < to);
      const hours = hoursWhere(isOpen);
      assert.equal(isHours(hours), hours !== '');
      const edges = [0, weekMinutes - 1, ...spans.flat().flatMap((at) => [at - 1, at, at + 1])];
      for (const at of edges.filter((one) => one >= 0 && one < weekMinutes)) {
        assert.equal(isWithinHours(hours, monday + at * minuteMs), isOpen(at), `${at} in ${hours}`);
      }
    }),
    { numRuns: 50 },
  );
});
