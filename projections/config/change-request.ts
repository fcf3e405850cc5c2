// Folds the events of a change request, or of a change that was made without one and needs a
// review.

import type { ChangeRequestEvent, FailureCause, StoredDraft } from '../../events/change-request.ts';
import type { ChangeRequestId, PrincipalId } from '../../src/lib/ids.ts';
import type { ChangeKind, ChangeRequestState } from '../../src/lib/vocabulary.ts';
import { checkAbsent, existing } from './entity.ts';

/** Covers only the draft that `digest` names. `outcome` is empty once the request has ended. */
export type Approval = Readonly<{
  by: PrincipalId;
  digest: string;
  outcome: readonly string[];
  at: number;
}>;

export type Failure = Readonly<{ cause: FailureCause; messageRef: string; at: number }>;

/** Times are epoch milliseconds. */
export type ChangeRequest = Readonly<{
  id: ChangeRequestId;
  state: ChangeRequestState;
  /** Null for a change from the command line. */
  authorId: PrincipalId | null;
  /** The title, or the reason for a change without approval. */
  titleRef: string;
  kinds: readonly ChangeKind[];
  eventCount: number;
  /** Null if the change was made without a request. */
  draft: StoredDraft | null;
  draftedAt: number;
  approvals: readonly Approval[];
  applyAt: number | null;
  failure: Failure | null;
  createdAt: number;
  /** Null while the request is open or needs a review. */
  ended: Readonly<{ at: number; by: PrincipalId | null }> | null;
}>;

export function evolveChangeRequest(
  request: ChangeRequest | undefined,
  event: ChangeRequestEvent,
  at: number,
): ChangeRequest {
  if (event.type === 'ChangeRequestDrafted' || event.type === 'ChangeMadeUnapproved') {
    checkAbsent(request, event);
    return begun(event, at);
  }
  const held = existing(request, event);
  switch (event.type) {
    case 'ChangeRequestEdited':
      return { ...held, ...drafted(event.data, at), ...unapproved, failure: null };
    case 'ChangeRequestApproved': {
      const { by, digest, outcome } = event.data;
      const others = held.approvals.filter((one) => one.by !== by);
      const approvals = [...others, { by, digest, outcome, at }];
      return { ...held, state: held.applyAt === null ? 'approved' : 'scheduled', approvals };
    }
    case 'ChangeRequestScheduled': {
      const { apply_at: text } = event.data;
      const applyAt = text === null ? null : Date.parse(text);
      return { ...held, state: applyAt === null ? 'approved' : 'scheduled', applyAt };
    }
    case 'ChangeRequestFailed': {
      const { cause, message_ref: messageRef } = event.data;
      return { ...held, ...unapproved, failure: { cause, messageRef, at } };
    }
    case 'ChangeRequestRefused':
      return ended(held, 'refused', { at, by: event.data.by });
    case 'ChangeRequestWithdrawn':
      return ended(held, 'withdrawn', { at, by: event.data.by });
    case 'ChangeRequestApplied':
      return ended(held, 'applied', { at, by: event.data.by });
    case 'ChangeRequestExpired':
      return ended(held, 'expired', { at, by: null });
    case 'ChangeReviewed':
      return ended(held, 'reviewed', { at, by: event.data.by });
  }
}

const unapproved = { state: 'open', approvals: [], applyAt: null } as const;

type Beginning = Extract<
  ChangeRequestEvent,
  { type: 'ChangeRequestDrafted' | 'ChangeMadeUnapproved' }
>;

function begun(event: Beginning, at: number): ChangeRequest {
  const fresh = { id: event.data.id, ...unapproved, failure: null, createdAt: at, ended: null };
  if (event.type === 'ChangeRequestDrafted') {
    return { ...fresh, authorId: event.data.author_id, ...drafted(event.data, at) };
  }
  const { by, why_ref: titleRef, kinds, event_count: eventCount } = event.data;
  const made = { authorId: by, titleRef, kinds, eventCount, draft: null, draftedAt: at };
  return { ...fresh, ...made, state: 'review_due' };
}

type Drafted = Readonly<{ title_ref: string; draft: StoredDraft }>;

const drafted = ({ title_ref: titleRef, draft }: Drafted, draftedAt: number) => ({
  titleRef,
  kinds: draft.kinds,
  eventCount: draft.event_count,
  draft,
  draftedAt,
});

/** The outcomes of the approvals are no longer needed. */
const ended = (
  held: ChangeRequest,
  state: ChangeRequestState,
  end: NonNullable<ChangeRequest['ended']>,
): ChangeRequest => ({
  ...held,
  state,
  approvals: held.approvals.map((approval) => ({ ...approval, outcome: [] })),
  ended: end,
});

export const isOpen = ({ draft, ended }: ChangeRequest): boolean =>
  draft !== null && ended === null;
