// The order of attempts for one request: siblings of a model within the retry budget, then the next
// model of the chain (Gateway rules 2, 3 and 10). It is asked again after each failed attempt.

import type { Clock } from '../lib/clock.ts';
import type { Candidate } from '../routing/chain.ts';
import { pickRoundRobin } from '../routing/policy/round-robin.ts';
import { countRequest, retryWaitMs, takeRetry } from '../routing/retry.ts';
import type { Counts } from '../telemetry/metrics.ts';
import type { BackendState, Generation, ModelState } from './generation.ts';

export type Step = Readonly<{
  route: Candidate['route'];
  model: ModelState;
  backend: BackendState;
  waitMs: number;
}>;

export type PlanOptions = Readonly<{
  generation: Generation;
  candidates: readonly Candidate[];
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
  #candidate = -1;
  #tried: BackendState[] = [];

  constructor(options: PlanOptions) {
    this.#options = options;
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

  #sibling(status: number | null): Step | null {
    const { generation, candidates, attemptsMax, requestId, now } = this.#options;
    const candidate = candidates[this.#candidate];
    const model = candidate === undefined ? undefined : generation.models.get(candidate.model.id);
    const retry = this.#tried.length - 1;
    if (candidate === undefined || model === undefined || retry + 1 >= attemptsMax) return null;
    const nowMs = now();
    const backend = pickRoundRobin(model.backends, this.#tried, model.traffic.turn, nowMs);
    if (backend === undefined || !takeRetry(model.traffic.retryBudget, nowMs)) return null;
    const waitMs = retryWaitMs(retry, { status, requestKey: keyOf(requestId) });
    return this.#step(candidate, model, backend, waitMs);
  }

  #nextModel(): Step | null {
    const { generation, candidates, now } = this.#options;
    for (this.#candidate++; this.#candidate < candidates.length; this.#candidate++) {
      const candidate = candidates[this.#candidate];
      const model = candidate === undefined ? undefined : generation.models.get(candidate.model.id);
      if (candidate === undefined || model === undefined) continue;
      const nowMs = now();
      this.#tried = [];
      const backend = pickRoundRobin(model.backends, this.#tried, model.traffic.turn++, nowMs);
      if (backend === undefined) continue;
      countRequest(model.traffic.retryBudget, nowMs);
      return this.#step(candidate, model, backend, 0);
    }
    return null;
  }

  #step(candidate: Candidate, model: ModelState, backend: BackendState, waitMs: number): Step {
    this.#tried.push(backend);
    this.attempts++;
    return { route: candidate.route, model, backend, waitMs };
  }
}

/** Equal for one request, spread over many. */
const keyOf = (id: string): number => Number.parseInt(id.slice(-4), 36);
