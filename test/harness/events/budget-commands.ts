// Draws commands on budgets and their temporary increases.

import * as fc from 'fast-check';

import type { Command } from '../../../src/deciders/decide.ts';
import type { PrincipalId } from '../../../src/lib/ids.ts';
import { budgetWindow, calendarUnit } from '../../../src/lib/vocabulary.ts';

type Of<Type extends Command['type']> = fc.Arbitrary<Extract<Command, { type: Type }>>;

const number = fc.integer({ min: 1, max: 5 });
const optional = <Value>(arbitrary: fc.Arbitrary<Value>) =>
  fc.option(arbitrary, { nil: undefined });
const nullable = <Value>(arbitrary: fc.Arbitrary<Value>) => fc.option(arbitrary, { nil: null });
const calendars = fc.record({
  unit: fc.constantFrom(...calendarUnit.options),
  time_zone: fc.constantFrom('UTC', 'Europe/Zurich', 'Pacific/Apia'),
});

export const budgetCommands = (principal: fc.Arbitrary<PrincipalId>) => [
  fc.record({
    type: fc.constant('SetBudget'),
    id: principal,
    tokensTotal: nullable(number),
    costTotalMicros: nullable(number),
    window: optional(fc.constantFrom(...budgetWindow.options)),
    calendar: optional(nullable(calendars)),
    alertAtPercent: optional(fc.constantFrom([], [50], [50, 80, 100])),
    initialTokensUsed: number,
  }) satisfies Of<'SetBudget'>,
  fc.record({ type: fc.constant('ClearBudget'), id: principal }) satisfies Of<'ClearBudget'>,
  fc.record({
    type: fc.constant('IncreaseBudget'),
    id: principal,
    tokens: nullable(number),
    costMicros: nullable(number),
    reasonRef: fc.constant('00000000-0000-4000-8000-000000000777'),
    startsAt: fc.constant('1970-01-01T00:00:00.000Z'),
    endsAt: fc.constantFrom('1970-01-02T00:00:00.000Z', '1970-01-03T00:00:00.000Z'),
    now: fc.constant(0),
  }) satisfies Of<'IncreaseBudget'>,
  fc.record({
    type: fc.constant('RemoveBudgetIncrease'),
    id: principal,
    increaseId: fc.integer({ min: 1, max: 3 }),
  }) satisfies Of<'RemoveBudgetIncrease'>,
  fc.record({
    type: fc.constant('EndBudgetIncreases'),
    now: fc.constantFrom(0, 86_400_000),
  }) satisfies Of<'EndBudgetIncreases'>,
];
