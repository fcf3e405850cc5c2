// Tests when increased spending of a budget is reported to proxies.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import * as fc from 'fast-check';

import { noConditions } from '../../src/conditions/values.ts';
import { mustReport, marksOf } from '../../src/limits/band.ts';
import { percentSpent, reachedCap } from '../../src/snapshot/spend.ts';
import { snapshotFrontendModel } from '../../src/snapshot/schema.ts';

const caps = (tokens: number | null, money: number | null = null) => ({
  tokens_total: tokens,
  cost_total_micros: money,
});
const spent = (tokens: number, money = 0) => ({ tokens_used: tokens, cost_used_micros: money });

const asking = (range: { min?: number; max?: number }) =>
  snapshotFrontendModel.parse({
    id: 1,
    name: 'f',
    max_model_len: null,
    rules: [
      {
        id: 1,
        position: 0,
        action: 'deny',
        conditions: {
          ...noConditions,
          min_budget_used_percent: range.min ?? null,
          max_budget_used_percent: range.max ?? null,
        },
        targets: [],
        deny_status: 402,
        deny_message: null,
        jump_to: null,
        tag: null,
      },
    ],
    default_targets: [],
  });

const marks = marksOf([]);
const hundred = caps(100);

describe('spending is reported', () => {
  it('when it was never reported', () => assert.ok(mustReport(hundred, null, spent(0), marks)));

  it('not again when nothing changed', () =>
    assert.ok(!mustReport(hundred, spent(7), spent(7), marks)));

  it('every 5 percent far from the cap', () => {
    assert.ok(!mustReport(hundred, spent(10), spent(14), marks));
    assert.ok(mustReport(hundred, spent(10), spent(15), marks));
  });

  it('every percent near the cap', () => {
    assert.ok(mustReport(hundred, spent(93), spent(94), marks));
    assert.ok(!mustReport(caps(1000), spent(931), spent(939), marks));
  });

  it('at the cap, and not above it', () => {
    assert.ok(mustReport(caps(1_000_000), spent(999_999), spent(1_000_000), marks));
    assert.ok(!mustReport(hundred, spent(100), spent(190), marks));
  });

  it('when the other cap is reached as well, which the refusal then names', () =>
    assert.ok(mustReport(caps(100, 100), spent(99, 100), spent(100, 100), marks)));

  it('when it went down: the next window has begun', () => {
    assert.ok(mustReport(hundred, spent(3), spent(0), marks));
    assert.ok(mustReport(caps(100, 100), spent(3, 3), spent(4, 0), marks));
  });

  it('at the percentages that rules ask for', () => {
    assert.ok(!mustReport(hundred, spent(11), spent(12), marks));
    assert.ok(mustReport(hundred, spent(11), spent(12), marksOf([asking({ min: 12 })])));
    assert.ok(!mustReport(hundred, spent(11), spent(12), marksOf([asking({ max: 12 })])));
    assert.ok(mustReport(hundred, spent(12), spent(13), marksOf([asking({ max: 12 })])));
  });
});

it('unreported spending changes no decision of a cap or rule', () => {
  const percent = fc.integer({ min: 0, max: 100 });
  const amount = fc.integer({ min: 0, max: 1500 });
  const cap = fc.option(fc.integer({ min: 1, max: 1000 }), { nil: null });
  fc.assert(
    fc.property(
      fc.tuple(cap, cap),
      fc.tuple(amount, amount),
      fc.tuple(amount, amount),
      percent,
      ([tokens, money], reported, more, asked) => {
        const held = caps(tokens, money);
        const before = spent(...reported);
        const now = spent(reported[0] + more[0], reported[1] + more[1]);
        const frontend = [asking({ min: asked }), asking({ max: asked })];
        if (mustReport(held, before, now, marksOf(frontend))) return;
        const [knows, is] = [percentSpent(held, before), percentSpent(held, now)];
        assert.equal(reachedCap(held, before)?.cap, reachedCap(held, now)?.cap);
        assert.equal(knows >= asked, is >= asked);
        assert.equal(knows <= asked, is <= asked);
      },
    ),
  );
});
