// Decides commands on change requests (docs/guides/four-eyes.md): the author drafts and edits,
// another principal approves, then the calls are applied in one transaction. An approval covers the
// exact calls and their events, and is void if either changes.

import { streamOf } from '../../../events/catalogue.ts';
import type { GwEvent } from '../../../events/catalogue.ts';
import type { StoredDraft } from '../../../events/change-request.ts';
import { isOpen } from '../../../projections/config/change-request.ts';
import type { ChangeRequest } from '../../../projections/config/change-request.ts';
import type { ConfigState } from '../../../projections/config/state.ts';
import { toRfc3339 } from '../../lib/clock.ts';
import { changeRequestId } from '../../lib/ids.ts';
import type { ChangeRequestId, PrincipalId } from '../../lib/ids.ts';
import { isRefusal, refuse } from '../../lib/refusal.ts';
import type { Refusal } from '../../lib/refusal.ts';
import { kindsOf } from './change-kinds.ts';
import { decideCalls } from './changes.ts';
import type { DecideOne } from './changes.ts';
import { applied, outcomeText } from './change-apply.ts';
import { refuseReviewer } from './change-reviewer.ts';
import type { Reviewer } from './change-reviewer.ts';
import type { Decision } from '../decision.ts';

/** The vault holds the calls with their bodies under `ref`. `commands` are prepared from them. */
export type RequestBody<Own> = Readonly<{ ref: string; commands: readonly Own[] }>;

/** `digest` is keyed, and covers the bytes under the ref. */
export type NewDraft<Own> = RequestBody<Own> &
  Readonly<{ digest: string; calls: StoredDraft['calls'] }>;

type Named = Readonly<{ id: ChangeRequestId; by: PrincipalId }>;

/** `now` is epoch milliseconds. */
export type ChangeRequestCommand<Own> =
  | Readonly<{
      type: 'DraftChangeRequest';
      by: PrincipalId;
      titleRef: string;
      draft: NewDraft<Own>;
    }>
  /** Null keeps the title. */
  | (Named &
      Readonly<{
        type: 'EditChangeRequest';
        titleRef: string | null;
        draft: NewDraft<Own> | null;
        now: number;
      }>)
  /** `digest` and `outcome` are those of the reviewed draft. */
  | Readonly<{
      type: 'ApproveChangeRequest';
      id: ChangeRequestId;
      by: Reviewer;
      digest: string;
      outcome: string;
      body: RequestBody<Own>;
      now: number;
    }>
  | (Named & Readonly<{ type: 'RefuseChangeRequest' }>)
  | (Named & Readonly<{ type: 'WithdrawChangeRequest' }>)
  /** `applyAt` is epoch milliseconds; null removes the schedule. */
  | (Named & Readonly<{ type: 'ScheduleChangeRequest'; applyAt: number | null; now: number }>)
  /** `by` is null if the schedule applies it. */
  | Readonly<{
      type: 'ApplyChangeRequest';
      id: ChangeRequestId;
      by: PrincipalId | null;
      body: RequestBody<Own>;
      now: number;
    }>
  | Readonly<{
      type: 'FailChangeRequest';
      id: ChangeRequestId;
      cause: Extract<GwEvent, { type: 'ChangeRequestFailed' }>['data']['cause'];
      messageRef: string;
      now: number;
    }>
  | Readonly<{ type: 'ExpireChangeRequest'; id: ChangeRequestId; now: number }>
  | Readonly<{ type: 'ReviewChange'; id: ChangeRequestId; by: Reviewer }>;

/** Each is kept in memory; its calls are in the vault. */
export const openRequestsMax = 200;
export const approvalsMax = 20;
/** Counted from the last edit. */
export const requestAgeMaxMs = 30 * 24 * 60 * 60 * 1000;

export const isExpired = (request: ChangeRequest, now: number): boolean =>
  isOpen(request) && now >= request.draftedAt + requestAgeMaxMs;

type Of<Own, Type extends ChangeRequestCommand<Own>['type']> = Extract<
  ChangeRequestCommand<Own>,
  { type: Type }
>;

export function decideChangeRequest<Own>(
  state: ConfigState,
  command: ChangeRequestCommand<Own>,
  decide: DecideOne<Own>,
): Decision {
  if (command.type === 'DraftChangeRequest') return draft(state, command, decide);
  const request = state.change_request.byId.get(command.id);
  if (request === undefined) {
    return refuse('absent', `change request ${command.id} does not exist`);
  }
  if (command.type === 'ReviewChange') return review(state, request, command.by);
  if (!isOpen(request)) {
    // Another sweep was faster.
    if (command.type === 'ExpireChangeRequest' || command.type === 'FailChangeRequest') return [];
    return refuse('conflict', `change request ${request.id} is ${request.state}`);
  }
  switch (command.type) {
    case 'EditChangeRequest':
      return edit(state, request, command, decide);
    case 'ApproveChangeRequest':
      return approve(state, request, command, decide);
    case 'RefuseChangeRequest':
      return request.authorId === command.by
        ? refuse('conflict', 'this is your own change request: withdraw it')
        : [event(request, 'ChangeRequestRefused', { by: command.by })];
    case 'WithdrawChangeRequest':
      return request.authorId === command.by
        ? [event(request, 'ChangeRequestWithdrawn', { by: command.by })]
        : notTheAuthor('withdraw');
    case 'ScheduleChangeRequest':
      return schedule(request, command);
    case 'ApplyChangeRequest':
      return apply(state, request, command, decide);
    case 'FailChangeRequest':
      return isDue(request, command.now) ? [failed(request, command)] : [];
    case 'ExpireChangeRequest':
      return isExpired(request, command.now) ? [event(request, 'ChangeRequestExpired', {})] : [];
  }
}

export const isDue = ({ applyAt }: ChangeRequest, now: number): boolean =>
  applyAt !== null && applyAt <= now;

function apply<Own>(
  state: ConfigState,
  request: ChangeRequest,
  command: Of<Own, 'ApplyChangeRequest'>,
  decide: DecideOne<Own>,
): Decision {
  if (command.by === null && !isDue(request, command.now)) {
    return refuse('conflict', `change request ${request.id} is not due`);
  }
  return expiredAt(request, command.now) ?? applied(state, request, command, decide);
}

type RequestEvent = Extract<GwEvent, { type: `Change${string}` }>;
type DataOf<Type> = Omit<Extract<RequestEvent, { type: Type }>['data'], 'id'>;

const event = <Type extends Exclude<RequestEvent['type'], 'ChangePolicySet'>>(
  { id }: Pick<ChangeRequest, 'id'>,
  type: Type,
  data: DataOf<Type>,
) => ({ stream: streamOf('change_request', id), type, data: { id, ...data } }) as const;

function draft<Own>(
  state: ConfigState,
  { by, titleRef, draft }: Of<Own, 'DraftChangeRequest'>,
  decide: DecideOne<Own>,
): Decision {
  const open = [...state.change_request.byId.values()].filter(isOpen).length;
  if (open >= openRequestsMax) {
    return refuse(
      'conflict',
      `${open} change requests are open; the maximum is ${openRequestsMax}`,
    );
  }
  const stored = storedDraft(state, draft, decide);
  if (isRefusal(stored)) return stored;
  const id = changeRequestId.parse(state.change_request.lastId + 1);
  return [
    event({ id }, 'ChangeRequestDrafted', { author_id: by, title_ref: titleRef, draft: stored }),
  ];
}

function storedDraft<Own>(
  state: ConfigState,
  { ref, digest, calls, commands }: NewDraft<Own>,
  decide: DecideOne<Own>,
): StoredDraft | Refusal {
  const unfolded = decideCalls(state, commands, decide);
  if (isRefusal(unfolded)) return unfolded;
  const events = unfolded.events.flat();
  return { body_ref: ref, digest, calls, kinds: kindsOf(events), event_count: events.length };
}

function edit<Own>(
  state: ConfigState,
  request: ChangeRequest,
  { by, titleRef, draft, now }: Of<Own, 'EditChangeRequest'>,
  decide: DecideOne<Own>,
): Decision {
  if (request.authorId !== by) return notTheAuthor('edit');
  const expired = expiredAt(request, now);
  if (expired !== null) return expired;
  const stored = draft === null ? request.draft : storedDraft(state, draft, decide);
  if (isRefusal(stored)) return stored;
  if (stored === null || (titleRef === null && draft === null)) return [];
  const data = { title_ref: titleRef ?? request.titleRef, draft: stored };
  return [event(request, 'ChangeRequestEdited', data)];
}

function approve<Own>(
  state: ConfigState,
  request: ChangeRequest,
  { by, digest, outcome, body, now }: Of<Own, 'ApproveChangeRequest'>,
  decide: DecideOne<Own>,
): Decision {
  const unfit = expiredAt(request, now) ?? refuseReviewer(state, request, by);
  if (unfit !== null) return unfit;
  if (request.draft?.digest !== digest || request.draft.body_ref !== body.ref) {
    return refuse(
      'conflict',
      `digest ${digest} is not that of the current draft; review it again`,
      {
        param: 'digest',
      },
    );
  }
  const unfolded = decideCalls(state, body.commands, decide);
  if (isRefusal(unfolded)) return unfolded;
  const { digests, text } = outcomeText(unfolded.events);
  if (text !== outcome) {
    return refuse(
      'conflict',
      `outcome ${outcome} differs from the current result of the calls; review it again`,
      {
        param: 'outcome',
      },
    );
  }
  const given = request.approvals.find((one) => one.by === by.principalId);
  if (given !== undefined && given.outcome.join() === digests.join()) return [];
  if (given === undefined && request.approvals.length >= approvalsMax) {
    return refuse(
      'conflict',
      `change request ${request.id} already has ${approvalsMax} approvals, the maximum`,
    );
  }
  return [
    event(request, 'ChangeRequestApproved', { by: by.principalId, digest, outcome: digests }),
  ];
}

function schedule(
  request: ChangeRequest,
  { by, applyAt, now }: Of<never, 'ScheduleChangeRequest'>,
): Decision {
  if (applyAt === request.applyAt) return [];
  const made = event(request, 'ChangeRequestScheduled', {
    by,
    apply_at: applyAt === null ? null : toRfc3339(applyAt),
  });
  if (applyAt === null) return [made];
  const expired = expiredAt(request, now);
  if (expired !== null) return expired;
  if (request.approvals.length === 0) {
    return refuse('conflict', `change request ${request.id} is not approved`);
  }
  const until = request.draftedAt + requestAgeMaxMs;
  if (applyAt <= now || applyAt >= until) {
    const bounds = `${toRfc3339(now)} and ${toRfc3339(until)}`;
    return refuse('invalid', `at: must be between ${bounds}, was ${toRfc3339(applyAt)}`, {
      param: 'at',
    });
  }
  return [made];
}

const failed = (
  request: ChangeRequest,
  { cause, messageRef: message_ref }: Of<never, 'FailChangeRequest'>,
) => event(request, 'ChangeRequestFailed', { cause, message_ref });

function review(state: ConfigState, request: ChangeRequest, by: Reviewer): Decision {
  if (request.state === 'reviewed') return [];
  if (request.state !== 'review_due') {
    return refuse('conflict', `change request ${request.id} does not need a review`);
  }
  return (
    refuseReviewer(state, request, by) ?? [event(request, 'ChangeReviewed', { by: by.principalId })]
  );
}

const expiredAt = (request: ChangeRequest, now: number): Refusal | null =>
  isExpired(request, now)
    ? refuse('conflict', `change request ${request.id} is too old; draft it again`)
    : null;

const notTheAuthor = (verb: string): Refusal =>
  refuse('forbidden', `only the author can ${verb} a change request`);
