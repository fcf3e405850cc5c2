// Enforces the change policy: which kinds of change need an approved request. All commands pass
// through it, so that no route, import or restore can bypass it. Break-glass changes are applied at
// once and need a review afterwards (docs/guides/four-eyes.md).

import { streamOf } from '../../../events/catalogue.ts';
import type { GwEvent } from '../../../events/catalogue.ts';
import type { EventMetadata } from '../../../events/event.ts';
import { protectedKinds } from '../../../projections/config/protected-kinds.ts';
import type { ConfigState } from '../../../projections/config/state.ts';
import { changeRequestId, principalId } from '../../lib/ids.ts';
import { isRefusal, refuse } from '../../lib/refusal.ts';
import type { ChangeKind } from '../../lib/vocabulary.ts';
import { kindsOf } from './change-kinds.ts';
import type { Decision } from '../decision.ts';
import { decide } from '../decide.ts';
import type { Command } from '../decide.ts';

/** `whyRef` is the reason of a break-glass change without approval; null for other changes. */
export type ChangeMaker = Readonly<{
  kind: EventMetadata['actor']['kind'];
  principalId: number | null;
  whyRef: string | null;
}>;

export function decideUnderPolicy(
  state: ConfigState,
  command: Command,
  maker: ChangeMaker,
): Decision {
  const decision = decide(state, command);
  if (isRefusal(decision) || isExempt(command, maker)) return decision;
  const needed = protectedKinds(state);
  const kinds = kindsOf(decision, maker.principalId).filter((kind) => needed.includes(kind));
  if (kinds.length === 0) return decision;
  if (maker.whyRef === null) return approvalRequired(kinds, maker);
  return [...decision, madeUnapproved(state, decision, { ...maker, kinds, whyRef: maker.whyRef })];
}

/** Approved changes, changes by machines, and erasures that the law may require at once. */
const isExempt = ({ type }: Command, { kind }: ChangeMaker): boolean =>
  kind === 'system' ||
  kind === 'agent' ||
  type === 'ApplyChangeRequest' ||
  type === 'RegisterProvider' ||
  type === 'EraseVaultItems';

const approvalRequired = (kinds: readonly ChangeKind[], { kind }: ChangeMaker) =>
  refuse(
    'approval_required',
    `changes of ${kinds.join(', ')} need an approved change request: draft one at ` +
      `/admin/change-requests, or ${kind === 'cli' ? 'give --break-glass' : 'send x-gw-break-glass'} with a ` +
      'reason, which requires a review afterwards',
  );

type Unapproved = Readonly<{
  principalId: number | null;
  kinds: readonly ChangeKind[];
  whyRef: string;
}>;

function madeUnapproved(
  state: ConfigState,
  events: readonly GwEvent[],
  { principalId: by, kinds, whyRef }: Unapproved,
): GwEvent {
  const id = changeRequestId.parse(state.change_request.lastId + 1);
  const data = {
    id,
    by: by === null ? null : principalId.parse(by),
    why_ref: whyRef,
    kinds,
    event_count: events.length,
  };
  return { stream: streamOf('change_request', id), type: 'ChangeMadeUnapproved', data };
}
