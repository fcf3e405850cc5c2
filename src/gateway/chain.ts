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
export const attemptChain = (walk: ChainWalk, headers: readonly string[]): Promise<void> =>
  new Chain(walk, headers).run();

type Outcome =
  | AttemptResult
  | Exclude<TurnResult, { kind: 'admitted' }>
  /** The protocol of the backend cannot express the request. */
  | Readonly<{ kind: 'inexpressible'; refusal: ProtocolRefusal }>;

/** The usual request has one attempt, and this is its only promise. */
class Chain {
  readonly #sending: Sending;
  readonly #ended = Promise.withResolvers<void>();
  #attempts = 0;

  constructor(walk: ChainWalk, headers: readonly string[]) {
    const plan = new Plan(walk);
    this.#sending = { walk, plan, headers, held: null, inexpressible: null, overloaded: null };
  }

  run(): Promise<void> {
    this.#proceed(this.#sending.plan.first());
    return this.#ended.promise;
  }

  #proceed(next: Step | Conclusion | null): void {
    try {
      if (next === null) this.#follow(exhausted(this.#sending));
      else if ('kind' in next) this.#end(next);
      else this.#try(next);
    } catch (error) {
      this.#ended.reject(error);
    }
  }

  #end(conclusion: Conclusion): void {
    const { walk } = this.#sending;
    conclude(walk, conclusion);
    // After several attempts, an abandoned one may still be sending the body.
    const isServed = conclusion.kind === 'relayed' && !conclusion.isBroken;
    if (isServed && this.#attempts === 1 && !walk.exchange.isGone) walk.exchange.releaseRequest();
    this.#ended.resolve();
  }

  #try(step: Step): void {
    const outbound = outboundTo(step.backend, this.#sending);
    if (isProtocolRefusal(outbound)) {
      this.#continue(step, { kind: 'inexpressible', refusal: outbound });
    } else if (step.waitMs === 0) this.#takeTurn(step, outbound);
    else this.#follow(wait(step.waitMs).then(() => this.#takeTurn(step, outbound)));
  }

  #takeTurn(step: Step, outbound: Outbound): void {
    const { admission } = step.backend;
    if (admission === null || admission.take()) return this.#attempt(step, outbound);
    const turn = awaitTurn(step, admission, this.#sending);
    this.#follow(
      turn.then((result) => {
        if (result.kind === 'admitted') this.#attempt(step, outbound);
        else this.#continue(step, result);
      }),
    );
  }

  #attempt(step: Step, outbound: Outbound): void {
    this.#attempts++;
    const onResult = (result: AttemptResult): void => {
      if (result.kind === 'ended') this.#continue(step, result);
      // The attempt first finishes the event in which it failed.
      else queueMicrotask(() => this.#continue(step, result));
    };
    new Attempt(this.#sending, step, outbound, onResult).run(outbound.request);
  }

  #continue(step: Step, outcome: Outcome): void {
    try {
      this.#proceed(nextAfter(this.#sending, step, outcome));
    } catch (error) {
      this.#ended.reject(error);
    }
  }

  /** Goes on with a conclusion, or with what the promise itself did. */
  #follow(next: Promise<Conclusion | void>): void {
    next.then(
      (conclusion) => {
        if (conclusion !== undefined) this.#proceed(conclusion);
      },
      (error: unknown) => this.#ended.reject(error),
    );
  }
}

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
