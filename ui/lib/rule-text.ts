// A rule as a person reads it: its conditions one by one, each with the fields that it comes of, so that a verdict can point at it.

import type { Rule } from '../api/frontend-models.ts';
import { formatMoney, formatNumber } from './format.ts';
import { writeOffset } from './utc-offset.ts';

/** `fields` are names of the server's. */
export type Condition = Readonly<{ fields: readonly string[]; text: string }>;

type Bounds = Readonly<{ min: number | null; max: number | null }>;

/** None of them is a rule for every request. */
export function conditionsOf(
  rule: Rule,
  principalName: (id: number) => string,
): readonly Condition[] {
  return [
    ...callers(rule, principalName),
    ...single('class', rule.class === null ? null : `class ${rule.class}`),
    ...sized(rule),
    ...single('stream', rule.stream === null ? null : rule.stream ? 'streamed' : 'not streamed'),
    ...Object.entries(rule.headers).map(([name, value]) => ({
      fields: [`headers.${name}`],
      text: `${name} = ${value === '' ? 'nothing' : value}`,
    })),
    ...bounded(
      'request_cost_micros',
      { min: rule.min_request_cost_micros, max: rule.max_request_cost_micros },
      (range) => `costs ${range}`,
      formatMoney,
    ),
    ...single(
      'max_inflight_per_backend',
      rule.max_inflight_per_backend === null
        ? null
        : `a backend of its own has under ${formatNumber(rule.max_inflight_per_backend)} in flight`,
    ),
    ...clock(rule),
  ];
}

const single = (field: string, text: string | null): readonly Condition[] =>
  text === null ? [] : [{ fields: [field], text }];

function callers(
  { principals, roles }: Pick<Rule, 'principals' | 'roles'>,
  principalName: (id: number) => string,
): readonly Condition[] {
  const names = [...principals.map(principalName), ...roles.map((name) => `role ${name}`)];
  if (names.length === 0) return [];
  return [{ fields: ['principals', 'roles'], text: `from ${someOf(names)}` }];
}

const namedMax = 3;

const someOf = (names: readonly string[]): string =>
  names.length <= namedMax
    ? names.join(' or ')
    : `${names.slice(0, namedMax).join(', ')} or ${names.length - namedMax} more`;

const sized = (rule: Rule): readonly Condition[] => [
  ...bounded(
    'prompt_tokens',
    { min: rule.min_prompt_tokens, max: rule.max_prompt_tokens },
    (range) => `prompt ${range} tokens`,
    formatNumber,
  ),
  ...bounded(
    'max_tokens',
    { min: rule.min_max_tokens, max: rule.max_max_tokens },
    (range) => `asks for ${range} tokens`,
    formatNumber,
  ),
  ...bounded(
    'budget_used_percent',
    { min: rule.min_budget_used_percent, max: rule.max_budget_used_percent },
    (range) => `budget ${range} used`,
    (value) => `${value} %`,
  ),
];

function bounded(
  field: string,
  { min, max }: Bounds,
  textOf: (range: string) => string,
  format: (value: number) => string,
): readonly Condition[] {
  const fields = [`min_${field}`, `max_${field}`];
  if (min !== null && max !== null) {
    const range = min === max ? `= ${format(min)}` : `${format(min)} to ${format(max)}`;
    return [{ fields, text: textOf(range) }];
  }
  if (min !== null) return [{ fields, text: textOf(`≥ ${format(min)}`) }];
  return max === null ? [] : [{ fields, text: textOf(`≤ ${format(max)}`) }];
}

/** From Monday, as the days of a rule are counted from 1. */
export const dayNames = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'] as const;

const dayName = (day: number | undefined): string => dayNames[(day ?? 1) - 1] ?? '';

function clock(rule: Rule): readonly Condition[] {
  const { after, before, days, utc_offset_minutes: offset } = rule;
  if (after === null && before === null && days.length === 0) return [];
  const times =
    after !== null && before !== null
      ? `${after} to ${before}`
      : after !== null
        ? `from ${after}`
        : before !== null
          ? `until ${before}`
          : '';
  const text = [daysText(days), times, offset === 0 ? 'UTC' : `UTC${writeOffset(offset)}`];
  return [
    { fields: ['after', 'before', 'days'], text: text.filter((part) => part !== '').join(' ') },
  ];
}

/** Days in a row as a range: `Mon to Fri, Sun`. */
function daysText(days: readonly number[]): string {
  const runs: number[][] = [];
  for (const day of days.toSorted((a, b) => a - b)) {
    const run = runs.at(-1);
    if (run?.at(-1) === day - 1) run.push(day);
    else runs.push([day]);
  }
  return runs
    .map((run) =>
      run.length < 3 ? run.map(dayName).join(', ') : `${dayName(run[0])} to ${dayName(run.at(-1))}`,
    )
    .join(', ');
}

type Names = Readonly<{
  principal: (id: number) => string;
  frontendModel: (id: number) => string;
}>;

/** The whole rule in one line, for lists of changes. */
export function ruleTitle(rule: Rule, names: Names): string {
  const conditions = conditionsOf(rule, names.principal).map(({ text }) => text);
  return `${conditions.length === 0 ? 'every request' : conditions.join(', ')}: ${actionText(rule, names)}`;
}

function actionText(rule: Rule, { frontendModel }: Names): string {
  switch (rule.action) {
    case 'route':
      return rule.targets.length === 0
        ? 'no target'
        : rule.targets.map(({ model }) => model).join(' → ');
    case 'deny':
      return `deny ${rule.deny_status ?? ''}`.trim();
    case 'jump':
      return `jump to ${rule.jump_to === null ? 'nothing' : frontendModel(rule.jump_to)}`;
  }
}
