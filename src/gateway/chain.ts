// Makes the attempts of one request, in order along its route, until one is answered or nothing is left to try (Gateway
// rules 2 and 3).

import { isProtocolRefusal } from '../protocols/refusal.ts';
import type { ProtocolRefusal } from '../protocols/refusal.ts';
import { awaitTurn } from './admission/admission-turn.ts';
import type { TurnResult } from './admission/admission-turn.ts';
import { Attempt } from './attempt.ts';
import type { AttemptResult } from './attempt.ts';
import { conclude, refused } from './conclude.ts';
import type { Conclusion } from './conclude.ts';
import { outboundTo } from './outbound/outbound.ts';
import type { Outbound } from './outbound/outbound-request.ts';
import { Plan } from './plan.ts';
import type { Step } from './plan.ts';
import { noBackend, untranslatable } from './refusals.ts';
import type { Sending } from './sending.ts';
import type { UpstreamFault } from './transport/boundary.ts';
import type { ChainWalk } from './walk.ts';

/** `headers` are sent upstream, without the credential. */
export async function attemptChain(walk: ChainWalk, headers: readonly string[]): Promise<void> {
  const plan = new Plan(walk);
  const sending: Sending = {
    walk,
    plan,
    headers,
    held: null,
    inexpressible: null,
    overloaded: null,
  };
  let next: Step | Conclusion | null = plan.first();
  while (next !== null && !('kind' in next)) {
    next = nextAfter(sending, next, await outcomeOf(sending, next));
  }
  conclude(walk, next ?? (await exhausted(sending)));
}

type Outcome =
  | AttemptResult
  | Exclude<TurnResult, { kind: 'admitted' }>
  /** The protocol of the backend cannot express the request. */
  | Readonly<{ kind: 'inexpressible'; refusal: ProtocolRefusal }>;

/** Returns the promise of the attempt directly: an async function would cost three more microtask turns. */
function outcomeOf(sending: Sending, step: Step): Outcome | Promise<Outcome> {
  const outbound = outboundTo(step.backend, sending);
  if (isProtocolRefusal(outbound)) return { kind: 'inexpressible', refusal: outbound };
  if (step.waitMs === 0) return takeTurn(sending, step, outbound);
  return wait(step.waitMs).then(() => takeTurn(sending, step, outbound));
}

function takeTurn(sending: Sending, step: Step, outbound: Outbound): Promise<Outcome> {
  const { admission } = step.backend;
  if (admission === null || admission.take()) return attempt(sending, step, outbound);
  return awaitTurn(step, admission, sending).then<Outcome>((turn) =>
    turn.kind === 'admitted' ? attempt(sending, step, outbound) : turn,
  );
}

const attempt = (sending: Sending, step: Step, outbound: Outbound): Promise<AttemptResult> =>
  new Attempt(sending, step, outbound).run(outbound.request);

const wait = (waitMs: number): Promise<void> =>
  new Promise((resolve) => void setTimeout(resolve, waitMs));

/** Null when nothing is left to try. */
function nextAfter(sending: Sending, step: Step, outcome: Outcome): Step | Conclusion | null {
  const { walk, plan } = sending;
  switch (outcome.kind) {
    case 'inexpressible': {
      const { refusal } = outcome;
      sending.inexpressible ??= refusal;
      if (refusal.status === 400 && plan.attempts === 1) return refused(untranslatable(refusal));
      return plan.instead(step);
    }
    case 'unserved':
      // Retries the same backend with a chat completion.
      step.backend.lacksResponses = true;
      return { ...step, waitMs: 0 };
    case 'elsewhere':
      sending.overloaded = outcome.overloaded;
      return outcome.step;
    case 'declined':
      sending.held?.abandon();
      sending.held = outcome.held;
      return outcome.next;
    case 'unreached':
      walk.context.log.warn(faultFields(step, outcome.fault), 'a backend was not reached');
      return outcome.next;
    case 'ended': {
      const { relay, usage, fault } = outcome;
      sending.held?.abandon();
      if (fault !== null) walk.context.log.warn(faultFields(step, fault), 'an answer was cut off');
      // The chat route also answers 404, so the model is missing, not the Responses route.
      if (walk.proxied.responses && relay?.head.status === 404) step.backend.lacksResponses = false;
      const isBroken = fault !== null;
      return { kind: 'relayed', step, relay, usage, isBroken, attempts: plan.attempts };
    }
  }
}

async function exhausted(sending: Sending): Promise<Conclusion> {
  const { walk, held, inexpressible, overloaded } = sending;
  const { attempts } = sending.plan;
  if (held !== null) {
    return { kind: 'held', held, body: await held.body(), attempts };
  }
  if (inexpressible !== null && overloaded === null && attempts === 0) {
    return refused(untranslatable(inexpressible));
  }
  const [model] = walk.route.candidates;
  return overloaded === null
    ? refused(noBackend, 'no_backend', model, attempts)
    : refused(overloaded, 'backend_overloaded', model, attempts);
}

const faultFields = ({ backend: { backend } }: Step, { detail }: UpstreamFault) => ({
  api_base: backend.apiBase,
  model: backend.upstreamModel,
  fault: detail,
});
