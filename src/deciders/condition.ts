// Resolves the conditions of a rule from a request (specification, "Condition fields"): names
// become ids. Rejects contradicting bounds. Ranges of single values are checked when the request is
// parsed.

import { goneName, roleNamed } from '../../projections/config/find.ts';
import type { ConfigState } from '../../projections/config/state.ts';
import type { ConditionValues } from '../conditions/table.ts';
import { crossedBounds, withGiven } from '../conditions/values.ts';
import type { GivenConditions } from '../conditions/schemas.ts';
import { promptClassId, roleId } from '../lib/ids.ts';
import type { PrincipalId, PromptClassId, RoleId } from '../lib/ids.ts';
import { isRefusal, refuse } from '../lib/refusal.ts';
import type { Refusal } from '../lib/refusal.ts';
import { classNamed } from './prompt-class.ts';

export function changedConditions(
  state: ConfigState,
  held: ConditionValues,
  given: GivenConditions,
): ConditionValues | Refusal {
  const principals = principalsGiven(state, held.principals, given.principals);
  if (isRefusal(principals)) return principals;
  const roles = rolesGiven(state, held.roles, given.roles);
  if (isRefusal(roles)) return roles;
  const promptClass = classGiven(state, held.class, given.class);
  if (isRefusal(promptClass)) return promptClass;
  const next = { ...withGiven(held, given), principals, roles, class: promptClass };
  return refuseContradiction(next) ?? next;
}

function refuseContradiction(values: ConditionValues): Refusal | null {
  const [crossed] = crossedBounds(values);
  if (crossed === undefined) return null;
  const { low, high, min, max } = crossed;
  return refuse('invalid', `${low} ${min} is above ${high} ${max}`, { param: low });
}

/**
 * A deleted principal may stay: it never matches, and removing it could make the rule match
 * everyone.
 */
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

const goneId = (name: string, held: readonly number[]): number | null =>
  held.find((id) => goneName(id) === name) ?? null;
