// Restores roles, principals and keys. Revoked keys stay revoked, and a replaced password or
// identity does not let anyone sign in again, because someone ended it deliberately.

import { snakeKeys } from '../../lib/case.ts';
import { streamOf } from '../../../events/catalogue.ts';
import type { GwEvent } from '../../../events/catalogue.ts';
import type { ApiKey } from '../../../projections/config/api-key.ts';
import { budgetSettings } from '../../../projections/config/principal.ts';
import type { Budget, BudgetIncrease, Principal } from '../../../projections/config/principal.ts';
import { samePermission } from '../../../projections/config/role.ts';
import type { Permission, Role } from '../../../projections/config/role.ts';
import type { ConfigState } from '../../../projections/config/state.ts';
import { canonicalJson } from '../../lib/canonical-json.ts';
import type { RoleId } from '../../lib/ids.ts';
import { createdAs, setAllFields } from '../set-fields.ts';
import { whole } from './kind.ts';
import type { Loss, RestoreFacts, Restoring } from './kind.ts';

export const roles: Restoring<Role> = {
  attainable: whole,
  changed: (held, goal) => {
    const { id } = goal;
    const stream = streamOf('role', id);
    const events: GwEvent[] = [...setAllFields('role', held, goal)];
    for (const { verb, resource } of without(held.permissions, goal.permissions)) {
      events.push({ stream, type: 'RolePermissionRevoked', data: { id, verb, resource } });
    }
    for (const { verb, resource } of without(goal.permissions, held.permissions)) {
      events.push({ stream, type: 'RolePermissionGranted', data: { id, verb, resource } });
    }
    return events;
  },
};

const without = (list: readonly Permission[], others: readonly Permission[]) =>
  list.filter((one) => !others.some((other) => samePermission(one, other)));

export const principals: Restoring<Principal> = {
  attainable: (wanted, held, facts, target) => {
    const { passwordRef, kind, losses } = login(wanted, held, facts);
    const single = signOn(wanted, held, facts);
    const isErased = (ref: string | null, standing: string | null | undefined): boolean =>
      ref !== null && ref !== standing && facts.erased.has(ref);
    const isGone = isErased(wanted.emailRef, held?.emailRef);
    const emailRef = isGone ? (held?.emailRef ?? null) : wanted.emailRef;
    const email: readonly Loss[] = isGone ? [{ field: 'email', reason: 'erased' }] : [];
    const isNameless = isErased(wanted.name.ref, held?.name.ref);
    const name = isNameless ? nameInstead(wanted, held, target) : wanted.name;
    const nameless: readonly Loss[] = isNameless ? [{ field: 'name', reason: 'erased' }] : [];
    const { identity } = single;
    const roles = rolesBy(identity, { wanted, held, target });
    return {
      goal: {
        ...wanted,
        roleIds: roles.held.roleIds,
        identityRoleIds: roles.held.identityRoleIds,
        kind,
        name,
        passwordRef,
        identity,
        emailRef,
      },
      losses: [...losses, ...single.losses, ...roles.losses, ...email, ...nameless],
    };
  },
  created: (goal) => {
    const { id, passwordRef, identity } = goal;
    const stream = streamOf('principal', id);
    const password: readonly GwEvent[] =
      passwordRef === null
        ? []
        : [{ stream, type: 'PrincipalPasswordSet', data: { id, password_ref: passwordRef } }];
    const linked: readonly GwEvent[] =
      identity === null
        ? []
        : [{ stream, type: 'PrincipalIdentityLinked', data: { id, identity } }];
    return [createdAs('principal', goal), ...password, ...linked];
  },
  changed: (held, goal) => [
    ...setAllFields('principal', held, goal),
    ...grants(held, goal),
    ...caps(held, goal),
  ],
};

/**
 * An existing principal keeps its present name, unless another one takes it back. The erased name
 * still has its fingerprint, so names stay distinct.
 */
function nameInstead(
  { id, name }: Principal,
  held: Principal | undefined,
  target: ConfigState,
): Principal['name'] {
  const isTaken = [...target.principal.byId.values()].some(
    (other) => other.id !== id && other.name.fingerprint === held?.name.fingerprint,
  );
  return held === undefined || isTaken ? name : held.name;
}

type Login = Pick<Principal, 'passwordRef' | 'kind'> & Readonly<{ losses: readonly Loss[] }>;

function login(wanted: Principal, held: Principal | undefined, facts: RestoreFacts): Login {
  const { passwordRef, kind } = wanted;
  if (held !== undefined) {
    const isSame = held.passwordRef === passwordRef;
    const losses: Loss[] = isSame ? [] : [{ field: 'password', reason: 'replaced' }];
    if (held.kind !== kind) losses.push({ field: 'kind', reason: 'replaced' });
    return { passwordRef: held.passwordRef, kind: held.kind, losses };
  }
  if (passwordRef === null) return { passwordRef, kind, losses: [] };
  const last = facts.passwordsSet.get(wanted.id) ?? passwordRef;
  const reason = facts.erased.has(passwordRef) ? 'erased' : 'replaced';
  if (last === passwordRef && reason !== 'erased') return { passwordRef, kind, losses: [] };
  return { passwordRef: null, kind, losses: [{ field: 'password', reason }] };
}

type SignOn = Pick<Principal, 'identity'> & Readonly<{ losses: readonly Loss[] }>;

function signOn(wanted: Principal, held: Principal | undefined, facts: RestoreFacts): SignOn {
  const { id, identity } = wanted;
  if (held !== undefined) {
    const isSame = held.identity?.ref === identity?.ref;
    return {
      identity: held.identity,
      losses: isSame ? [] : [{ field: 'identity', reason: 'replaced' }],
    };
  }
  if (identity === null) return { identity, losses: [] };
  const holder = facts.identitiesLinked.get(identity.fingerprint) ?? id;
  const isEnded = holder !== id || facts.identitiesUnlinked.has(id);
  const isErased = facts.erased.has(identity.ref);
  if (!isEnded && !isErased) return { identity, losses: [] };
  return {
    identity: null,
    losses: [{ field: 'identity', reason: isErased ? 'erased' : 'replaced' }],
  };
}

type Roles = Pick<Principal, 'roleIds' | 'identityRoleIds'>;
type Restored = Readonly<{ wanted: Principal; held: Principal | undefined; target: ConfigState }>;

/**
 * Roles from groups return only with their identity. With another identity, those of its last
 * sign-in stay, except roles that do not exist in the restored state.
 */
function rolesBy(
  identity: Principal['identity'],
  { wanted, held, target }: Restored,
): Readonly<{ held: Roles; losses: readonly Loss[] }> {
  if (identity?.ref === wanted.identity?.ref) return { held: wanted, losses: [] };
  const byHand = wanted.roleIds.filter((role) => !wanted.identityRoleIds.includes(role));
  const identityRoleIds = (held?.identityRoleIds ?? []).filter(
    (role) => !byHand.includes(role) && target.role.byId.has(role),
  );
  const roleIds = [...byHand, ...identityRoleIds].toSorted((one, other) => one - other);
  return {
    held: { roleIds, identityRoleIds },
    losses: [
      ...lost('role_ids', isSame(roleIds, wanted.roleIds)),
      ...lost('identity_role_ids', isSame(identityRoleIds, wanted.identityRoleIds)),
    ],
  };
}

const isSame = (one: readonly RoleId[], other: readonly RoleId[]): boolean =>
  one.join() === other.join();

const lost = (field: string, isKept: boolean): readonly Loss[] =>
  isKept ? [] : [{ field, reason: 'replaced' }];

function grants(held: Principal, goal: Principal): readonly GwEvent[] {
  const { id, roleIds, identityRoleIds } = goal;
  const stream = streamOf('principal', id);
  const isAsWanted = (role: RoleId): boolean =>
    held.roleIds.includes(role) &&
    held.identityRoleIds.includes(role) === identityRoleIds.includes(role);
  return [
    ...held.roleIds
      .filter((role) => !roleIds.includes(role))
      .map((role_id) => ({ stream, type: 'PrincipalRoleRevoked', data: { id, role_id } }) as const),
    ...roleIds
      .filter((role) => !isAsWanted(role))
      .map((role_id) => {
        const origin = identityRoleIds.includes(role_id) ? ({ by_identity: true } as const) : {};
        return { stream, type: 'PrincipalRoleGranted', data: { id, role_id, ...origin } } as const;
      }),
  ];
}

/** The amount spent is not configuration: a restored budget starts at zero. */
function caps(held: Principal, { id, limits, budget }: Principal): readonly GwEvent[] {
  const stream = streamOf('principal', id);
  const events: GwEvent[] = [];
  if (canonicalJson(limits) !== canonicalJson(held.limits)) {
    events.push(
      limits === null
        ? { stream, type: 'PrincipalLimitsCleared', data: { id } }
        : {
            stream,
            type: 'PrincipalLimitsSet',
            data: { id, ...snakeKeys(limits) },
          },
    );
  }
  if (budget === null) {
    if (held.budget !== null) events.push({ stream, type: 'PrincipalBudgetCleared', data: { id } });
    return events;
  }
  const settings = budgetSettings(budget);
  if (
    held.budget === null ||
    canonicalJson(settings) !== canonicalJson(budgetSettings(held.budget))
  )
    events.push({
      stream,
      type: 'PrincipalBudgetSet',
      data: { id, ...snakeKeys(settings), initial_tokens_used: 0 },
    });
  return [...events, ...increasesOf(budget, held)];
}

const isIn = (list: readonly BudgetIncrease[], one: BudgetIncrease): boolean =>
  list.some((other) => canonicalJson(other) === canonicalJson(one));

/** Increases whose end has passed are restored too, and then end at once. */
function increasesOf(budget: Budget, { id, budget: held }: Principal): readonly GwEvent[] {
  const stream = streamOf('principal', id);
  const [wanted, existing] = [budget.increases ?? [], held?.increases ?? []];
  return [
    ...existing
      .filter((one) => !isIn(wanted, one))
      .map((one) => ({
        stream,
        type: 'PrincipalBudgetIncreaseEnded' as const,
        data: { id, increase_id: one.id },
      })),
    ...wanted
      .filter((one) => !isIn(existing, one))
      .map(({ id: increaseId, ...one }) => ({
        stream,
        type: 'PrincipalBudgetIncreased' as const,
        data: { id, increase_id: increaseId, ...snakeKeys(one) },
      })),
  ];
}

export const apiKeys: Restoring<ApiKey> = {
  attainable: (wanted, held, { erased, revokedKeys }) => {
    if (held === undefined && erased.has(wanted.verifierRef)) {
      return { goal: null, losses: [{ field: 'verifier', reason: 'erased' }] };
    }
    const isRevoked = held?.disabled ?? revokedKeys.has(wanted.id);
    const disabled = wanted.disabled || isRevoked;
    const isLost = disabled !== wanted.disabled;
    return {
      goal: { ...wanted, disabled },
      losses: isLost ? [{ field: 'disabled', reason: 'revoked' }] : [],
    };
  },
  created: (goal) => {
    const { id, disabled } = goal;
    const stream = streamOf('api_key', id);
    const revoked = { stream, type: 'ApiKeyRevoked', data: { id } } as const;
    return [createdAs('api_key', goal), ...(disabled ? [revoked] : [])];
  },
  changed: (held, goal) => {
    const { id, disabled } = goal;
    const stream = streamOf('api_key', id);
    return [
      ...(disabled && !held.disabled
        ? [{ stream, type: 'ApiKeyRevoked', data: { id } } as const]
        : []),
      ...setAllFields('api_key', held, goal),
    ];
  },
};
