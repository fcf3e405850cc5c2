// The access review: who could call what at a moment of the log, by which role and permission, which keys were live, and the events
// that granted it. It asks whether a call was allowed, not whether anything served it.

import type { Queryable } from '@databases/pg';

import type { EventMetadata } from '../../../events/event.ts';
import type { Access } from '../../../projections/access.ts';
import type { ConfigState } from '../../../projections/config/state.ts';
import { lastGrants, timeOf } from '../../db/grant-events.ts';
import type { GrantEvent } from '../../db/grant-events.ts';
import type { Vault } from '../../db/vault.ts';
import type { Clock } from '../../lib/clock.ts';
import { isRefusal } from '../../lib/refusal.ts';
import type { Refusal } from '../../lib/refusal.ts';
import { principalNames } from '../principal-names.ts';
import type { Moment } from './moment.ts';
import type { PastStates } from './states.ts';

type ActorKind = EventMetadata['actor']['kind'];

export type Granted = Readonly<{
  position: number;
  at: string;
  actor_kind: ActorKind;
  actor_id: number | null;
  /** As it was called at the moment reviewed; null when it was not there, or its name is erased. */
  actor_name: string | null;
}>;

export type AccessRow = Readonly<{
  principal_id: number;
  /** Empty when it was erased. */
  principal: string;
  model_id: number;
  model: string;
  via: readonly Readonly<{
    role_id: number;
    role: string;
    /** `model/*` is every model, `model/gpt-*` those that begin so. */
    resource: string;
    role_granted: Granted | null;
    permission_granted: Granted | null;
  }>[];
  /** Keys of the principal that were neither revoked nor expired. */
  keys: readonly number[];
}>;

/** `atMs` is when keys are asked to be live. */
export type Reviewed = Readonly<{ state: ConfigState; atMs: number }>;

type Moments = Readonly<{
  db: Queryable;
  past: PastStates;
  state: () => ConfigState;
  clock: Clock;
}>;

/** A null moment is the present. Keys are asked to be live at the time that is named, or when the position was recorded. */
export async function reviewedAt(
  { db, past, state: present, clock }: Moments,
  moment: Moment | null,
  named: string,
): Promise<Reviewed | Refusal> {
  if (moment === null) return { state: present(), atMs: clock() };
  const state = await past.at(moment, named);
  if (isRefusal(state)) return state;
  return { state, atMs: 'at' in moment ? moment.at : await timeOf(db, state.position) };
}

type Sources = Readonly<{ db: Queryable; vault: Pick<Vault, 'reveal'> }>;

export type Reviewer = (access: Access) => AccessRow;

/** Made once for a moment; asked for each row. */
export async function reviewer(sources: Sources, { state, atMs }: Reviewed): Promise<Reviewer> {
  const grants = new Map(
    (await lastGrants(sources.db, state.position)).map((grant) => [nameOf(grant), grant]),
  );
  const names = await principalNames(sources, [...state.principal.byId.values()]);
  const isLive = ({ disabled, expiresAt }: { disabled: boolean; expiresAt: string | null }) =>
    !disabled && (expiresAt === null || Date.parse(expiresAt) > atMs);
  // One list a principal, which all of its rows share.
  const keys = new Map<number, number[]>();
  for (const key of state.api_key.byId.values()) {
    if (!isLive(key)) continue;
    const own = keys.get(key.principalId);
    if (own === undefined) keys.set(key.principalId, [key.id]);
    else own.push(key.id);
  }
  const granted = (name: string): Granted | null => {
    const grant = grants.get(name);
    return grant === undefined ? null : toGranted(grant, names);
  };
  return ({ principalId, modelId, model, via }) => ({
    principal_id: principalId,
    principal: names.get(principalId) ?? '',
    model_id: modelId,
    model,
    via: via.map(({ roleId, role, resource }) => ({
      role_id: roleId,
      role,
      resource: `model/${resource}`,
      role_granted: granted(`principal-${principalId} ${roleId}`),
      permission_granted: granted(`role-${roleId} model/${resource}`),
    })),
    keys: keys.get(principalId) ?? [],
  });
}

const nameOf = ({ stream, role_id, resource }: GrantEvent): string =>
  `${stream} ${role_id ?? resource}`;

const toGranted = (
  { position, recorded_at, actor_kind, actor_id }: GrantEvent,
  names: ReadonlyMap<number, string>,
): Granted => ({
  position,
  at: recorded_at.toISOString(),
  actor_kind,
  actor_id,
  actor_name: actor_id === null ? null : names.get(actor_id) || null,
});
