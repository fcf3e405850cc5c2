// Tests when the spending of an hour is an anomaly.

import assert from 'node:assert/strict';
import { it } from 'node:test';

import * as fc from 'fast-check';

import { anomalousAgainst, baselineDays } from '../../src/limits/anomalies.ts';

const days = (count: number, micros: number): number[] => Array<number>(count).fill(micros);
const limits = { factor: 3, floorMicros: 100 };

// the rule, spent, the days before, the median of an anomaly
const cases = [
  ['three times the median is not', 300, days(14, 100), null],
  ['more than three times the median is', 301, days(14, 100), 100],
  ['the median is between the two middle days', 451, [...days(7, 100), ...days(7, 200)], 150],
  ['that same median times the factor is not', 450, [...days(7, 100), ...days(7, 200)], null],
  ['one day with high spending does not change the median', 301, [...days(13, 100), 9e9], 100],
  ['days without spending count as zero', 100, days(6, 1000), 0],
  ['half of the days count with half of their spending', 1501, days(7, 1000), 500],
  ['without any spending before, the floor is', 100, [], 0],
  ['below the floor is not', 99, [], null],
  ['below the floor is not, at any factor of the median', 99, days(14, 1), null],
  ['corrections below zero are less than no spending', 100, days(14, -5), -5],
] as const;

for (const [rule, spent, before, median] of cases) {
  it(`of an hour: ${rule}`, () => {
    assert.equal(anomalousAgainst({ spent, before }, limits), median);
  });
}

const amount = fc.nat(1_000_000);
const given = fc.record({
  before: fc.array(amount, { maxLength: baselineDays }),
  factor: fc.integer({ min: 1, max: 100 }),
  floorMicros: amount,
  spent: amount,
});

it('does not depend on the order of the days, nor on whether empty days are listed', () => {
  fc.assert(
    fc.property(given, ({ before, spent, ...bounds }) => {
      const expected = anomalousAgainst({ spent, before }, bounds);
      const listed = [...before, ...days(baselineDays - before.length, 0)].toReversed();
      assert.equal(anomalousAgainst({ spent, before: listed }, bounds), expected);
    }),
  );
});

it('stays an anomaly while the hour goes on, and with a lower factor or floor', () => {
  fc.assert(
    fc.property(given, amount, ({ before, spent, factor, floorMicros }, more) => {
      const isAnomaly = anomalousAgainst({ spent, before }, { factor, floorMicros }) !== null;
      const later = { spent: spent + more, before };
      const lower = { factor: Math.max(1, factor - more), floorMicros: floorMicros - more };
      assert.ok(!isAnomaly || anomalousAgainst(later, { factor, floorMicros }) !== null);
      assert.ok(!isAnomaly || anomalousAgainst({ spent, before }, lower) !== null);
    }),
  );
});

it('has at least half of the days at or below its median', () => {
  fc.assert(
    fc.property(given, ({ before, spent, ...bounds }) => {
      const median = anomalousAgainst({ spent, before }, bounds);
      if (median === null) return;
      const above = before.filter((micros) => micros > median).length;
      assert.ok(above <= baselineDays / 2 && spent > bounds.factor * median);
    }),
  );
});
