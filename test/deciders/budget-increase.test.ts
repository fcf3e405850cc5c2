// Tests commands on temporary increases of a budget.

import { describe, it } from 'node:test';

import { principalId } from '../../src/lib/ids.ts';
import {
  budgetCleared,
  budgetIncreased,
  budgetIncreaseEnded,
  budgetSet,
  plainName,
  principalCreated,
} from '../harness/events/examples.ts';
import { given, testRef } from '../harness/events/test-log.ts';

const id = principalId.parse(1);
const ci = principalCreated(1, plainName('ci'));
const budget = budgetSet(1, { tokens: 1000 });
const now = Date.parse('2026-11-23T12:00:00Z');

const increase = (facts: { tokens?: number; cost?: number; from?: string; until?: string } = {}) =>
  ({
    type: 'IncreaseBudget',
    id,
    tokens: facts.tokens ?? null,
    costMicros: facts.cost ?? null,
    reasonRef: testRef(1),
    startsAt: facts.from ?? '2026-11-23T12:00:00.000Z',
    endsAt: facts.until ?? '2026-12-01T00:00:00.000Z',
    now,
  }) as const;

describe('an increase of a budget', () => {
  it('gets the next number of its budget, which is not used again', () => {
    given([ci, budget])
      .when(increase({ tokens: 5 }))
      .yields([budgetIncreased(1, 1, 5)]);
    given([ci, budget, budgetIncreased(1, 1, 5), budgetIncreaseEnded(1, 1)])
      .when(increase({ tokens: 6 }))
      .yields([budgetIncreased(1, 2, 6)]);
  });

  it('is removed before its end, once', () => {
    const on = given([ci, budget, budgetIncreased(1, 1, 5)]);
    on.when({ type: 'RemoveBudgetIncrease', id, increaseId: 1 }).yields([
      budgetIncreaseEnded(1, 1),
    ]);
    on.when({ type: 'RemoveBudgetIncrease', id, increaseId: 2 }).refuses(
      'absent',
      /has no increase 2/,
    );
  });

  it('is ended by the program once its end has passed', () => {
    const on = given([ci, budget, budgetIncreased(1, 1, 5)]);
    const end = Date.parse('2026-12-01T00:00:00.000Z');
    on.when({ type: 'EndBudgetIncreases', now: end - 1 }).yields([]);
    on.when({ type: 'EndBudgetIncreases', now: end }).yields([budgetIncreaseEnded(1, 1)]);
  });

  it('stays when the caps change, and ends with its budget', () => {
    const end = Date.parse('2027-01-01T00:00:00Z');
    const increased = [ci, budget, budgetIncreased(1, 1, 5)];
    given([...increased, budgetSet(1, { tokens: 9 })])
      .when({ type: 'EndBudgetIncreases', now: end })
      .yields([budgetIncreaseEnded(1, 1)]);
    given([...increased, budgetCleared(1), budget])
      .when({ type: 'EndBudgetIncreases', now: end })
      .yields([]);
  });

  it('is refused without an amount, for a missing cap, and with wrong times', () => {
    const on = given([ci, budget]);
    const year = '2027-11-25T12:00:00.000Z';
    on.when(increase()).refuses('invalid', /tokens or cost_micros must be set/, 'tokens');
    on.when(increase({ cost: 5 })).refuses('invalid', /no cost_total_micros/, 'cost_micros');
    on.when(increase({ tokens: 5, until: '2026-11-23T12:00:00.000Z' })).refuses(
      'invalid',
      /is in the past/,
      'ends_at',
    );
    on.when(
      increase({
        tokens: 5,
        from: '2026-12-02T00:00:00.000Z',
        until: '2026-12-01T00:00:00.000Z',
      }),
    ).refuses('invalid', /must be after starts_at/, 'ends_at');
    on.when(increase({ tokens: 5, until: year })).refuses('invalid', /the latest is/, 'ends_at');
    given([ci])
      .when(increase({ tokens: 5 }))
      .refuses('absent', /has no budget/);
  });

  it('is one of at most 8', () => {
    const eight = Array.from({ length: 8 }, (_, index) => budgetIncreased(1, index + 1, 5));
    given([ci, budget, ...eight])
      .when(increase({ tokens: 5 }))
      .refuses('invalid', /9 items; the maximum is 8/, 'increases');
  });
});
