// Reads the budget figures from the answer of POST /usage.

import { usageReceipt } from '../../usage/usage-event.ts';
import type { Figure } from '../../limits/spending.ts';
import type { ControlAnswer } from './client.ts';

const receipt = usageReceipt.pick({ budgets: true });

/** Null when the control plane sends none. */
export function figuresIn({ body }: Pick<ControlAnswer, 'body'>): readonly Figure[] | null {
  const { data } = receipt.safeParse(parseJson(body));
  if (data === undefined) return null;
  return data.budgets.map((budget) => ({
    principalId: budget.principal_id,
    windowStartMs: Date.parse(budget.window_start),
    tokens_used: budget.tokens_used,
    cost_used_micros: budget.cost_used_micros,
  }));
}

function parseJson(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString());
  } catch {
    return undefined;
  }
}
