// Orders the attempts of one request: every backend of a model, then the next model of the chain, and finally backends out
// of rotation (Gateway rules 2, 3 and 10). Each backend is tried once.

import type { PoolPolicy, Protocol } from '../lib/vocabulary.ts';
import { mixKey } from '../routing/hash.ts';
import { isReady, isUp } from '../routing/load.ts';
import { usesKey } from '../routing/policy/choice.ts';
import { pickMember } from '../routing/policy/pick.ts';
import { attemptTimeFactor, countRequest, retryWaitMs, takeRetry } from '../routing/retry.ts';
import { poolAround, reasonOf } from '../routing/route.ts';
import type { CompiledModel } from '../snapshot/compile/models.ts';
import { servingCount } from '../snapshot/compile/targets.ts';
import { backendsFor } from './generation.ts';
import type { BackendState } from './backend-state.ts';
import type { ModelState } from './generation.ts';
import type { Exchange } from './transport/boundary.ts';
import type { ChainWalk, ProxyContext } from './walk.ts';

export type Step = Readonly<{
  /** The value of x-gw-route. */
  route: string;
  /** The model is the deployment's fallback, which no target named. */
  isFallback: boolean;
  model: ModelState;
  backend: BackendState;
  waitMs: number;
}>;

/** The part of a request record that the plan uses. */
export type Planned = Pick<ChainWalk, 'generation' | 'route' | 'proxied' | 'request'> &
  Readonly<{
    /** Seeds the jitter of retry waits. */
    exchange: Pick<Exchange, 'id'>;
    context: Pick<
      ProxyContext,
      'policy' | 'attemptsMax' | 'retriesMax' | 'firstByteMs' | 'counts' | 'now'
    >;
  }>;

/** `status` is null after a transport fault. */
type Failure = Readonly<{ status: number | null; tookMs: number }>;

export class Plan {
  attempts = 0;
  readonly #walk: Planned;
  #candidates: readonly CompiledModel[];
  #candidate = -1;
  /** True once only backends out of rotation are left. */
  #triesOut = false;
  /** The last entry is being tried. */
  readonly #tried: BackendState[] = [];
  #failures: readonly (Failure & Readonly<{ backend: BackendState }>)[] = none;
  #full: readonly BackendState[] = none;
  /** Protocols of the candidate's backends that cannot express the request. */
  #refusing: readonly Protocol[] = none;

  constructor(walk: Planned) {
    this.#walk = walk;
    this.#candidates = walk.route.candidates;
  }

  /** Null when no candidate has a backend. */
  first(): Step | null {
    return this.#nextModel();
  }

  /** The next step after a failed attempt. */
  next(failure: Failure): Step | null {
    const backend = this.#tried.at(-1);
    if (backend !== undefined) this.#failures = [...this.#failures, { ...failure, backend }];
    if (this.attempts >= this.#walk.context.attemptsMax || this.#isOutOfTime()) return null;
    const sibling = this.#sibling();
    if (sibling !== null) {
      this.#walk.context.counts.retries++;
      return sibling;
    }
    const step = this.#nextModel();
    if (step !== null) this.#walk.context.counts.failovers++;
    return step;
  }

  /** Replaces a step whose protocol cannot express the request. That step does not count as an attempt. */
  instead({ model, backend }: Step): Step | null {
    this.withdraw();
    this.#refusing = [...this.#refusing, backend.backend.protocol];
    const { policy, now } = this.#walk.context;
    const nowMs = now();
    const other = this.#pick(model, this.#untried(model, nowMs), policy, nowMs);
    return other === undefined ? this.#nextModel() : this.#step(model, other);
  }

  /** Removes the last step from the attempts. */
  withdraw(): void {
    this.attempts--;
    this.#tried.pop();
  }

  /** The next model after a step whose backend had no free slot. */
  pass({ backend }: Step): Step | null {
    this.withdraw();
    this.#full = [...this.#full, backend];
    const step = this.#nextModel();
    if (step !== null) this.#walk.context.counts.failovers++;
    return step;
  }

  /**
   * Replaces a step that was not attempted by the least busy backend that fits, of the same model or else of the same
   * pool. Null when there is none; the step then stays.
   */
  alternative({ model }: Step, fits: (state: BackendState) => boolean): Step | null {
    const nowMs = this.#walk.context.now();
    const mayServe = (state: BackendState): boolean => isUp(state, nowMs) && fits(state);
    const siblings = this.#untried(model, nowMs).filter(mayServe);
    const sibling = this.#pick(model, siblings, 'least-loaded', nowMs);
    if (sibling !== undefined) {
      this.withdraw();
      return this.#step(model, sibling);
    }
    const alternatives = this.#laterPoolMembers(model).map((member) => ({
      member,
      backend: this.#pick(
        member,
        backendsFor(member, this.#walk.proxied).filter(mayServe),
        'least-loaded',
        nowMs,
      ),
    }));
    let best: Readonly<{ member: ModelState; backend: BackendState }> | null = null;
    for (const { member, backend } of alternatives) {
      if (backend === undefined) continue;
      if (best === null || backend.inFlight < best.backend.inFlight) best = { member, backend };
    }
    return best === null ? null : this.#moveTo(best.member, best.backend, nowMs);
  }

  /** Untried members of the same pool, without drained ones. */
  #laterPoolMembers({ model }: ModelState): readonly ModelState[] {
    const { generation, route } = this.#walk;
    const pool = poolAround(route.decision, model);
    const members = pool?.members.slice(0, servingCount(pool.weights)) ?? [];
    return this.#candidates
      .slice(this.#candidate + 1)
      .filter((candidate) => members.includes(candidate))
      .flatMap(({ id }) => generation.models.get(id) ?? []);
  }

  /** The replaced model is tried after the one that takes its turn. */
  #moveTo(member: ModelState, backend: BackendState, nowMs: number): Step {
    this.withdraw();
    const rest = this.#candidates.filter((candidate) => candidate !== member.model);
    this.#candidates = rest.toSpliced(this.#candidate, 0, member.model);
    this.#refusing = none;
    countRequest(member.traffic.retryBudget, nowMs);
    return this.#step(member, backend);
  }

  /** Returns the original list when nothing is excluded. */
  #untried(model: ModelState, nowMs: number): readonly BackendState[] {
    const backends = backendsFor(model, this.#walk.proxied);
    let isAll = true;
    for (const state of backends) isAll &&= this.#mayTry(state, nowMs);
    return isAll ? backends : backends.filter((state) => this.#mayTry(state, nowMs));
  }

  #mayTry(state: BackendState, nowMs: number): boolean {
    if (this.#tried.includes(state) || this.#refusing.includes(state.backend.protocol))
      return false;
    if (!this.#triesOut) return isUp(state, nowMs);
    // A backend that is ready now has returned to rotation in the meantime.
    return !isUp(state, nowMs) || (isReady(state, nowMs) && !this.#full.includes(state));
  }

  #mayRetry({ backends }: ModelState): boolean {
    const { retriesMax } = this.#walk.context;
    if (retriesMax === Infinity || this.attempts === 0) return true;
    return this.#tried.filter((state) => backends.includes(state)).length <= retriesMax;
  }

  #isOutOfTime(): boolean {
    const { firstByteMs } = this.#walk.context;
    let tookMs = 0;
    let longestMs = 0;
    for (const failure of this.#failures) {
      tookMs += failure.tookMs;
      longestMs = Math.max(longestMs, failure.backend.backend.firstByteMs ?? firstByteMs);
    }
    return tookMs >= attemptTimeFactor * longestMs;
  }

  #sibling(): Step | null {
    const { generation, context } = this.#walk;
    const candidate = this.#candidates[this.#candidate];
    const model = candidate === undefined ? undefined : generation.models.get(candidate.id);
    if (model === undefined || !this.#mayRetry(model)) return null;
    const nowMs = context.now();
    // The policy's choice has just failed, so the least loaded of the others is used.
    const backend = this.#pick(model, this.#untried(model, nowMs), 'least-loaded', nowMs);
    if (backend === undefined) return null;
    const mayAsk = isReady(backend, nowMs) || takeRetry(model.traffic.retryBudget, nowMs);
    return mayAsk ? this.#step(model, backend) : null;
  }

  #nextModel(): Step | null {
    const { generation, context } = this.#walk;
    const { policy, now } = context;
    const candidates = this.#candidates;
    for (;;) {
      for (this.#candidate++; this.#candidate < candidates.length; this.#candidate++) {
        const candidate = candidates[this.#candidate];
        const model = candidate === undefined ? undefined : generation.models.get(candidate.id);
        if (model === undefined || !this.#mayRetry(model)) continue;
        const nowMs = now();
        this.#refusing = none;
        const backend = this.#pick(model, this.#untried(model, nowMs), policy, nowMs);
        if (backend === undefined) continue;
        countRequest(model.traffic.retryBudget, nowMs);
        return this.#step(model, backend);
      }
      if (this.#triesOut) return null;
      this.#triesOut = true;
      this.#candidate = -1;
    }
  }

  #pick(
    { model, traffic }: ModelState,
    backends: readonly BackendState[],
    policy: PoolPolicy,
    nowMs: number,
  ): BackendState | undefined {
    if (backends.length < 2) return backends[0];
    const { generation, request } = this.#walk;
    const chosen = pickMember(policy, {
      loads: backends,
      ids: backends.map(({ uid }) => uid),
      weights: backends.map(() => 1),
      key: usesKey(policy, backends) ? mixKey(request.conversationKey(), model.id) : 0,
      turn: traffic.turn,
      affinity: generation.view.affinity,
      nowMs,
    });
    return backends[chosen];
  }

  #step(model: ModelState, backend: BackendState): Step {
    const { route } = this.#walk;
    const waitMs = this.attempts === 0 ? 0 : this.#waitFor(backend);
    this.#tried.push(backend);
    this.attempts++;
    const isFallback = model.model === route.fallback;
    return { route: reasonOf(route, model.model), isFallback, model, backend, waitMs };
  }

  /** Waits only for a provider that already failed this request. */
  #waitFor({ endpoint }: BackendState): number {
    let status: number | null = null;
    let failures = 0;
    for (const failure of this.#failures) {
      if (failure.backend.endpoint !== endpoint) continue;
      failures++;
      ({ status } = failure);
    }
    if (failures === 0) return 0;
    return retryWaitMs(failures - 1, { status, requestKey: keyOf(this.#walk.exchange.id) });
  }
}

/** Shared by all requests without failures. */
const none: readonly never[] = [];

/** The same for one request, different across requests. */
const keyOf = (id: string): number => Number.parseInt(id.slice(-4), 36);
