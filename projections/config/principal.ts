// Folds the events of a principal.

import { isSetter } from '../../events/catalogue.ts';
import type { Identity, PrincipalEvent, StoredName } from '../../events/principal.ts';
import type { PrincipalId, RoleId } from '../../src/lib/ids.ts';
import type { BudgetCalendar, BudgetWindow, PrincipalKind } from '../../src/lib/vocabulary.ts';
import { camelKeys } from '../../src/lib/case.ts';
import { checkAbsent, existing, madeAt, withSet } from './entity.ts';

/** Null means unlimited. */
export type Limits = Readonly<{ requestsPerMin: number | null; tokensPerMin: number | null }>;

/** The amount spent is in op.budget_usage. */
export type Budget = Readonly<{
  tokensTotal: number | null;
  costTotalMicros: number | null;
  /** With a calendar, the fixed window of about the same length. */
  window: BudgetWindow;
  /** Absent for windows of a fixed length. */
  calendar?: BudgetCalendar | undefined;
  /** Ascending percentages that cause a notification. Absent if there are none. */
  alertAtPercent?: readonly number[] | undefined;
  /** Temporary, ordered by id. Absent before the first. */
  increases?: readonly BudgetIncrease[] | undefined;
  lastIncreaseId?: number | undefined;
}>;

/** Amounts add to the caps between two times (RFC 3339). */
export type BudgetIncrease = Readonly<{
  id: number;
  tokens: number | null;
  costMicros: number | null;
  reasonRef: string;
  startsAt: string;
  endsAt: string;
}>;

/** The part of a budget that is set as a whole. */
export const budgetSettings = ({
  increases: _increases,
  lastIncreaseId: _last,
  ...settings
}: Budget): Omit<Budget, 'increases' | 'lastIncreaseId'> => settings;

export type Principal = Readonly<{
  id: PrincipalId;
  kind: PrincipalKind;
  name: StoredName;
  emailRef: string | null;
  passwordRef: string | null;
  identity: Identity | null;
  roleIds: readonly RoleId[];
  /** Those that follow from the groups of the identity. */
  identityRoleIds: readonly RoleId[];
  limits: Limits | null;
  budget: Budget | null;
  createdAt: number;
}>;

export function evolvePrincipal(
  principal: Principal | undefined,
  event: PrincipalEvent,
  recordedAt: number,
): Principal | undefined {
  if (isSetter(event)) return withSet(existing(principal, event), event.data);
  switch (event.type) {
    case 'PrincipalCreated':
      checkAbsent(principal, event);
      return {
        ...camelKeys(event.data),
        passwordRef: null,
        identity: null,
        roleIds: [],
        identityRoleIds: [],
        limits: null,
        budget: null,
        createdAt: madeAt(event.data.created_at, recordedAt),
      };
    case 'PrincipalPasswordSet':
      return {
        ...existing(principal, event),
        kind: 'user',
        passwordRef: event.data.password_ref,
      };
    case 'PrincipalRoleGranted':
      return granted(existing(principal, event), event.data);
    case 'PrincipalRoleRevoked':
      return without(existing(principal, event), event.data.role_id);
    case 'PrincipalIdentityLinked':
      return { ...existing(principal, event), kind: 'user', identity: event.data.identity };
    case 'PrincipalIdentityUnlinked':
      return { ...existing(principal, event), identity: null };
    case 'PrincipalLimitsSet': {
      const { id: _, ...limits } = event.data;
      return { ...existing(principal, event), limits: camelKeys(limits) };
    }
    case 'PrincipalLimitsCleared':
      return { ...existing(principal, event), limits: null };
    case 'PrincipalBudgetSet': {
      const { id: _, initial_tokens_used: _spent, ...budget } = event.data;
      const held = existing(principal, event);
      const { increases, lastIncreaseId } = held.budget ?? {};
      const kept = increases === undefined ? {} : { increases, lastIncreaseId };
      return { ...held, budget: { ...camelKeys(budget), ...kept } };
    }
    case 'PrincipalBudgetCleared':
      return { ...existing(principal, event), budget: null };
    case 'PrincipalBudgetIncreased': {
      const { id: _, increase_id: id, ...increase } = event.data;
      return withIncreases(existing(principal, event), (held) =>
        [...held, { id, ...camelKeys(increase) }].toSorted((a, b) => a.id - b.id),
      );
    }
    case 'PrincipalBudgetIncreaseEnded':
      return withIncreases(existing(principal, event), (held) =>
        held.filter(({ id }) => id !== event.data.increase_id),
      );
    case 'PrincipalDeleted':
      existing(principal, event);
      return undefined;
  }
}

function withIncreases(
  principal: Principal,
  change: (held: readonly BudgetIncrease[]) => readonly BudgetIncrease[],
): Principal {
  const { id, budget } = principal;
  if (budget === null) throw new Error(`principal ${id} has no budget to increase`);
  const increases = change(budget.increases ?? []);
  const lastIncreaseId = Math.max(budget.lastIncreaseId ?? 0, increases.at(-1)?.id ?? 0);
  return { ...principal, budget: { ...budget, increases, lastIncreaseId } };
}

type Granted = Extract<PrincipalEvent, { type: 'PrincipalRoleGranted' }>['data'];

function granted(principal: Principal, { role_id: id, by_identity: isMapped }: Granted): Principal {
  const before = without(principal, id);
  const { roleIds, identityRoleIds } = before;
  return {
    ...before,
    roleIds: [...roleIds, id].toSorted(ascending),
    identityRoleIds:
      isMapped === true ? [...identityRoleIds, id].toSorted(ascending) : identityRoleIds,
  };
}

const without = (principal: Principal, role: RoleId): Principal => ({
  ...principal,
  roleIds: principal.roleIds.filter((id) => id !== role),
  identityRoleIds: principal.identityRoleIds.filter((id) => id !== role),
});

const ascending = (a: number, b: number): number => a - b;
