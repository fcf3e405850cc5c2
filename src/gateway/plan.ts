// The order of attempts for one request: siblings of a model within the retry budget, then the next
// model of the chain (Gateway rules 2, 3 and 10). It is asked again after each failed attempt.

import type { Clock } from '../lib/clock.ts';
import type { PoolPolicy, Protocol } from '../lib/vocabulary.ts';
import { mixKey } from '../routing/hash.ts';
import { isUp } from '../routing/load.ts';
import { pickMember } from '../routing/policy/pick.ts';
import type { RoutedRequest } from '../routing/request.ts';
import { countRequest, retryWaitMs, takeRetry } from '../routing/retry.ts';
import { poolAround, reasonOf } from '../routing/route.ts';
import type { ChainRoute } from '../routing/route.ts';
import type { CompiledModel } from '../snapshot/compile/models.ts';
import type { Counts } from '../telemetry/metrics.ts';
import { backendsFor } from './generation.ts';
import type { BackendState, Generation, ModelState } from './generation.ts';
import type { ProxiedRoute } from './routes.ts';

export type Step = Readonly<{
  /** The value of x-gw-route. */
  route: string;
  /** No target named this model: it is the deployment's fallback. */
  isFallback: boolean;
  model: ModelState;
  backend: BackendState;
  waitMs: number;
}>;

export type PlanOptions = Readonly<{
  generation: Generation;
  route: ChainRoute;
  /** Decides which backends can be asked. */
  proxied: ProxiedRoute;
  /** Whose conversation it is decides which endpoint of a model is first. */
  request: RoutedRequest;
  /** Spreads requests over several endpoints of one model. */
  policy: PoolPolicy;
  /** Different backends of one model that may be tried. */
  attemptsMax: number;
  /** Keys the jitter of the waits. */
  requestId: string;
  counts: Counts;
  now: Clock;
}>;

export class Plan {
  attempts = 0;
  readonly #options: PlanOptions;
  #candidates: readonly CompiledModel[];
  #candidate = -1;
  #tried: BackendState[] = [];
  /** Of the candidate: they have no words for the request. */
  #refusing: Protocol[] = [];

  constructor(options: PlanOptions) {
    this.#options = options;
    this.#candidates = options.route.candidates;
  }

  /** The first attempt, or null when no candidate has a backend. */
  first(): Step | null {
    return this.#nextModel();
  }

  /**
   * What to try after an attempt that ended with this status, or null: with a fault of transport.
   */
  next(status: number | null): Step | null {
    const sibling = this.#sibling(status);
    if (sibling !== null) {
      this.#options.counts.retries++;
      return sibling;
    }
    const step = this.#nextModel();
    if (step !== null) this.#options.counts.failovers++;
    return step;
  }

  /** What to try in the place of a step whose protocol refused the request: it was no attempt. */
  instead({ model, backend }: Step): Step | null {
    this.withdraw();
    this.#refusing.push(backend.backend.protocol);
    const { policy, now } = this.#options;
    const other = this.#pick(model, this.#untried(model), policy, now());
    return other === undefined ? this.#nextModel() : this.#step(model, other, 0);
  }

  /** The last step was no attempt after all. */
  withdraw(): void {
    this.attempts--;
    this.#tried.pop();
  }

  /** The next model of the chain after a step that was no attempt. */
  pass(): Step | null {
    this.withdraw();
    const step = this.#nextModel();
    if (step !== null) this.#options.counts.failovers++;
    return step;
  }

  /**
   * In the place of a step that was no attempt: the least busy backend that fits, of the same model or else of the same pool. Null when
   * there is none, and the step stands.
   */
  aside({ model }: Step, fits: (state: BackendState) => boolean): Step | null {
    const nowMs = this.#options.now();
    const mayServe = (state: BackendState): boolean => isUp(state, nowMs) && fits(state);
    const siblings = this.#untried(model).filter(mayServe);
    const sibling = this.#pick(model, siblings, 'least-loaded', nowMs);
    if (sibling !== undefined) {
      this.withdraw();
      return this.#step(model, sibling, 0);
    }
    const mates = this.#matesOf(model).map((mate) => ({
      mate,
      backend: this.#pick(
        mate,
        backendsFor(mate, this.#options.proxied).filter(mayServe),
        'least-loaded',
        nowMs,
      ),
    }));
    let best: Readonly<{ mate: ModelState; backend: BackendState }> | null = null;
    for (const { mate, backend } of mates) {
      if (backend === undefined) continue;
      if (best === null || backend.inFlight < best.backend.inFlight) best = { mate, backend };
    }
    return best === null ? null : this.#moveTo(best.mate, best.backend, nowMs);
  }

  /** The members of its pool that are still to come. */
  #matesOf({ model }: ModelState): readonly ModelState[] {
    const { generation, route } = this.#options;
    const members = poolAround(route.decision, model)?.members ?? [];
    return this.#candidates
      .slice(this.#candidate + 1)
      .filter((candidate) => members.includes(candidate))
      .flatMap(({ id }) => generation.models.get(id) ?? []);
  }

  /** The model that had its turn comes after the one that takes it. */
  #moveTo(mate: ModelState, backend: BackendState, nowMs: number): Step {
    this.withdraw();
    const rest = this.#candidates.filter((candidate) => candidate !== mate.model);
    this.#candidates = rest.toSpliced(this.#candidate, 0, mate.model);
    this.#tried = [];
    this.#refusing = [];
    countRequest(mate.traffic.retryBudget, nowMs);
    return this.#step(mate, backend, 0);
  }

  #untried(model: ModelState): readonly BackendState[] {
    return backendsFor(model, this.#options.proxied).filter(
      (state) => !this.#tried.includes(state) && !this.#refusing.includes(state.backend.protocol),
    );
  }

  #sibling(status: number | null): Step | null {
    const { generation, attemptsMax, requestId, now } = this.#options;
    const candidate = this.#candidates[this.#candidate];
    const model = candidate === undefined ? undefined : generation.models.get(candidate.id);
    const retry = this.#tried.length - 1;
    if (model === undefined || retry + 1 >= attemptsMax) return null;
    const nowMs = now();
    // What is out of rotation is tried when the chain has nothing else.
    const isLast = this.#candidate === this.#candidates.length - 1;
    const untried = this.#untried(model).filter((backend) => isLast || isUp(backend, nowMs));
    // Where the conversation belongs has just failed: the rest are equal but for their load.
    const backend = this.#pick(model, untried, 'least-loaded', nowMs);
    if (backend === undefined || !takeRetry(model.traffic.retryBudget, nowMs)) return null;
    const waitMs = retryWaitMs(retry, { status, requestKey: keyOf(requestId) });
    return this.#step(model, backend, waitMs);
  }

  #nextModel(): Step | null {
    const { generation, proxied, policy, now } = this.#options;
    const candidates = this.#candidates;
    for (this.#candidate++; this.#candidate < candidates.length; this.#candidate++) {
      const candidate = candidates[this.#candidate];
      const model = candidate === undefined ? undefined : generation.models.get(candidate.id);
      if (model === undefined) continue;
      const nowMs = now();
      this.#tried = [];
      this.#refusing = [];
      const backend = this.#pick(model, backendsFor(model, proxied), policy, nowMs);
      if (backend === undefined) continue;
      countRequest(model.traffic.retryBudget, nowMs);
      return this.#step(model, backend, 0);
    }
    return null;
  }

  #pick(
    { model, traffic }: ModelState,
    backends: readonly BackendState[],
    policy: PoolPolicy,
    nowMs: number,
  ): BackendState | undefined {
    if (backends.length < 2) return backends[0];
    const { generation, request } = this.#options;
    const chosen = pickMember(policy, {
      loads: backends,
      ids: backends.map(({ uid }) => uid),
      weights: backends.map(() => 1),
      key: policy === 'round-robin' ? 0 : mixKey(request.conversationKey(), model.id),
      turn: traffic.turn,
      affinity: generation.view.affinity,
      nowMs,
    });
    return backends[chosen];
  }

  #step(model: ModelState, backend: BackendState, waitMs: number): Step {
    const { route } = this.#options;
    this.#tried.push(backend);
    this.attempts++;
    const isFallback = model.model === route.fallback;
    return { route: reasonOf(route, model.model), isFallback, model, backend, waitMs };
  }
}

/** Equal for one request, spread over many. */
const keyOf = (id: string): number => Number.parseInt(id.slice(-4), 36);
