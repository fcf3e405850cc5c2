// Decides whether a change request can be applied: its author and at least one approver can still
// write the configuration, and its calls produce exactly the approved events.

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

/**
 * Approvals of the current draft, by principals other than the author that can still write the
 * configuration.
 */
const validApprovals = (
  state: ConfigState,
  { draft, authorId, approvals }: ChangeRequest,
): readonly Approval[] =>
  approvals.filter(
    ({ by, digest }) => digest === draft?.digest && by !== authorId && mayWriteConfig(state, by),
  );

/** The approvals that cover these events. */
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

/** A refusal's `param` names the cause: `author`, `approvals`, `body`, or a call. */
export function applied<Own>(
  state: ConfigState,
  request: ChangeRequest,
  { by, body }: Applying<Own>,
  decide: DecideOne<Own>,
): Decision {
  const { id, draft, authorId } = request;
  if (draft?.body_ref !== body.ref) {
    return unfit(
      'body',
      `change request ${id} was edited in the meantime; it needs another approval`,
    );
  }
  if (authorId === null || !mayWriteConfig(state, authorId)) {
    return unfit(
      'author',
      'the author of the request was deleted or can no longer write the configuration',
    );
  }
  if (request.approvals.length === 0) {
    return unfit('approvals', `change request ${id} is not approved`);
  }
  const valid = validApprovals(state, request);
  if (valid.length === 0) {
    return unfit(
      'approvals',
      'every approver was deleted or can no longer write the configuration',
    );
  }
  const unfolded = decideCalls(state, body.commands, decide);
  if (isRefusal(unfolded)) {
    const message = `${unfolded.message}; the configuration has changed since the approval`;
    return refuse('conflict', message, { param: unfolded.param ?? 'calls' });
  }
  const { digests } = outcomeText(unfolded.events);
  const differing = valid.map(({ outcome }) => firstDifference(outcome, digests));
  if (differing.every((index) => index !== null)) {
    const at = differing[0] ?? 0;
    const { method = '', path = '' } = draft.calls[at] ?? {};
    const message =
      `calls.${at}: ${method} ${path} no longer produces the approved events: ` +
      'the configuration has changed; review the change and have it approved again';
    return refuse('conflict', message, { param: `calls.${at}` });
  }
  const stream = streamOf('change_request', id);
  return [{ stream, type: 'ChangeRequestApplied', data: { id, by } }, ...unfolded.events.flat()];
}

const unfit = (cause: FailureCause, message: string): Refusal =>
  refuse('conflict', message, { param: cause });

export const causeOf = ({ param }: Refusal): FailureCause =>
  param === 'author' || param === 'approvals' || param === 'body' ? param : 'calls';

/** A digest of all events, which an approver confirms. */
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
