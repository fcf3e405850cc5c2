// Defines the events of principals. Names of kind `user` and e-mail addresses are personal data:
// events carry the vault item's ref and a keyed fingerprint, which shows equal names.

import { z } from 'zod';

import { principalId, roleId } from '../src/lib/ids.ts';
import { budgetCalendar, budgetWindow, principalKind } from '../src/lib/vocabulary.ts';
import { restoredAt } from './event.ts';
import { setter } from './event.ts';
import type { EventDefinition, EventOf } from './event.ts';

/** Exactly one of `text` and `ref` is set. */
export const storedName = z.object({
  text: z.string().nullable(),
  ref: z.uuid().nullable(),
  fingerprint: z.string(),
});
export type StoredName = z.output<typeof storedName>;

/**
 * The identity at an OpenID provider: the issuer's address, the vault ref of its `sub`, and the
 * fingerprint of both together (OpenID Connect Core 1.0, section 5.7).
 */
const identity = z.object({ issuer: z.string(), ref: z.uuid(), fingerprint: z.string() });
export type Identity = z.output<typeof identity>;

const cap = z.int().positive().nullable();

export const principalEvents = {
  PrincipalCreated: {
    touchesSnapshot: true,
    data: z.object({
      id: principalId,
      kind: principalKind,
      name: storedName,
      email_ref: z.uuid().nullable(),
      created_at: restoredAt,
    }),
  },
  PrincipalRenamed: setter({ id: principalId, name: storedName }, { touchesSnapshot: false }),
  PrincipalEmailSet: setter(
    { id: principalId, email_ref: z.uuid().nullable() },
    { touchesSnapshot: false },
  ),
  /** Setting a password promotes a service account to a user. */
  PrincipalPasswordSet: {
    touchesSnapshot: false,
    data: z.object({ id: principalId, password_ref: z.uuid() }),
  },
  /** From this event on, the holder of the identity signs in as the principal. */
  PrincipalIdentityLinked: {
    touchesSnapshot: false,
    data: z.object({ id: principalId, identity }),
  },
  PrincipalIdentityUnlinked: { touchesSnapshot: false, data: z.object({ id: principalId }) },
  /**
   * `by_identity` is set if the role follows from the groups of the identity, and is then revoked
   * with them. It is absent if someone granted the role. The last event decides.
   */
  PrincipalRoleGranted: {
    touchesSnapshot: true,
    data: z.object({
      id: principalId,
      role_id: roleId,
      by_identity: z.literal(true).optional(),
    }),
  },
  PrincipalRoleRevoked: {
    touchesSnapshot: true,
    data: z.object({ id: principalId, role_id: roleId }),
  },
  /** Null means unlimited. */
  PrincipalLimitsSet: {
    change: 'limits',
    touchesSnapshot: true,
    data: z.object({ id: principalId, requests_per_min: cap, tokens_per_min: cap }),
  },
  PrincipalLimitsCleared: {
    change: 'limits',
    touchesSnapshot: true,
    data: z.object({ id: principalId }),
  },
  /**
   * `initial_tokens_used` counts as spent when the budget is created, and is 0 for a change. The
   * last two members are absent while not set, because earlier releases do not know them.
   */
  PrincipalBudgetSet: {
    change: 'limits',
    touchesSnapshot: true,
    data: z.object({
      id: principalId,
      tokens_total: cap,
      cost_total_micros: cap,
      window: budgetWindow,
      initial_tokens_used: z.int().nonnegative(),
      calendar: budgetCalendar.optional(),
      alert_at_percent: z.array(z.int()).readonly().optional(),
    }),
  },
  PrincipalBudgetCleared: {
    change: 'limits',
    touchesSnapshot: true,
    data: z.object({ id: principalId }),
  },
  /** The caps are higher from `starts_at` until `ends_at`. Amounts of several increases add up. */
  PrincipalBudgetIncreased: {
    change: 'limits',
    touchesSnapshot: true,
    data: z.object({
      id: principalId,
      increase_id: z.int().positive(),
      tokens: cap,
      cost_micros: cap,
      reason_ref: z.uuid(),
      starts_at: z.iso.datetime({ offset: true }),
      ends_at: z.iso.datetime({ offset: true }),
    }),
  },
  /** By its end, or by someone before its end. */
  PrincipalBudgetIncreaseEnded: {
    change: 'limits',
    touchesSnapshot: true,
    data: z.object({ id: principalId, increase_id: z.int().positive() }),
  },
  PrincipalDeleted: { touchesSnapshot: true, data: z.object({ id: principalId }) },
} as const satisfies Record<string, EventDefinition>;

export type PrincipalEvent = EventOf<typeof principalEvents>;
