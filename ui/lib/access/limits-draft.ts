// Reads the forms of rate limits and budgets. Both are replaced as a whole; an empty field is sent as null, which means unlimited.

import { count, formOf } from '../saves/typed.ts';
import { readMoney, writeMoney } from './budget.ts';

const cap = { ...count, must: `${count.must} for unlimited` };

export const limitsForm = formOf({ requests_per_min: cap, tokens_per_min: cap });
export type LimitsDraft = typeof limitsForm.blank;

type Window = 'daily' | 'weekly' | 'monthly';

const windows: readonly Window[] = ['daily', 'weekly', 'monthly'];

export const budgetForm = formOf({
  window: {
    write: (window: Window) => window,
    read: (text: string) => windows.find((one) => one === text) ?? 'monthly',
    must: '',
  },
  tokens_total: cap,
  cost_total_micros: {
    write: writeMoney,
    read: readMoney,
    must: 'must be an amount in US dollars such as 250 or 12.50, or empty for unlimited',
  },
});
export type BudgetDraft = typeof budgetForm.blank;
