// When a change request is applied: its author and somebody who approved it may still write the configuration, and its calls come to
// exactly what was approved.

import { streamOf } from '../../../events/catalogue.ts';
import type { GwEvent } from '../../../events/catalogue.ts';
import { outcomeDigest } from '../../../events/change-request.ts';
import type { FailureCause } from '../../../events/change-request.ts';
import type { Approval, ChangeRequest } from '../../../projections/config/change-request.ts';
import type { ConfigState } from '../../../projections/config/state.ts';
import type { PrincipalId } from '../../lib/ids.ts';
import { isRefusal, refuse } from '../../lib/refusal.ts';
import type { Refusal } from '../../lib/refusal.ts';
import { decideCalls } from './changes.ts';
import type { DecideOne, Unfolded } from './changes.ts';
import type { Decision } from '../decision.ts';
import { mayWriteConfig } from '../../../projections/config/grants.ts';

/** Of what is drafted now, by another than its author, who may still write the configuration. */
const validApprovals = (
  state: ConfigState,
  { draft, authorId, approvals }: ChangeRequest,
): readonly Approval[] =>
  approvals.filter(
    ({ by, digest }) => digest === draft?.digest && by !== authorId && mayWriteConfig(state, by),
  );

/** Those by which it could be applied, when its calls come to these events. */
export function coveringApprovals(
  state: ConfigState,
  request: ChangeRequest,
  events: Unfolded['events'],
): readonly Approval[] {
  const { digests } = outcomeText(events);
  return validApprovals(state, request).filter(
    ({ outcome }) => firstDifference(outcome, digests) === null,
  );
}

type Applying<Own> = Readonly<{
  by: PrincipalId | null;
  body: Readonly<{ ref: string; commands: readonly Own[] }>;
}>;

/** A refusal names by `param` what stands in the way: `author`, `approvals`, `body`, or a call. */
export function applied<Own>(
  state: ConfigState,
  request: ChangeRequest,
  { by, body }: Applying<Own>,
  decide: DecideOne<Own>,
): Decision {
  const { id, draft, authorId } = request;
  if (draft?.body_ref !== body.ref) {
    return unfit('body', `change request ${id} was edited meanwhile; it needs another approval`);
  }
  if (authorId === null || !mayWriteConfig(state, authorId)) {
    return unfit('author', 'the author of the request is gone or may no longer write this');
  }
  if (request.approvals.length === 0) {
    return unfit('approvals', `change request ${id} is not approved`);
  }
  const valid = validApprovals(state, request);
  if (valid.length === 0) {
    return unfit('approvals', 'whoever approved it is gone or may no longer write this');
  }
  const unfolded = decideCalls(state, body.commands, decide);
  if (isRefusal(unfolded)) {
    const message = `${unfolded.message}; since the approval the configuration has moved on`;
    return refuse('conflict', message, { param: unfolded.param ?? 'calls' });
  }
  const { digests } = outcomeText(unfolded.events);
  const differing = valid.map(({ outcome }) => firstDifference(outcome, digests));
  if (differing.every((index) => index !== null)) {
    const at = differing[0] ?? 0;
    const { method = '', path = '' } = draft.calls[at] ?? {};
    const message =
      `calls.${at}: ${method} ${path} no longer comes to what was approved: the configuration has ` +
      'moved on; look at the change again and have it approved again';
    return refuse('conflict', message, { param: `calls.${at}` });
  }
  const stream = streamOf('change_request', id);
  return [{ stream, type: 'ChangeRequestApplied', data: { id, by } }, ...unfolded.events.flat()];
}

const unfit = (cause: FailureCause, message: string): Refusal =>
  refuse('conflict', message, { param: cause });

/** The cause that a refusal of `applied` stands for. */
export const causeOf = ({ param }: Refusal): FailureCause =>
  param === 'author' || param === 'approvals' || param === 'body' ? param : 'calls';

/** `text` names all of it: what an approver has looked at. */
export function outcomeText(
  events: readonly (readonly GwEvent[])[],
): Readonly<{ digests: readonly string[]; text: string }> {
  const digests = events.map(outcomeDigest);
  return { digests, text: outcomeDigest(events.flat()) };
}

function firstDifference(one: readonly string[], other: readonly string[]): number | null {
  const at = other.findIndex((digest, index) => digest !== one[index]);
  if (at >= 0) return at;
  return one.length === other.length ? null : other.length;
}
