// Decides who may review, from the log's record of who set which credentials, and whether a review
// is possible at all.

import type { Queryable } from '@databases/pg';

import type { Principal } from '../../../projections/config/principal.ts';
import type { ConfigState } from '../../../projections/config/state.ts';
import type { CommandEvents } from '../../../projections/rows.ts';
import { identitiesGiven, passwordsSet, tokensGiven } from '../../db/credential-givers.ts';
import { someMayReview } from '../../deciders/changes/change-reviewer.ts';
import type { Reviewer } from '../../deciders/changes/change-reviewer.ts';
import {
  credentialGivers,
  credentialGiversThen,
} from '../../deciders/callers/credential-givers.ts';
import type { CredentialGiven } from '../../deciders/callers/credential-givers.ts';
import { administratorsOf } from '../../../projections/config/grants.ts';
import { principalId } from '../../lib/ids.ts';
import type { ChangeRequestId, PrincipalId } from '../../lib/ids.ts';
import { refuse } from '../../lib/refusal.ts';
import type { Refusal } from '../../lib/refusal.ts';

type Reviewing = Readonly<{ principalId: PrincipalId; id: ChangeRequestId }>;

/**
 * Considers the current password and identity, whichever started the session: a session ends with
 * its credential.
 */
export async function reviewerBy(
  db: Queryable,
  state: ConfigState,
  { principalId, id }: Reviewing,
): Promise<Reviewer> {
  const refs = credentialRefs(state.principal.byId.get(principalId));
  const request = state.change_request.byId.get(id);
  const asked = await credentialFacts(db, state);
  const givenBy = credentialGivers(asked, { principalId, refs });
  const { authorId = null, draftedAt: at = 0 } = request ?? {};
  const authorGivenBy =
    authorId === null ? [] : credentialGiversThen(asked, { principalId: authorId, at });
  return { principalId, credential: { ref: refs[0] ?? '', givenBy }, authorGivenBy };
}

const credentialRefs = (principal: Principal | undefined): readonly string[] =>
  [principal?.passwordRef, principal?.identity?.ref].filter((ref) => typeof ref === 'string');

/**
 * Null if, for some pair of administrators, one may approve the other's draft. Otherwise every
 * change would have to bypass the policy. Another rule requires that there are two. `unwritten` are
 * commands that lead to the state and are not in the log yet.
 */
export async function refuseUnmet(
  db: Queryable,
  state: ConfigState,
  unwritten: readonly CommandEvents[] = [],
): Promise<Refusal | null> {
  const administrators = administratorsOf(state);
  if (administrators.length < 2) return null;
  const asked = await credentialFacts(db, state, unwritten);
  const known = administrators.map((one) => {
    const own = { principalId: one.id, refs: credentialRefs(one) };
    return { id: one.id, givenBy: new Set(credentialGivers(asked, own)) };
  });
  if (someMayReview(known)) return null;
  const message =
    `none of the ${known.length} principals with a login and config:write could approve a change of ` +
    'another of them, because each could know the other’s credential: set one password with gw set-password, ' +
    'and unlink an identity that one of them named or addressed';
  return refuse('conflict', message, { param: 'kinds' });
}

/** The same for the events of a command that sets a policy. Uses the transaction's own state. */
export async function refuseUnmetPolicy(
  tx: Queryable,
  { state, unwritten }: Readonly<{ state: ConfigState; unwritten: readonly CommandEvents[] }>,
  events: CommandEvents,
): Promise<Refusal | null> {
  const isSet = events.some(
    ({ type, data }) => type === 'ChangePolicySet' && data.kinds.length > 0,
  );
  return isSet ? refuseUnmet(tx, state, unwritten) : null;
}

const credentialFacts = async (
  db: Queryable,
  state: ConfigState,
  unwritten: readonly CommandEvents[] = [],
) => ({
  given: [
    ...[
      ...(await passwordsSet(db)),
      ...(await identitiesGiven(db)),
      ...(await tokensGiven(db)),
    ].toSorted((one, other) => one.position - other.position),
    ...unwritten.flatMap(passwordsIn),
  ],
  authorOf: (one: ChangeRequestId) => state.change_request.byId.get(one)?.authorId ?? null,
});

/** The credentials given by commands that are not in the log yet. */
function passwordsIn(events: CommandEvents): CredentialGiven[] {
  const applied = events.find(({ type }) => type === 'ChangeRequestApplied');
  const requestId = applied?.type === 'ChangeRequestApplied' ? applied.data.id : null;
  return events.flatMap((event) => {
    if (event.type !== 'PrincipalPasswordSet') return [];
    const { data, metadata, recordedAt: at } = event;
    const by = metadata.actor.principal_id;
    const actorId = by === null ? null : principalId.parse(by);
    const ref = data.password_ref;
    return { principalId: data.id, kind: 'password', ref, actorId, requestId, at };
  });
}
