// Formats the access review of the database and of exports: each access with its keys and the
// events that granted it.

import type { EventMetadata } from '../events/event.ts';
import type { Access } from './access.ts';
import type { ConfigState } from './config/state.ts';

export type Grant = Readonly<{
  position: number;
  recorded_at: Date | number;
  actor_kind: EventMetadata['actor']['kind'];
  actor_id: number | null;
}>;

/** Keys must be valid at `atMs`. */
export type Reviewed = Readonly<{ state: ConfigState; atMs: number }>;

type Sources = Readonly<{
  /**
   * The last grant up to the reviewed time, by stream and granted item: `principal-7 3`, `role-3
   * model/gpt-*`.
   */
  grantOf: (name: string) => Grant | null;
  /** Null or empty if the principal does not exist or its name was erased. */
  nameOf: (principalId: number) => string | null;
}>;

export type AccessRow = ReturnType<ReturnType<typeof accessReviewer>>;

/** Built once per review and used for each row. */
export function accessReviewer({ state, atMs }: Reviewed, { grantOf, nameOf }: Sources) {
  // Shared by all rows of a principal.
  const keys = new Map<number, number[]>();
  for (const { id, principalId, disabled, expiresAt } of state.api_key.byId.values()) {
    if (disabled || (expiresAt !== null && Date.parse(expiresAt) <= atMs)) continue;
    const own = keys.get(principalId);
    if (own === undefined) keys.set(principalId, [id]);
    else own.push(id);
  }
  const granted = (name: string) => {
    const grant = grantOf(name);
    if (grant === null) return null;
    const { position, recorded_at: at, actor_kind, actor_id } = grant;
    const actor_name = actor_id === null ? null : nameOf(actor_id) || null;
    return { position, at: new Date(at).toISOString(), actor_kind, actor_id, actor_name };
  };
  return ({ principalId, modelId, model, via }: Access) => ({
    principal_id: principalId,
    /** Empty if the name was erased. */
    principal: nameOf(principalId) ?? '',
    model_id: modelId,
    model,
    via: via.map(({ roleId, role, resource }) => ({
      role_id: roleId,
      role,
      /** `model/*` grants every model, and `model/gpt-*` those with that prefix. */
      resource: `model/${resource}`,
      role_granted: granted(`principal-${principalId} ${roleId}`),
      permission_granted: granted(`role-${roleId} model/${resource}`),
    })),
    /** Those that are neither revoked nor expired. */
    keys: keys.get(principalId) ?? [],
  });
}
