// Who reviews, with what the log says of the credentials that they and the author came by.

import type { Queryable } from '@databases/pg';

import type { ConfigState } from '../../../projections/config/state.ts';
import { passwordsSet } from '../../db/credential-givers.ts';
import type { Reviewer } from '../../deciders/change-reviewer.ts';
import { passwordGivers, passwordGiversThen } from '../../deciders/credential-givers.ts';
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
  const asked = {
    sets: await passwordsSet(db),
    authorOf: (one: ChangeRequestId) => state.change_request.byId.get(one)?.authorId ?? null,
  };
  const givenBy = ref === '' ? [] : passwordGivers(asked, { principalId, ref });
  const { authorId = null, draftedAt: at = 0 } = request ?? {};
  const authorGivenBy =
    authorId === null ? [] : passwordGiversThen(asked, { principalId: authorId, at });
  return { principalId, credential: { ref, givenBy }, authorGivenBy };
}
