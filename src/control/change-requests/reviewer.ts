// Who reviews, with what the log says of the credentials that they and the author came by; and whether anybody could.

import type { Queryable } from '@databases/pg';

import type { ConfigState } from '../../../projections/config/state.ts';
import { passwordsSet } from '../../db/credential-givers.ts';
import { someMayReview } from '../../deciders/change-reviewer.ts';
import type { Reviewer } from '../../deciders/change-reviewer.ts';
import { passwordGivers, passwordGiversThen } from '../../deciders/credential-givers.ts';
import { administratorsOf } from '../../deciders/grants.ts';
import { refuse } from '../../lib/refusal.ts';
import type { Refusal } from '../../lib/refusal.ts';
import type { ChangeRequestId, PrincipalId } from '../../lib/ids.ts';

type Reviewing = Readonly<{ principalId: PrincipalId; id: ChangeRequestId }>;

/** By the password that the principal has in this state: a session of another one is over. */
export async function reviewerBy(
  db: Queryable,
  state: ConfigState,
  { principalId, id }: Reviewing,
): Promise<Reviewer> {
  const ref = state.principal.byId.get(principalId)?.passwordRef ?? '';
  const request = state.change_request.byId.get(id);
  const asked = await passwordFacts(db, state);
  const givenBy = ref === '' ? [] : passwordGivers(asked, { principalId, ref });
  const { authorId = null, draftedAt: at = 0 } = request ?? {};
  const authorGivenBy =
    authorId === null ? [] : passwordGiversThen(asked, { principalId: authorId, at });
  return { principalId, credential: { ref, givenBy }, authorGivenBy };
}

/**
 * Null when of some two administrators the one may approve what the other drafts. Else a policy would leave nothing but the way past it.
 * That there are two is another rule.
 */
export async function refuseUnmet(db: Queryable, state: ConfigState): Promise<Refusal | null> {
  const administrators = administratorsOf(state);
  if (administrators.length < 2) return null;
  const asked = await passwordFacts(db, state);
  const known = administrators.map(({ id, passwordRef }) => {
    const own = { principalId: id, ref: passwordRef ?? '' };
    return { id, givenBy: new Set(passwordGivers(asked, own)) };
  });
  if (someMayReview(known)) return null;
  const message =
    `none of the ${known.length} principals with a password and config:write could approve a change of ` +
    'another of them, for each could have come by the password of the other: let gw set-password set one';
  return refuse('conflict', message, { param: 'kinds' });
}

const passwordFacts = async (db: Queryable, state: ConfigState) => ({
  sets: await passwordsSet(db),
  authorOf: (one: ChangeRequestId) => state.change_request.byId.get(one)?.authorId ?? null,
});
