// The buckets of a series cover its time, aligned, without gaps, and are never too many.

import assert from 'node:assert/strict';
import { it } from 'node:test';

import * as fc from 'fast-check';

import { bucketsMax, bucketsOf, bucketWidths } from '../../src/usage/buckets.ts';

const second = 1000;
const day = 86_400 * second;

const cases: readonly (readonly [string, number, number, number, readonly number[] | null])[] = [
  ['a day, of five minutes', 0, day, 1, [300, 288]],
  ['two hours, of the narrowest', 0, 7_200 * second, 1, [10, 720]],
  ['two hours and a little, of the next', 0, 7_200 * second + 1, 1, [30, 241]],
  ['a width between two is widened', 0, day, 301, [900, 96]],
  ['a width on the ladder stays', 0, day, 3600, [3600, 24]],
  ['a time between boundaries touches one more', 5 * second, 15 * second, 1, [10, 2]],
  ['one millisecond has one', 7, 8, 1, [10, 1]],
  ['the longest', 0, 720 * 30 * day, 1, [2_592_000, 720]],
  ['longer than the longest', 0, 720 * 30 * day + 1, 1, null],
  ['wider than the widest', 0, day, 2_592_001, null],
];
for (const [what, sinceMs, untilMs, asked, expected] of cases) {
  it(`buckets of ${what}`, () => {
    const found = bucketsOf({ sinceMs, untilMs }, asked);
    assert.deepEqual(found === null ? null : [found.widthMs / 1000, found.count], expected);
  });
}

it('buckets cover the time range, and none is outside it', () => {
  const time = fc.integer({ min: 0, max: 4_000_000_000_000 });
  fc.assert(
    fc.property(time, time, fc.integer({ min: 1, max: 3_000_000 }), (one, other, asked) => {
      const [sinceMs, untilMs] = one < other ? [one, other] : [other, one + 1];
      const found = bucketsOf({ sinceMs, untilMs }, asked);
      if (found === null) {
        return assert.ok(asked > 2_592_000 || untilMs - sinceMs > 719 * 30 * day);
      }
      const { widthMs, startMs, count } = found;
      const endMs = startMs + widthMs * count;
      assert.equal(startMs % widthMs, 0);
      assert.ok(startMs <= sinceMs && startMs + widthMs > sinceMs);
      assert.ok(endMs >= untilMs && endMs - widthMs < untilMs);
      assert.ok(count <= bucketsMax && widthMs >= asked * second);
      assert.ok(bucketWidths.some((width) => width * second === widthMs));
    }),
  );
});
