// Compiles the conditions of a rule once per snapshot, so that rules are evaluated without
// allocation.

import { amountOf } from './asked.ts';
import type { Amount, Asked } from './asked.ts';
import { unbounded } from './condition.ts';
import type { CompiledCondition, RuleContext } from './condition.ts';
import { byEffort } from './table.ts';
import type { ConditionValues } from './table.ts';

/** Engines read one object shape for all conditions fastest. */
export type Test = Readonly<{
  /** -1 when `holds` decides. */
  amount: Amount | -1;
  min: number;
  max: number;
  holds: (asked: Asked) => boolean;
}>;

export type RuleCondition = Omit<CompiledCondition, 'holds'> & Readonly<{ test: Test }>;

/** Cheapest first. */
export const compileConditions = (
  values: ConditionValues,
  rule: RuleContext,
): readonly RuleCondition[] =>
  byEffort.flatMap((one) => {
    const compiled = one.compile(values, rule);
    return compiled === null ? [] : [{ ...compiled, test: testOf(compiled) }];
  });

const testOf = ({ holds }: CompiledCondition): Test =>
  typeof holds === 'function'
    ? { amount: -1, min: 0, max: unbounded, holds }
    : { ...holds, holds: always };

const always = (): boolean => true;

export const noTest: Test = { amount: -1, min: 0, max: unbounded, holds: always };

export function passes({ amount, min, max, holds }: Test, asked: Asked): boolean {
  if (amount === -1) return holds(asked);
  const value = amountOf(asked, amount);
  return value >= min && (max === unbounded || value <= max);
}
