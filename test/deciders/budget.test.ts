// Tests commands on the budget of a principal.

import { describe, it } from 'node:test';

import { principalId } from '../../src/lib/ids.ts';
import type { BudgetWindow } from '../../src/lib/vocabulary.ts';
import {
  budgetCleared,
  budgetSet,
  limitsCleared,
  limitsSet,
  plainName,
  principalCreated,
  principalDeleted,
} from '../harness/events/examples.ts';
import { given } from '../harness/events/test-log.ts';

const id = principalId.parse(1);
const ci = principalCreated(1, plainName('ci'));

type Facts = { tokens?: number; costMicros?: number; window?: BudgetWindow; used?: number };

const set = ({ tokens, costMicros, window, used }: Facts) =>
  ({
    type: 'SetBudget',
    id,
    tokensTotal: tokens ?? null,
    costTotalMicros: costMicros ?? null,
    window,
    initialTokensUsed: used ?? 0,
  }) as const;
const clear = { type: 'ClearBudget', id } as const;

describe('the budget of a principal', () => {
  it('caps tokens, money or both', () => {
    for (const caps of [{ tokens: 1 }, { costMicros: 2 }, { tokens: 1, costMicros: 2 }]) {
      given([ci])
        .when(set({ ...caps, window: 'daily' }))
        .yields([budgetSet(1, { ...caps, window: 'daily' })]);
    }
  });

  it('is monthly by default, and keeps its window when changed', () => {
    given([ci])
      .when(set({ tokens: 5 }))
      .yields([budgetSet(1, { tokens: 5, window: 'monthly' })]);
    given([ci, budgetSet(1, { tokens: 5, window: 'daily' })])
      .when(set({ tokens: 6 }))
      .yields([budgetSet(1, { tokens: 6, window: 'daily' })]);
  });

  it('replaces both caps', () =>
    given([ci, budgetSet(1, { tokens: 5, costMicros: 7 })])
      .when(set({ costMicros: 8 }))
      .yields([budgetSet(1, { costMicros: 8 })]));

  it('set to what it is changes nothing', () =>
    given([ci, budgetSet(1, { tokens: 5, window: 'weekly' })])
      .when(set({ tokens: 5, window: 'weekly', used: 9 }))
      .yields([]));

  it('takes calendar windows, with the fixed window of about the same length', () => {
    for (const [unit, window] of [
      ['day', 'daily'],
      ['week', 'weekly'],
      ['month', 'monthly'],
    ] as const) {
      const calendar = { unit, time_zone: 'Europe/Zurich' };
      given([ci])
        .when({ ...set({ tokens: 5 }), calendar })
        .yields([budgetSet(1, { tokens: 5, window, calendar })]);
    }
  });

  it('keeps its calendar and alerts when changed, and removes them on request', () => {
    const calendar = { unit: 'day', time_zone: 'UTC' } as const;
    const held = { tokens: 5, window: 'daily', calendar, alertAtPercent: [50, 80] } as const;
    const on = given([ci, budgetSet(1, held)]);
    on.when(set({ tokens: 6 })).yields([budgetSet(1, { ...held, tokens: 6 })]);
    on.when(set({ tokens: 6, window: 'daily' })).yields([budgetSet(1, { ...held, tokens: 6 })]);
    on.when({ ...set({ tokens: 5 }), calendar: null, alertAtPercent: [] }).yields([
      budgetSet(1, { tokens: 5, window: 'daily' }),
    ]);
    on.when({ ...set({ tokens: 5 }), calendar, alertAtPercent: [50, 80] }).yields([]);
  });

  it('replaces a calendar by a window of another length', () => {
    const calendar = { unit: 'day', time_zone: 'UTC' } as const;
    given([ci, budgetSet(1, { tokens: 5, window: 'daily', calendar })])
      .when(set({ tokens: 5, window: 'weekly' }))
      .yields([budgetSet(1, { tokens: 5, window: 'weekly' })]);
  });

  it('refuses a window that does not match the calendar', () =>
    given([ci])
      .when({
        ...set({ tokens: 5, window: 'daily' }),
        calendar: { unit: 'month', time_zone: 'UTC' },
      })
      .refuses(
        'invalid',
        /window is daily; with calendar.unit month it must be monthly/,
        'window',
      ));

  it('without a cap is refused', () =>
    given([ci])
      .when(set({ window: 'daily' }))
      .refuses('invalid', /tokens_total or cost_total_micros must be set/, 'tokens_total'));

  it('starts with the stated amount spent, and ignores it later', () => {
    given([ci])
      .when(set({ tokens: 5, used: 3 }))
      .yields([budgetSet(1, { tokens: 5, initialTokensUsed: 3 })]);
    given([ci, budgetSet(1, { tokens: 5, initialTokensUsed: 3 })])
      .when(set({ tokens: 6, used: 4 }))
      .yields([budgetSet(1, { tokens: 6 })]);
    given([ci, budgetSet(1, { tokens: 5 }), budgetCleared(1)])
      .when(set({ tokens: 6, used: 4 }))
      .yields([budgetSet(1, { tokens: 6, initialTokensUsed: 4 })]);
  });

  it('is cleared, once', () => {
    given([ci, budgetSet(1, { tokens: 5 })])
      .when(clear)
      .yields([budgetCleared(1)]);
    given([ci])
      .when(clear)
      .refuses('absent', /principal 1 has no budget/);
  });

  it('needs a principal', () => {
    for (const command of [set({ tokens: 5 }), clear]) {
      given([])
        .when(command)
        .refuses('absent', /principal 1 does not exist/);
    }
  });
});

it('limits and budget go with their principal, event by event', () =>
  given([ci, limitsSet(1, 60), budgetSet(1, { tokens: 5 })])
    .when({ type: 'DeletePrincipal', id })
    .yields([limitsCleared(1), budgetCleared(1), principalDeleted(1)]));
