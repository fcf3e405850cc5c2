// The current state of an endpoint that routing needs. The gateway's own endpoint state has these fields, so nothing is
// copied.

import type { Place } from '../conditions/asked.ts';
import type { CompiledModel } from '../snapshot/compile/models.ts';
import type { CompiledPool } from '../snapshot/compile/targets.ts';
import type { Affinity } from './policy/affinity.ts';

export type Load = Readonly<{
  /** From this replica. */
  inFlight: number;
  /** Running and queued requests. Null when the engine reports none. */
  engine: Readonly<{ requests: number; atMs: number }> | null;
  /** Exponentially weighted latency of whole requests. Null before the first complete request. */
  latencyMs: number | null;
  /** An unreachable endpoint is skipped until then; 0 when it is reachable. */
  restsUntilMs: number;
  /**
   * Other endpoints are preferred until then, after a 5xx, a 429 or a refused connection; otherwise
   * 0.
   */
  coolsUntilMs: number;
}>;

/** Counts the requests of a pool or model for the round-robin policy. */
export type Turn = { count: number };

/** Choices read this state and in part change it. */
export type LiveView = Readonly<{
  /** The endpoints of a model. Empty when it has none. */
  backendsOf: (model: Place) => readonly Load[];
  /** The context window in tokens, as the endpoints report it, otherwise as stored. Null when unknown. */
  windowOf: (model: CompiledModel) => number | null;
  turnOf: (pool: CompiledPool) => Turn;
  affinity: Affinity;
}>;

/** Older engine readings are ignored. */
export const engineReadingMs = 10_000;

export const isFresh = ({ atMs }: Readonly<{ atMs: number }>, nowMs: number): boolean =>
  nowMs - atMs <= engineReadingMs;

export const isUp = ({ restsUntilMs }: Load, nowMs: number): boolean => restsUntilMs <= nowMs;

/** When it will be up and has cooled down. */
export const readyAtMs = ({ restsUntilMs, coolsUntilMs }: Load): number =>
  restsUntilMs > coolsUntilMs ? restsUntilMs : coolsUntilMs;

/** Up, and not cooling down. */
export const isReady = (load: Load, nowMs: number): boolean => readyAtMs(load) <= nowMs;

/** The requests that Gateway rule 7 compares. */
export const requestsAt = ({ engine, inFlight }: Load, nowMs: number): number =>
  engine !== null && isFresh(engine, nowMs) ? engine.requests : inFlight;

/** A model without an endpoint. It is chosen only when nothing else is left. */
const noLoad: Load = {
  inFlight: 0,
  engine: null,
  latencyMs: null,
  restsUntilMs: Infinity,
  coolsUntilMs: 0,
};

/** The least busy endpoint that is ready, otherwise the first to be ready. */
export function loadOfModel(backends: readonly Load[], nowMs: number): Load {
  let best = backends[0] ?? noLoad;
  for (const load of backends) {
    const isSooner = readyAtMs(load) < readyAtMs(best);
    if (isReady(best, nowMs) ? isReady(load, nowMs) && load.inFlight < best.inFlight : isSooner) {
      best = load;
    }
  }
  return best;
}
