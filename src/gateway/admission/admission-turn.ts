// What comes of a request whose backend has no free slot: what has one serves it at once, else it waits, and when it may not or waits
// in vain it goes on along its chain (Gateway rule 2; specification, "Errors", 503).

import type { Admission } from './admission.ts';
import { refuseRequest } from '../answer.ts';
import type { GatewayRefusal } from '../answer.ts';
import type { AttemptResult } from '../attempt.ts';
import type { BackendState } from '../backend-state.ts';
import type { Step } from '../plan.ts';
import type { Sending } from '../sending.ts';

export type TurnResult =
  /** It has the slot. */
  | Readonly<{ kind: 'admitted' }>
  | Extract<AttemptResult, { kind: 'ended' }>
  /** `crowded` is the answer when nothing of the chain serves it. */
  | Readonly<{ kind: 'elsewhere'; step: Step | null; crowded: GatewayRefusal | null }>;

const full = refuseRequest('backend_overloaded', 'the backend and its queue are full', {
  retryAfterSeconds: 5,
});
const timedOut = refuseRequest('backend_overloaded', 'the backend had no free slot in time', {
  retryAfterSeconds: 30,
});

const hasSlot = ({ admission }: BackendState): boolean => admission === null || admission.hasSlot;
const hasQueueSpace = ({ admission }: BackendState): boolean =>
  admission === null || admission.hasQueueSpace;

export async function awaitTurn(
  step: Step,
  admission: Admission,
  { walk, plan, crowded }: Sending,
): Promise<TurnResult> {
  // A request that has waited in vain once does not wait again.
  const hasWaited = crowded === timedOut;
  const free = plan.alternative(step, hasSlot);
  const other =
    free === null && !hasWaited && !admission.hasQueueSpace
      ? plan.alternative(step, hasQueueSpace)
      : free;
  if (other !== null || hasWaited) {
    admission.countFull();
    return { kind: 'elsewhere', step: other ?? plan.pass(step), crowded };
  }
  const turn = await admission.wait(walk.exchange, walk.context.monotonic);
  switch (turn) {
    case 'admitted':
      return { kind: 'admitted' };
    case 'gone':
      plan.withdraw();
      return { kind: 'ended', relay: null, usage: null, fault: null };
    case 'full':
      return { kind: 'elsewhere', step: plan.pass(step), crowded: full };
    case 'timed_out':
      return { kind: 'elsewhere', step: plan.pass(step), crowded: timedOut };
  }
}
