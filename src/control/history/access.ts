// Reviews access at a moment of the log: who could call what, by which role, permission and valid
// keys, and which events granted it. It says nothing about whether the model was served.

import type { Queryable } from '@databases/pg';

import { accessReviewer } from '../../../projections/access-review.ts';
import type { Reviewed } from '../../../projections/access-review.ts';
import type { ConfigState } from '../../../projections/config/state.ts';
import { lastGrants, timeOf } from '../../db/grant-events.ts';
import type { GrantEvent } from '../../db/grant-events.ts';
import type { Vault } from '../../db/vault.ts';
import type { Clock } from '../../lib/clock.ts';
import { isRefusal } from '../../lib/refusal.ts';
import type { Refusal } from '../../lib/refusal.ts';
import { principalNames } from '../access/principal-names.ts';
import type { Moment } from './moment.ts';
import type { PastStates } from './states.ts';

type Moments = Readonly<{
  db: Queryable;
  past: PastStates;
  state: () => ConfigState;
  clock: Clock;
}>;

/**
 * A null moment means now. Keys must be valid at the given time, or when the given position was
 * recorded.
 */
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

/** Created once per moment, called per row. Shows the names of that moment. */
export async function reviewer(sources: Sources, reviewed: Reviewed) {
  const { state } = reviewed;
  const grants = new Map(
    (await lastGrants(sources.db, state.position)).map((grant) => [nameOf(grant), grant]),
  );
  const names: ReadonlyMap<number, string> = await principalNames(sources, [
    ...state.principal.byId.values(),
  ]);
  return accessReviewer(reviewed, {
    grantOf: (name) => grants.get(name) ?? null,
    nameOf: (id) => names.get(id) ?? null,
  });
}

const nameOf = ({ stream, role_id, resource }: GrantEvent): string =>
  `${stream} ${role_id ?? resource}`;
