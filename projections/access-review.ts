// The access review in the shape in which it is answered, from the database and from an export alike: each access with its keys and with
// the events that granted it.

import type { EventMetadata } from '../events/event.ts';
import type { Access } from './access.ts';
import type { ConfigState } from './config/state.ts';

/** The event of a grant. */
export type Grant = Readonly<{
  position: number;
  recorded_at: Date | number;
  actor_kind: EventMetadata['actor']['kind'];
  actor_id: number | null;
}>;

/** `atMs` is when keys must be live. */
export type Reviewed = Readonly<{ state: ConfigState; atMs: number }>;

type Sources = Readonly<{
  /** The last grant up to the reviewed moment, by stream and what is granted: `principal-7 3`, `role-3 model/gpt-*`. */
  grantOf: (name: string) => Grant | null;
  /** Null or empty for a principal that is not there or whose name was erased. */
  nameOf: (principalId: number) => string | null;
}>;

export type AccessRow = ReturnType<ReturnType<typeof accessReviewer>>;

/** Made once for a moment; asked for each row. */
export function accessReviewer({ state, atMs }: Reviewed, { grantOf, nameOf }: Sources) {
  // One list a principal, which all of its rows share.
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
    /** Empty when it was erased. */
    principal: nameOf(principalId) ?? '',
    model_id: modelId,
    model,
    via: via.map(({ roleId, role, resource }) => ({
      role_id: roleId,
      role,
      /** `model/*` is every model, `model/gpt-*` those that begin so. */
      resource: `model/${resource}`,
      role_granted: granted(`principal-${principalId} ${roleId}`),
      permission_granted: granted(`role-${roleId} model/${resource}`),
    })),
    /** Keys of the principal that were neither revoked nor expired. */
    keys: keys.get(principalId) ?? [],
  });
}
