// The form of a rule, as it is typed: empty at first, or as the rule stands.

import type { Rule } from '../api/frontend-models.ts';
import { writeMoney } from './budget.ts';
import { lines } from './lines.ts';
import { writeOffset } from './utc-offset.ts';

/** All as it is typed. A list has a line a part. */
export type RuleDraft = Readonly<{
  name: string;
  enabled: boolean;
  action: string;
  /** Names of models and pools, first to last. */
  targets: string;
  deny_status: string;
  deny_message: string;
  /** An id. */
  jump_to: string;
  tag: string;
  /** Ids. */
  principals: string;
  roles: string;
  class: string;
  /** `true` or `false`; empty does not ask. */
  stream: string;
  /** A line each: `x-tier: gold`. */
  headers: string;
  min_prompt_tokens: string;
  max_prompt_tokens: string;
  min_max_tokens: string;
  max_max_tokens: string;
  min_budget_used_percent: string;
  max_budget_used_percent: string;
  /** Dollars. */
  min_request_cost_micros: string;
  max_request_cost_micros: string;
  max_inflight_per_backend: string;
  after: string;
  before: string;
  /** 1 to 7. */
  days: string;
  utc_offset_minutes: string;
}>;

export const blankRule: RuleDraft = {
  name: '',
  enabled: true,
  action: 'route',
  targets: '',
  deny_status: '403',
  deny_message: '',
  jump_to: '',
  tag: '',
  principals: '',
  roles: '',
  class: '',
  stream: '',
  headers: '',
  min_prompt_tokens: '',
  max_prompt_tokens: '',
  min_max_tokens: '',
  max_max_tokens: '',
  min_budget_used_percent: '',
  max_budget_used_percent: '',
  min_request_cost_micros: '',
  max_request_cost_micros: '',
  max_inflight_per_backend: '',
  after: '',
  before: '',
  days: '',
  utc_offset_minutes: '',
};

const written = (value: number | null): string => (value === null ? '' : String(value));
/** Unlike a budget's cap, a cost of nothing is a bound. */
const writtenCost = (micros: number | null): string => (micros === 0 ? '0' : writeMoney(micros));

export const fromRule = (rule: Rule): RuleDraft => ({
  name: rule.name ?? '',
  enabled: rule.enabled,
  action: rule.action,
  targets: lines(rule.targets.map(({ model }) => model)),
  deny_status: rule.deny_status === null ? blankRule.deny_status : String(rule.deny_status),
  deny_message: rule.deny_message ?? '',
  jump_to: written(rule.jump_to),
  tag: rule.tag ?? '',
  principals: lines(rule.principals),
  roles: lines(rule.roles),
  class: rule.class ?? '',
  stream: rule.stream === null ? '' : rule.stream ? 'true' : 'false',
  headers: Object.entries(rule.headers)
    .map(([name, value]) => `${name}: ${value}`)
    .join('\n'),
  min_prompt_tokens: written(rule.min_prompt_tokens),
  max_prompt_tokens: written(rule.max_prompt_tokens),
  min_max_tokens: written(rule.min_max_tokens),
  max_max_tokens: written(rule.max_max_tokens),
  min_budget_used_percent: written(rule.min_budget_used_percent),
  max_budget_used_percent: written(rule.max_budget_used_percent),
  min_request_cost_micros: writtenCost(rule.min_request_cost_micros),
  max_request_cost_micros: writtenCost(rule.max_request_cost_micros),
  max_inflight_per_backend: written(rule.max_inflight_per_backend),
  after: rule.after ?? '',
  before: rule.before ?? '',
  days: lines(rule.days),
  utc_offset_minutes: rule.utc_offset_minutes === 0 ? '' : writeOffset(rule.utc_offset_minutes),
});
