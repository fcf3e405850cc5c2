// Handles a request whose backend has no free slot: another backend serves it, or it waits, or it continues along its chain
// when the queue is full or the wait times out (Gateway rule 2; specification, "Errors", 503).

import type { Admission } from './admission.ts';
import { refuseRequest } from '../answer.ts';
import type { GatewayRefusal } from '../answer.ts';
import type { AttemptResult } from '../attempt.ts';
import type { BackendState } from '../backend-state.ts';
import type { Step } from '../plan.ts';
import type { Sending } from '../sending.ts';

export type TurnResult =
  /** The request holds a slot. */
  | Readonly<{ kind: 'admitted' }>
  | Extract<AttemptResult, { kind: 'ended' }>
  /** `overloaded` is the answer if nothing else in the chain serves the request. */
  | Readonly<{ kind: 'elsewhere'; step: Step | null; overloaded: GatewayRefusal | null }>;

const full = refuseRequest(
  'backend_overloaded',
  'the backend has no free slot and its queue is full; retry later',
  {
    retryAfterSeconds: 5,
  },
);
const timedOut = refuseRequest(
  'backend_overloaded',
  'the wait for a free slot of the backend timed out; retry later',
  {
    retryAfterSeconds: 30,
  },
);

const hasSlot = ({ admission }: BackendState): boolean => admission === null || admission.hasSlot;
const hasQueueSpace = ({ admission }: BackendState): boolean =>
  admission === null || admission.hasQueueSpace;

export async function awaitTurn(
  step: Step,
  admission: Admission,
  { walk, plan, overloaded }: Sending,
): Promise<TurnResult> {
  // A request waits at most once.
  const hasWaited = overloaded === timedOut;
  const free = plan.alternative(step, hasSlot);
  const other =
    free === null && !hasWaited && !admission.hasQueueSpace
      ? plan.alternative(step, hasQueueSpace)
      : free;
  if (other !== null || hasWaited) {
    admission.countFull();
    return { kind: 'elsewhere', step: other ?? plan.pass(step), overloaded };
  }
  const turn = await admission.wait(walk.exchange, walk.context.monotonic);
  switch (turn) {
    case 'admitted':
      return { kind: 'admitted' };
    case 'gone':
      plan.withdraw();
      return { kind: 'ended', relay: null, usage: null, fault: null };
    case 'full':
      return { kind: 'elsewhere', step: plan.pass(step), overloaded: full };
    case 'timed_out':
      return { kind: 'elsewhere', step: plan.pass(step), overloaded: timedOut };
  }
}
