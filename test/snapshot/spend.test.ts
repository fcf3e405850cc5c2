// Tests the used share of budgets: percentages for rules, and the cap that a refusal names.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import * as fc from 'fast-check';

import { percentSpent, reachedCap } from '../../src/snapshot/spend.ts';

const caps = (tokens: number | null, money: number | null) => ({
  tokens_total: tokens,
  cost_total_micros: money,
});
const spent = (tokens: number, money: number) => ({ tokens_used: tokens, cost_used_micros: money });

// Columns: caps, spend, expected percentage, exhausted cap.
const cases = [
  [caps(100, null), spent(0, 0), 0, null],
  [caps(100, null), spent(29, 999), 29, null],
  [caps(1000, null), spent(999, 0), 99, null],
  [caps(100, null), spent(100, 0), 100, 'tokens'],
  [caps(100, null), spent(150, 0), 150, 'tokens'],
  [caps(100, null), spent(1000, 0), 255, 'tokens'],
  [caps(null, 100), spent(999, 50), 50, null],
  [caps(null, 100), spent(999, 100), 100, 'money'],
  [caps(100, 1000), spent(10, 900), 90, null],
  [caps(100, 1000), spent(95, 900), 95, null],
  [caps(100, 1000), spent(100, 1000), 100, 'tokens'],
  [caps(100, 1000), spent(99, 1000), 100, 'money'],
  [caps(null, null), spent(5, 5), -1, null],
  [caps(0, null), spent(0, 0), 255, 'tokens'],
  [caps(Number.MAX_SAFE_INTEGER, null), spent(Number.MAX_SAFE_INTEGER - 1, 0), 99, null],
] as const;

describe('a budget', () => {
  for (const [given, used, percent, cap] of cases) {
    it(`${JSON.stringify([given, used])} is at ${percent} percent, ${cap ?? 'none'} reached`, () => {
      assert.equal(percentSpent(given, used), percent);
      assert.equal(reachedCap(given, used)?.cap ?? null, cap);
    });
  }

  it('is at 100 percent or more exactly when a cap is reached', () => {
    const amount = fc.maxSafeNat();
    const cap = fc.option(fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER }), { nil: null });
    fc.assert(
      fc.property(cap, cap, amount, amount, (tokens, money, tokensUsed, moneyUsed) => {
        const [held, used] = [caps(tokens, money), spent(tokensUsed, moneyUsed)];
        assert.equal(percentSpent(held, used) >= 100, reachedCap(held, used) !== null);
      }),
    );
  });
});
