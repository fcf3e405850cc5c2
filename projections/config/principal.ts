// A principal as the fold knows it.

import type { PrincipalEvent, StoredName } from '../../events/principal.ts';
import type { PrincipalId, RoleId } from '../../src/lib/ids.ts';
import type { BudgetWindow, PrincipalKind } from '../../src/lib/vocabulary.ts';
import { checkAbsent, existing, madeAt } from './entity.ts';

/** Null is unlimited. */
export type Limits = Readonly<{ requestsPerMin: number | null; tokensPerMin: number | null }>;

/** What is spent of it lies in op.budget_usage. */
export type Budget = Readonly<{
  tokensTotal: number | null;
  costTotalMicros: number | null;
  window: BudgetWindow;
}>;

export type Principal = Readonly<{
  id: PrincipalId;
  kind: PrincipalKind;
  name: StoredName;
  emailRef: string | null;
  passwordRef: string | null;
  roleIds: readonly RoleId[];
  limits: Limits | null;
  budget: Budget | null;
  createdAt: number;
}>;

export function evolvePrincipal(
  principal: Principal | undefined,
  event: PrincipalEvent,
  recordedAt: number,
): Principal | undefined {
  switch (event.type) {
    case 'PrincipalCreated':
      checkAbsent(principal, event);
      return {
        id: event.data.id,
        kind: event.data.kind,
        name: event.data.name,
        emailRef: event.data.email_ref,
        passwordRef: null,
        roleIds: [],
        limits: null,
        budget: null,
        createdAt: madeAt(event.data.created_at, recordedAt),
      };
    case 'PrincipalRenamed':
      return { ...existing(principal, event), name: event.data.name };
    case 'PrincipalEmailSet':
      return { ...existing(principal, event), emailRef: event.data.email_ref };
    case 'PrincipalPasswordSet':
      return {
        ...existing(principal, event),
        kind: 'user',
        passwordRef: event.data.password_ref,
      };
    case 'PrincipalRoleGranted': {
      const before = existing(principal, event);
      return { ...before, roleIds: [...before.roleIds, event.data.role_id].toSorted(ascending) };
    }
    case 'PrincipalRoleRevoked': {
      const before = existing(principal, event);
      return { ...before, roleIds: before.roleIds.filter((id) => id !== event.data.role_id) };
    }
    case 'PrincipalLimitsSet':
      return {
        ...existing(principal, event),
        limits: {
          requestsPerMin: event.data.requests_per_min,
          tokensPerMin: event.data.tokens_per_min,
        },
      };
    case 'PrincipalLimitsCleared':
      return { ...existing(principal, event), limits: null };
    case 'PrincipalBudgetSet':
      return {
        ...existing(principal, event),
        budget: {
          tokensTotal: event.data.tokens_total,
          costTotalMicros: event.data.cost_total_micros,
          window: event.data.window,
        },
      };
    case 'PrincipalBudgetCleared':
      return { ...existing(principal, event), budget: null };
    case 'PrincipalDeleted':
      existing(principal, event);
      return undefined;
  }
}

const ascending = (a: number, b: number): number => a - b;
