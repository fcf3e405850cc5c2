// Who reviews, with what the log says of the credential that they came by.

import type { Queryable } from '@databases/pg';

import { streamOf } from '../../../events/catalogue.ts';
import type { ConfigState } from '../../../projections/config/state.ts';
import { credentialGivers } from '../../db/credential-givers.ts';
import type { Reviewer } from '../../deciders/change-reviewer.ts';
import type { PrincipalId } from '../../lib/ids.ts';

/** By the password that the principal has in this state: a session of another one is over. */
export async function reviewerBy(
  db: Queryable,
  state: ConfigState,
  principalId: PrincipalId,
): Promise<Reviewer> {
  const ref = state.principal.byId.get(principalId)?.passwordRef ?? '';
  const stream = streamOf('principal', principalId);
  const givers = ref === '' ? [] : await credentialGivers(db, { stream, ref });
  const givenBy = givers.flatMap(({ actorId, requestId }) => {
    const authorId = state.change_request.byId.get(requestId ?? 0)?.authorId ?? null;
    return [actorId, authorId].filter((id) => id !== null);
  });
  return { principalId, credential: { ref, givenBy } };
}
