// Tests which alerts of a budget are due.

import assert from 'node:assert/strict';
import { it } from 'node:test';

import * as fc from 'fast-check';

import { dueAlerts } from '../../src/limits/alerts.ts';

const none = { tokens: 0, money: 0 };
const tokens = (used: number) => ({ tokens_used: used, cost_used_micros: 0 });
const capped = { tokens_total: 1000, cost_total_micros: null };

// percentages, tokens used of 1,000, highest alerted -> the alerts
const cases = [
  [[50, 80], 499, 0, []],
  [[50, 80], 500, 0, [50]],
  [[50, 80], 500, 50, []],
  [[50, 80], 799, 50, []],
  [[50, 80], 5000, 0, [50, 80, 100]],
  [[50, 80], 5000, 80, [100]],
  [[], 999, 0, []],
  [[], 1000, 0, [100]],
  [[100], 1000, 0, [100]],
  [[100], 2000, 100, []],
  // A percentage that was added below an alerted one is not due in this window.
  [[30, 80], 900, 80, []],
] as const;

for (const [percents, used, alerted, due] of cases) {
  it(`alerts ${due.join(', ') || 'nothing'} at ${used} of 1000 after ${alerted} %, with [${percents.join(', ')}]`, () => {
    const reading = { caps: capped, spent: tokens(used), alerted: { tokens: alerted, money: 0 } };
    assert.deepEqual(
      dueAlerts(percents, reading).map(({ percent }) => percent),
      due,
    );
  });
}

it('alerts tokens and money separately, with amounts', () => {
  const caps = { tokens_total: 10, cost_total_micros: 200 };
  const spent = { tokens_used: 5, cost_used_micros: 200 };
  assert.deepEqual(dueAlerts([50], { caps, spent, alerted: { tokens: 0, money: 50 } }), [
    { kind: 'tokens', percent: 50, spent: 5, cap: 10 },
    { kind: 'money', percent: 100, spent: 200, cap: 200 },
  ]);
});

it('alerts each percentage once while spending grows, however it is divided into batches', () => {
  const percents = fc.uniqueArray(fc.integer({ min: 1, max: 100 }), { maxLength: 10 });
  fc.assert(
    fc.property(percents, fc.array(fc.nat(400), { maxLength: 20 }), (given, batches) => {
      const sorted = given.toSorted((a, b) => a - b);
      const alerted: number[] = [];
      let used = 0;
      for (const batch of batches) {
        used += batch;
        const highest = { ...none, tokens: alerted.at(-1) ?? 0 };
        const due = dueAlerts(sorted, { caps: capped, spent: tokens(used), alerted: highest });
        alerted.push(...due.map(({ percent }) => percent));
      }
      const expected = [...new Set([...sorted, 100])].filter((percent) => used >= percent * 10);
      assert.deepEqual(alerted, expected);
    }),
  );
});
