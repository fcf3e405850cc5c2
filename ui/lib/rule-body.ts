// What of the form of a rule is sent: a field that was not touched is not, one that was emptied is sent as null, which clears it. What
// belongs to another action is left out, and cleared when the action changes.

import type { Rule } from '../api/frontend-models.ts';
import { differing, textOrNull, wrong } from './draft.ts';
import type { Read } from './draft.ts';
import { linesOf } from './lines.ts';
import { readPrice } from './model-draft.ts';
import { blankRule } from './rule-draft.ts';
import type { RuleDraft } from './rule-draft.ts';
import { readOffset } from './utc-offset.ts';

/** As the server takes it. */
export type RuleBody = Readonly<{
  name: string | null;
  enabled: boolean;
  action: Rule['action'];
  targets: readonly string[];
  deny_status: number | null;
  deny_message: string | null;
  jump_to: number | null;
  tag: string | null;
  principals: readonly number[];
  roles: readonly string[];
  class: string | null;
  stream: boolean | null;
  headers: Readonly<Record<string, string>>;
  min_prompt_tokens: number | null;
  max_prompt_tokens: number | null;
  min_max_tokens: number | null;
  max_max_tokens: number | null;
  min_budget_used_percent: number | null;
  max_budget_used_percent: number | null;
  min_request_cost_micros: number | null;
  max_request_cost_micros: number | null;
  max_inflight_per_backend: number | null;
  after: string | null;
  before: string | null;
  days: readonly number[];
  utc_offset_minutes: number;
}>;

/** Null is an empty field; undefined is no whole number from 0. */
function readBound(text: string): number | null | undefined {
  const plain = text.replaceAll(/[\s,_]/g, '');
  if (plain === '') return null;
  const value = /^\d+$/.test(plain) ? Number(plain) : NaN;
  return Number.isSafeInteger(value) ? value : undefined;
}

/** A line each; null is a line that is no header. */
export function readHeaders(text: string): Readonly<Record<string, string>> | null {
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  const pairs = lines.map((line) => /^\s*([^\s:=]+)\s*[:=]\s*(.*?)\s*$/.exec(line));
  if (pairs.includes(null)) return null;
  return Object.fromEntries(
    pairs.map((pair) => [(pair?.[1] ?? '').toLowerCase(), pair?.[2] ?? '']),
  );
}

const boundFields = [
  'min_prompt_tokens',
  'max_prompt_tokens',
  'min_max_tokens',
  'max_max_tokens',
  'min_budget_used_percent',
  'max_budget_used_percent',
  'max_inflight_per_backend',
] as const;
const costFields = ['min_request_cost_micros', 'max_request_cost_micros'] as const;
type Amount = (typeof boundFields)[number] | (typeof costFields)[number];

type Amounts = Readonly<Record<Amount, number | null>>;

function readAmounts(draft: RuleDraft): Read<Amounts> {
  const amounts = new Map<string, number | null>();
  for (const field of boundFields) {
    const value = readBound(draft[field]);
    if (value === undefined) return wrong(field, 'must be a whole number, or empty not to ask');
    amounts.set(field, value);
  }
  for (const field of costFields) {
    const value = readPrice(draft[field]);
    if (value === undefined) return wrong(field, 'must be dollars such as 0.25, or empty');
    amounts.set(field, value);
  }
  const of = (field: Amount): number | null => amounts.get(field) ?? null;
  return {
    body: {
      min_prompt_tokens: of('min_prompt_tokens'),
      max_prompt_tokens: of('max_prompt_tokens'),
      min_max_tokens: of('min_max_tokens'),
      max_max_tokens: of('max_max_tokens'),
      min_budget_used_percent: of('min_budget_used_percent'),
      max_budget_used_percent: of('max_budget_used_percent'),
      min_request_cost_micros: of('min_request_cost_micros'),
      max_request_cost_micros: of('max_request_cost_micros'),
      max_inflight_per_backend: of('max_inflight_per_backend'),
    },
  };
}

export const actionOf = ({ action }: Pick<RuleDraft, 'action'>): Rule['action'] =>
  action === 'deny' || action === 'jump' ? action : 'route';

const numbersOf = (text: string): readonly number[] =>
  linesOf(text)
    .map(Number)
    .toSorted((a, b) => a - b);

/** The whole rule; what the server alone can know, such as whether a target is there, it says itself. */
export function ruleBody(draft: RuleDraft): Read<RuleBody> {
  const action = actionOf(draft);
  const amounts = readAmounts(draft);
  if ('wrong' in amounts) return amounts;
  const headers = readHeaders(draft.headers);
  if (headers === null) return wrong('headers', 'must be a line each, such as x-tier: gold');
  const offset = readOffset(draft.utc_offset_minutes);
  if (offset === undefined) return wrong('utc_offset_minutes', 'must be such as +02:00 or -05:30');
  const status = readBound(draft.deny_status);
  if (action === 'deny' && (status === null || status === undefined)) {
    return wrong('deny_status', 'must be a status from 400 to 499');
  }
  if (action === 'jump' && draft.jump_to === '') {
    return wrong('jump_to', 'a frontend model to go on in is needed');
  }
  return {
    body: {
      ...amounts.body,
      name: textOrNull(draft.name),
      enabled: draft.enabled,
      action,
      targets: action === 'route' ? linesOf(draft.targets) : [],
      deny_status: action === 'deny' ? (status ?? null) : null,
      deny_message: action === 'deny' ? textOrNull(draft.deny_message) : null,
      jump_to: action === 'jump' ? Number(draft.jump_to) : null,
      tag: textOrNull(draft.tag),
      principals: numbersOf(draft.principals),
      roles: linesOf(draft.roles),
      class: textOrNull(draft.class),
      stream: draft.stream === '' ? null : draft.stream === 'true',
      headers,
      after: textOrNull(draft.after),
      before: textOrNull(draft.before),
      days: numbersOf(draft.days),
      utc_offset_minutes: offset,
    },
  };
}

/** Of a new rule: what is not asked is left out. */
export function newRuleBody(draft: RuleDraft): Read<Partial<RuleBody>> {
  const read = ruleBody(draft);
  if ('wrong' in read) return read;
  const blank = ruleBody(blankRule);
  const { action, ...rest } = read.body;
  return 'wrong' in blank ? read : { body: { action, ...differing(rest, blank.body) } };
}

/** What differs from the rule as it was; a rule that does not change is an empty body. */
export function ruleChange(draft: RuleDraft, rule: Rule): Read<Partial<RuleBody>> {
  const read = ruleBody(draft);
  return 'wrong' in read ? read : { body: differing(read.body, recordBody(rule)) };
}

/** The record, with the names of its targets as they are sent. */
export const recordBody = ({ targets, ...rule }: Rule): RuleBody => ({
  ...rule,
  targets: targets.map(({ model }) => model),
});
