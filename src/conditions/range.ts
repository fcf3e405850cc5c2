// Conditions with an inclusive lower and upper bound.

import { amountOf, unknownAmount } from './asked.ts';
import type { Amount } from './asked.ts';
import { unbounded } from './condition.ts';
import type { CompiledCondition, Phrase } from './condition.ts';

type Bounds = Readonly<{ least: number | null; most: number | null }>;

/** `name` has no prefix `min_` or `max_`. A single bound already excludes unknown amounts. */
export function compileRange(
  name: string,
  { least, most }: Bounds,
  amount: Amount,
): CompiledCondition | null {
  if (least === null && most === null) return null;
  const min = least ?? 0;
  const max = most ?? unbounded;
  return {
    holds: { amount, min, max },
    failed: (asked) => {
      const value = amountOf(asked, amount);
      const isUnknown = value === unknownAmount && max !== unbounded;
      return [value >= min || isUnknown ? `max_${name}` : `min_${name}`];
    },
  };
}

export function rangePhrases(
  { least, most }: Bounds,
  textOf: (range: string) => string,
  format: (value: number) => string,
): readonly Phrase[] {
  if (least !== null && most !== null) {
    const range = least === most ? `= ${format(least)}` : `${format(least)} to ${format(most)}`;
    return [{ text: textOf(range) }];
  }
  if (least !== null) return [{ text: textOf(`≥ ${format(least)}`) }];
  return most === null ? [] : [{ text: textOf(`≤ ${format(most)}`) }];
}
