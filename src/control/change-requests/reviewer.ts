// Who reviews, with what the log says of the credential that they came by.

import type { Queryable } from '@databases/pg';

import type { ConfigState } from '../../../projections/config/state.ts';
import { passwordsSet } from '../../db/credential-givers.ts';
import type { Reviewer } from '../../deciders/change-reviewer.ts';
import { passwordGivers } from '../../deciders/credential-givers.ts';
import type { PrincipalId } from '../../lib/ids.ts';

/** By the password that the principal has in this state: a session of another one is over. */
export async function reviewerBy(
  db: Queryable,
  state: ConfigState,
  principalId: PrincipalId,
): Promise<Reviewer> {
  const ref = state.principal.byId.get(principalId)?.passwordRef ?? '';
  const sets = ref === '' ? [] : await passwordsSet(db);
  const authorOf = (id: number): PrincipalId | null =>
    state.change_request.byId.get(id)?.authorId ?? null;
  const givenBy = passwordGivers({ sets, authorOf }, { principalId, ref });
  return { principalId, credential: { ref, givenBy } };
}
