// Reads the forms of rate limits and budgets. Both are replaced as a whole; an empty field is sent as null, which means unlimited.

import type { Budget as BudgetRecord } from '../../api/records.ts';
import { count, formOf, name } from '../saves/typed.ts';
import type { Typed } from '../saves/typed.ts';
import { readMoney, writeMoney } from './budget.ts';

const cap = { ...count, must: `${count.must} for unlimited` };

export const limitsForm = formOf({ requests_per_min: cap, tokens_per_min: cap });
export type LimitsDraft = typeof limitsForm.blank;

const fixed = ['daily', 'weekly', 'monthly'] as const;
const units = ['day', 'week', 'month'] as const;
type Window = (typeof fixed)[number] | (typeof units)[number];

const windows: readonly Window[] = [...fixed, ...units];
const unitOf = (window: string) => units.find((unit) => unit === window) ?? null;
/** True for calendar windows, which need a time zone. */
export const isCalendar = (window: string): boolean => unitOf(window) !== null;

export const money: Typed<number | null> = {
  write: writeMoney,
  read: readMoney,
  must: 'must be an amount in US dollars such as 250 or 12.50, or empty for unlimited',
};

export const budgetForm = formOf({
  /** A fixed window, or the unit of the calendar. */
  window: {
    write: (window: Window) => window,
    read: (text: string) => windows.find((one) => one === text) ?? 'monthly',
    must: '',
  },
  time_zone: name,
  tokens_total: cap,
  cost_total_micros: money,
  alert_at_percent: {
    write: (percents: readonly number[]) => percents.join(', '),
    read: readPercents,
    must: 'must be up to 10 percentages from 1 to 100, for example 50, 80, 95',
  },
});
export type BudgetDraft = typeof budgetForm.blank;
export type BudgetValues = Extract<ReturnType<typeof budgetForm.read>, { body: unknown }>['body'];

/** Ascending, without duplicates; undefined if invalid. */
function readPercents(text: string): readonly number[] | undefined {
  const words = text.split(/[\s,;%]+/).filter((word) => word !== '');
  const percents = [...new Set(words.map(Number))].toSorted((a, b) => a - b);
  const isValid = percents.every((one) => Number.isInteger(one) && one >= 1 && one <= 100);
  return isValid && percents.length <= 10 ? percents : undefined;
}

type Budget = Pick<
  BudgetRecord,
  'window' | 'calendar' | 'tokens_total' | 'cost_total_micros' | 'alert_at_percent'
>;

export const budgetValues = (
  { calendar, window, tokens_total, cost_total_micros, alert_at_percent }: Budget,
  timeZone: string,
): BudgetValues => ({
  window: calendar?.unit ?? window,
  time_zone: calendar?.time_zone ?? timeZone,
  tokens_total,
  cost_total_micros,
  alert_at_percent,
});

/** The body of a request. */
export function budgetBody({ window, time_zone, ...caps }: BudgetValues) {
  const unit = unitOf(window);
  if (unit !== null) return { ...caps, calendar: { unit, time_zone } };
  const length = fixed.find((one) => one === window) ?? 'monthly';
  return { ...caps, window: length, calendar: null };
}
