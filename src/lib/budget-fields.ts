// Defines the schemas of the structured fields of a budget, for the admin API and configuration files
// alike.

import { z } from 'zod';

import { shownText } from './fields.ts';
import { budgetWindow, calendarUnit, windowOfUnit } from './vocabulary.ts';
import type { BudgetCalendar, BudgetWindow } from './vocabulary.ts';

/** Offsets such as `+01:00` are not accepted: they have no summer time. */
const zonePattern = /^[A-Za-z][\w+-]*(?:\/[\w+-]+)*$/;

function isTimeZone(name: string): boolean {
  if (!zonePattern.test(name)) return false;
  try {
    return new Intl.DateTimeFormat('en-US', { timeZone: name }).format(0) !== '';
  } catch {
    return false;
  }
}

export const timeZoneField = z
  .string()
  .max(64)
  .refine(isTimeZone, 'must be an IANA time zone, for example Europe/Zurich');

export const calendarField = z.strictObject({ unit: calendarUnit, time_zone: timeZoneField }).meta({
  description:
    'Calendar windows: each begins at the first instant of a day, ISO week (Monday) or month in an IANA time zone.',
});

/** With the largest amounts, the sum of a cap and its increases is still exact. */
export const increasesMax = 8;
export const increaseDaysMax = 366;
export const increaseReasonField = shownText(1_000);

export const alertsMax = 10;

/** Percentages of the caps, ascending. */
export const alertsField = z
  .array(z.int().min(1).max(100))
  .max(alertsMax)
  .refine(
    (percents) => percents.every((one, at) => at === 0 || one > (percents[at - 1] ?? 0)),
    'must be ascending, without duplicates',
  )
  .meta({
    description:
      'Percentages of the caps at which a budget_threshold notification is sent, once per window. 100 is always one of them.',
  });

/** The members of a budget in files that state its windows and alerts. */
export const fileWindowShape = {
  window: budgetWindow
    .optional()
    .meta({ description: 'Monthly if absent. With calendar, its window of about that length.' }),
  calendar: calendarField.nullish(),
  alert_at_percent: alertsField.nullish(),
};

type Windows = Readonly<{
  window?: BudgetWindow | undefined;
  calendar?: BudgetCalendar | null | undefined;
}>;

/** Null if window and calendar agree, otherwise what is wrong with the window. */
export function windowConflict({ window, calendar }: Windows): string | null {
  if (window === undefined || calendar === null || calendar === undefined) return null;
  const expected = windowOfUnit[calendar.unit];
  return window === expected
    ? null
    : `is ${window}; with calendar.unit ${calendar.unit} it must be ${expected} or absent`;
}

export const windowsAgree = (budget: Windows): boolean => windowConflict(budget) === null;

export const disagreeing = {
  path: ['window'],
  error: 'does not match calendar.unit; leave it out',
};

/** The budget of a file with its window, and without empty alerts. */
export const withWindow = <
  Given extends Windows & Readonly<{ alert_at_percent?: readonly number[] | null | undefined }>,
>(
  budget: Given,
) => ({
  ...budget,
  window: budget.window ?? (budget.calendar ? windowOfUnit[budget.calendar.unit] : 'monthly'),
  calendar: budget.calendar ?? null,
  alert_at_percent: budget.alert_at_percent?.length ? budget.alert_at_percent : null,
});
