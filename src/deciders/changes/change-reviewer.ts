// Who may approve or review a change: another principal than its author, who may write the configuration. And nobody could have been
// both: not the author with a credential that they gave the reviewer, not the reviewer with one that they gave the author, nor a third
// one who gave both of them theirs.

import type { ChangeRequest } from '../../../projections/config/change-request.ts';
import type { ConfigState } from '../../../projections/config/state.ts';
import type { PrincipalId } from '../../lib/ids.ts';
import { refuse } from '../../lib/refusal.ts';
import type { Refusal } from '../../lib/refusal.ts';
import { mayWriteConfig } from '../../../projections/config/grants.ts';

/**
 * Who approves, and by which credential: the ref of the password or else of the identity that they log in by, or of the verifier of a key.
 * `givenBy` are those who could have come by any of them (credential-givers.ts).
 */
export type Reviewer = Readonly<{
  principalId: PrincipalId;
  credential: Readonly<{ ref: string; givenBy: readonly PrincipalId[] }>;
  /** Who could have come by the credentials that the author had when the change was drafted, or made. */
  authorGivenBy: readonly PrincipalId[];
}>;

/** Null when they may. */
export function refuseReviewer(
  state: ConfigState,
  { authorId }: Pick<ChangeRequest, 'authorId'>,
  { principalId, credential, authorGivenBy }: Reviewer,
): Refusal | null {
  if (principalId === authorId) {
    return refuse('forbidden', 'nobody approves or reviews a change of their own');
  }
  if (!mayWriteConfig(state, principalId)) {
    return refuse('forbidden', 'to approve or review a change needs config:write');
  }
  if (!isHeld(state, principalId, credential.ref)) {
    return refuse('conflict', 'your credential was replaced meanwhile; log in again');
  }
  if (authorId !== null && credential.givenBy.includes(authorId)) {
    return refuse(
      'forbidden',
      'the author of this change gave you your credential, or gave one to who did: ' +
        renewed('your'),
    );
  }
  if (authorGivenBy.includes(principalId)) {
    return refuse(
      'forbidden',
      'you gave the author of this change their credential, or gave one to who did: ' +
        `${renewed('their')}, and have it drafted again`,
    );
  }
  if (authorGivenBy.some((one) => credential.givenBy.includes(one))) {
    return refuse(
      'forbidden',
      'one and the same principal gave you and the author of this change your credentials: ' +
        renewed('your'),
    );
  }
  return null;
}

/** What helps against both kinds of credential. */
const renewed = (whose: 'your' | 'their'): string =>
  `let another administrator, or gw set-password, set ${whose} password, ` +
  `and unlink ${whose} identity where there is one (DELETE /admin/principals/{id}/identity)`;

/** A principal with a login and config:write, with those who could have come by its credentials. */
export type Administrator = Readonly<{ id: PrincipalId; givenBy: ReadonlySet<PrincipalId> }>;

/** Whether of some two the one may approve what the other drafts. It does not matter which: what bars the one bars the other. */
export const someMayReview = (administrators: readonly Administrator[]): boolean =>
  administrators.some((one, index) =>
    administrators.slice(index + 1).some((other) => !couldBeOne(one, other)),
  );

const couldBeOne = (one: Administrator, other: Administrator): boolean =>
  one.givenBy.has(other.id) ||
  other.givenBy.has(one.id) ||
  [...one.givenBy].some((giver) => other.givenBy.has(giver));

function isHeld(state: ConfigState, id: PrincipalId, ref: string): boolean {
  const principal = state.principal.byId.get(id);
  if (principal?.passwordRef === ref || principal?.identity?.ref === ref) return true;
  return [...state.api_key.byId.values()].some(
    ({ principalId, verifierRef, disabled }) =>
      principalId === id && verifierRef === ref && !disabled,
  );
}
