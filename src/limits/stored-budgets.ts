// Defines the file in which a process stores the budgets of a configuration file (File mode), and adds up several such
// files.

import { z } from 'zod';

import { principalId } from '../lib/ids.ts';
import type { PrincipalId } from '../lib/ids.ts';

const amount = z.int().nonnegative().max(Number.MAX_SAFE_INTEGER);

const counted = z.object({
  /** The first window of this budget. `tokens_used` of the configuration file counts only in this window. */
  first_window_ms: z.int(),
  window_ms: z.int(),
  tokens: amount,
  cost_micros: amount,
});
/** The spending counted by one process in one window. */
export type Counted = z.output<typeof counted>;

export type StoredBudgets = ReadonlyMap<PrincipalId, Counted>;

const format = 'gw-file-budgets-v1';

const storedFile = z.object({
  format: z.literal(format),
  budgets: z.record(z.string(), counted),
});

/** Throws for a text that `writeStoredBudgets` did not write. */
export function readStoredBudgets(text: string): StoredBudgets {
  const { budgets } = storedFile.parse(JSON.parse(text));
  return new Map(
    Object.entries(budgets).map(([holder, one]) => [principalId.parse(Number(holder)), one]),
  );
}

export const writeStoredBudgets = (budgets: readonly (readonly [PrincipalId, Counted])[]): string =>
  JSON.stringify({ format, budgets: Object.fromEntries(budgets) });

/** Adds up the counts of two processes. If their windows differ, only the newer window counts. */
export function addCounts(sum: Counted | undefined, one: Counted): Counted {
  if (sum === undefined) return one;
  const first_window_ms = Math.min(sum.first_window_ms, one.first_window_ms);
  if (sum.window_ms !== one.window_ms) {
    return { ...(sum.window_ms > one.window_ms ? sum : one), first_window_ms };
  }
  const tokens = sum.tokens + one.tokens;
  return { ...sum, first_window_ms, tokens, cost_micros: sum.cost_micros + one.cost_micros };
}
