// The conditions of a rule as they were asked for (specification, "Condition fields"): names become ids, and a bound that
// contradicts its other one is refused. Ranges of single values are checked where the request is read.

import type { Conditions } from '../../events/frontend-model.ts';
import type { ConfigState } from '../../projections/config/state.ts';
import { promptClassId, roleId } from '../lib/ids.ts';
import type { PrincipalId, PromptClassId, RoleId } from '../lib/ids.ts';
import { isRefusal, refuse } from '../lib/refusal.ts';
import type { Refusal } from '../lib/refusal.ts';
import { classNamed } from './prompt-class.ts';
import { roleNamed } from './role.ts';

type Given<Fields> = { readonly [Name in keyof Fields]?: Fields[Name] | null | undefined };

/** What is undefined is left alone, null clears. Roles and the class are named; `#<id>` stands for one that is gone. */
export type ConditionFields = Given<Omit<Conditions, 'roles' | 'class'>> &
  Given<Readonly<{ roles: readonly string[]; class: string }>>;

/** A rule without conditions matches every request. */
export const noConditions: Conditions = {
  principals: [],
  roles: [],
  min_prompt_tokens: null,
  max_prompt_tokens: null,
  min_max_tokens: null,
  max_max_tokens: null,
  stream: null,
  headers: {},
  min_budget_used_percent: null,
  max_budget_used_percent: null,
  max_inflight_per_backend: null,
  class: null,
  min_request_cost_micros: null,
  max_request_cost_micros: null,
  after_minute: null,
  before_minute: null,
  days: [],
  utc_offset_minutes: 0,
};

export function changedConditions(
  state: ConfigState,
  held: Conditions,
  given: ConditionFields,
): Conditions | Refusal {
  const principals = principalsGiven(state, held.principals, given.principals);
  if (isRefusal(principals)) return principals;
  const roles = rolesGiven(state, held.roles, given.roles);
  if (isRefusal(roles)) return roles;
  const promptClass = classGiven(state, held.class, given.class);
  if (isRefusal(promptClass)) return promptClass;
  const next = {
    ...plainFields(held, given),
    principals,
    roles,
    class: promptClass,
  };
  return refuseContradiction(next) ?? next;
}

function plainFields(held: Conditions, given: ConditionFields) {
  return {
    min_prompt_tokens: or(given.min_prompt_tokens, held.min_prompt_tokens, null),
    max_prompt_tokens: or(given.max_prompt_tokens, held.max_prompt_tokens, null),
    min_max_tokens: or(given.min_max_tokens, held.min_max_tokens, null),
    max_max_tokens: or(given.max_max_tokens, held.max_max_tokens, null),
    stream: or(given.stream, held.stream, null),
    headers: or(given.headers, held.headers, {}),
    min_budget_used_percent: or(given.min_budget_used_percent, held.min_budget_used_percent, null),
    max_budget_used_percent: or(given.max_budget_used_percent, held.max_budget_used_percent, null),
    max_inflight_per_backend: or(
      given.max_inflight_per_backend,
      held.max_inflight_per_backend,
      null,
    ),
    min_request_cost_micros: or(given.min_request_cost_micros, held.min_request_cost_micros, null),
    max_request_cost_micros: or(given.max_request_cost_micros, held.max_request_cost_micros, null),
    after_minute: or(given.after_minute, held.after_minute, null),
    before_minute: or(given.before_minute, held.before_minute, null),
    days: [...new Set(or(given.days, held.days, []))].toSorted((a, b) => a - b),
    utc_offset_minutes: or(given.utc_offset_minutes, held.utc_offset_minutes, 0),
  };
}

const or = <Value>(given: Value | null | undefined, held: Value, empty: Value): Value =>
  given === undefined ? held : (given ?? empty);

const bounds = [
  ['min_prompt_tokens', 'max_prompt_tokens'],
  ['min_max_tokens', 'max_max_tokens'],
  ['min_budget_used_percent', 'max_budget_used_percent'],
  ['min_request_cost_micros', 'max_request_cost_micros'],
] as const;

function refuseContradiction(conditions: Conditions): Refusal | null {
  for (const [low, high] of bounds) {
    const [min, max] = [conditions[low], conditions[high]];
    if (min !== null && max !== null && min > max) {
      return refuse('invalid', `${low} ${min} is above ${high} ${max}`, { param: low });
    }
  }
  return null;
}

/** One that was deleted since may stay: it never matches, and leaving it out would let the rule match anyone. */
function principalsGiven(
  state: ConfigState,
  held: readonly PrincipalId[],
  given: readonly PrincipalId[] | null | undefined,
): readonly PrincipalId[] | Refusal {
  if (given === undefined) return held;
  const ids = [...new Set(given ?? [])];
  const unknown = ids.find((id) => !state.principal.byId.has(id) && !held.includes(id));
  if (unknown === undefined) return ids.toSorted((a, b) => a - b);
  return refuse('invalid', `principals: ${unknown} does not exist`, { param: 'principals' });
}

function rolesGiven(
  state: ConfigState,
  held: readonly RoleId[],
  given: readonly string[] | null | undefined,
): readonly RoleId[] | Refusal {
  if (given === undefined) return held;
  const ids = new Set<RoleId>();
  for (const name of given ?? []) {
    const id = roleNamed(state, name)?.id ?? goneId(name, held);
    if (id === null) {
      return refuse('invalid', `roles: role ${name} does not exist`, { param: 'roles' });
    }
    ids.add(roleId.parse(id));
  }
  return [...ids].toSorted((a, b) => a - b);
}

function classGiven(
  state: ConfigState,
  held: PromptClassId | null,
  given: string | null | undefined,
): PromptClassId | null | Refusal {
  if (given === undefined) return held;
  if (given === null) return null;
  const id = classNamed(state, given)?.id ?? goneId(given, held === null ? [] : [held]);
  if (id !== null) return promptClassId.parse(id);
  return refuse('invalid', `class ${given} does not exist`, { param: 'class' });
}

/** How what is gone is written where it was named. */
export const goneName = (id: number): string => `#${id}`;

const goneId = (name: string, held: readonly number[]): number | null =>
  held.find((id) => goneName(id) === name) ?? null;
