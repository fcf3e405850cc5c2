// Imports roles, principals and their keys (specification, "Commands of the binary"). Grants that
// the file dropped are revoked, and keys in the file are enabled.

import { roleNamed } from '../../../projections/config/find.ts';
import type { ApiKey } from '../../../projections/config/api-key.ts';
import { findValue } from '../../../projections/config/id-map.ts';
import type { Principal } from '../../../projections/config/principal.ts';
import { samePermission } from '../../../projections/config/role.ts';
import type { Permission } from '../../../projections/config/role.ts';
import { refuse } from '../../lib/refusal.ts';
import type { Refusal } from '../../lib/refusal.ts';
import { decideApiKey } from '../callers/api-key.ts';
import { decideBudget } from '../callers/budget.ts';
import { decideLimits } from '../callers/limits.ts';
import { decidePrincipal, holderOfName } from '../callers/principal.ts';
import { decideRole } from '../callers/role.ts';
import { meant } from './named.ts';
import type { ImportedKey, KeyStep, PrincipalStep, RoleStep } from './step.ts';
import type { Unfolding } from './unfolding.ts';

/** Returns the first refusal. */
function inTurn<Item>(
  items: readonly Item[],
  work: (item: Item) => Refusal | null,
): Refusal | null {
  for (const item of items) {
    const refusal = work(item);
    if (refusal !== null) return refusal;
  }
  return null;
}

const isIn = (list: readonly Permission[], one: Permission): boolean =>
  list.some((other) => samePermission(one, other));

export function importRole(on: Unfolding, step: RoleStep): Refusal | null {
  const { name, description } = step;
  const held = meant(on.state().role, step);
  const made = on.take(
    held === undefined
      ? decideRole(on.state(), { type: 'CreateRole', name, description: description ?? null })
      : decideRole(on.state(), { type: 'UpdateRole', role: held.name, name, description }),
  );
  if (made !== null || step.permissions === undefined) return made;
  const wanted = step.permissions;
  const holds = held?.permissions ?? [];
  const change =
    (type: 'GrantPermission' | 'RevokePermission') =>
    ({ verb, resource }: Permission): Refusal | null =>
      on.take(decideRole(on.state(), { type, role: name, verb, resource }));
  const dropped = holds.filter((one) => !isIn(wanted, one));
  const added = wanted.filter((one) => !isIn(holds, one));
  return inTurn(dropped, change('RevokePermission')) ?? inTurn(added, change('GrantPermission'));
}

export function importPrincipal(on: Unfolding, step: PrincipalStep): Refusal | null {
  const principal = attached(on, step);
  if ('refused' in principal) return principal;
  const { id } = principal;
  return (
    importGrants(on, principal, step) ??
    importRights(on, id, step) ??
    inTurn(step.keys, (key) => importKey(on, principal, key))
  );
}

/** A principal that no import created is not taken over. */
function attached(
  on: Unfolding,
  { id, name, label, kind, mark }: PrincipalStep,
): Principal | Refusal {
  const known = on.state().principal.byId.get(id ?? 0);
  if (known !== undefined) {
    const command = { type: 'UpdatePrincipal', id: known.id, name, emailRef: undefined } as const;
    return on.take(decidePrincipal(on.state(), command)) ?? known;
  }
  const held = id === null ? undefined : holderOfName(on.state(), name);
  if (held !== undefined) {
    const markId = mark === null ? null : roleNamed(on.state(), mark)?.id;
    if (markId === null || (markId !== undefined && held.roleIds.includes(markId))) return held;
    return refuse('conflict', `principal ${label} exists and was not created by an import`, {
      param: 'name',
    });
  }
  const command = { type: 'CreatePrincipal', name, kind, emailRef: null } as const;
  const refusal = on.take(decidePrincipal(on.state(), command));
  const made = holderOfName(on.state(), name);
  return refusal ?? made ?? refuse('conflict', `principal ${label} was not created`);
}

function importGrants(
  on: Unfolding,
  { id, roleIds }: Principal,
  { roles }: PrincipalStep,
): Refusal | null {
  if (roles === undefined) return null;
  const held = roleIds.flatMap((roleId) => on.state().role.byId.get(roleId)?.name ?? []);
  const dropped = roles.all ? held.filter((role) => !roles.names.includes(role)) : [];
  const added = roles.names.filter((role) => !held.includes(role));
  const change =
    (type: 'GrantRole' | 'RevokeRole') =>
    (role: string): Refusal | null =>
      on.take(decidePrincipal(on.state(), { type, id, role }));
  return inTurn(dropped, change('RevokeRole')) ?? inTurn(added, change('GrantRole'));
}

function importRights(
  on: Unfolding,
  id: Principal['id'],
  { limits, budget }: PrincipalStep,
): Refusal | null {
  const held = on.state().principal.byId.get(id);
  const limited =
    limits === undefined || limits === (held?.limits ?? null)
      ? []
      : limits === null
        ? decideLimits(on.state(), { type: 'ClearLimits', id })
        : decideLimits(on.state(), { type: 'SetLimits', id, limits });
  const refusal = on.take(limited);
  if (refusal !== null || budget === undefined || budget === (held?.budget ?? null)) return refusal;
  const command =
    budget === null
      ? ({ type: 'ClearBudget', id } as const)
      : ({ type: 'SetBudget', id, ...budget } as const);
  return on.take(decideBudget(on.state(), command));
}

/**
 * The key replaces the principal's earlier keys of that name, because the file no longer contains
 * them.
 */
function importKey(on: Unfolding, { id }: Principal, key: ImportedKey): Refusal | null {
  const { byId } = on.state().api_key;
  const same =
    key.heldRefs.length === 0
      ? undefined
      : findValue(byId, ({ verifierRef }) => key.heldRefs.includes(verifierRef));
  if (same !== undefined && same.principalId !== id) {
    return refuse('conflict', `key ${key.name} is the key of another principal`, { param: 'key' });
  }
  const replaced = [...byId.values()].filter(
    (one) => one.principalId === id && one.name === key.name && one.id !== same?.id,
  );
  const revoke = (one: ApiKey): Refusal | null =>
    on.take(decideApiKey(on.state(), { type: 'RevokeApiKey', id: one.id }));
  return inTurn(replaced, revoke) ?? (same === undefined ? add(on, id, key) : keep(on, same, key));
}

export function importNamedKey(on: Unfolding, { principal, key }: KeyStep): Refusal | null {
  const owner = holderOfName(on.state(), principal);
  if (owner === undefined) return refuse('invalid', 'its principal does not exist');
  return add(on, owner.id, key);
}

const add = (
  on: Unfolding,
  principalId: Principal['id'],
  { name, prefix, verifierRef, expiresAt }: KeyStep['key'],
): Refusal | null =>
  on.take(
    decideApiKey(on.state(), {
      type: 'CreateApiKey',
      name,
      principalId,
      prefix,
      verifierRef,
      expiresAt,
    }),
  );

const keep = (on: Unfolding, { id }: ApiKey, { expiresAt }: ImportedKey): Refusal | null =>
  on.take(decideApiKey(on.state(), { type: 'EnableApiKey', id })) ??
  on.take(decideApiKey(on.state(), { type: 'SetApiKeyExpiry', id, expiresAt }));
