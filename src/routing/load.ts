// The facts about an endpoint that routing needs at this moment. The gateway's own state of an endpoint has these fields, so that
// nothing is copied.

import type { Place } from '../conditions/asked.ts';
import type { CompiledModel } from '../snapshot/compile/models.ts';
import type { CompiledPool } from '../snapshot/compile/targets.ts';
import type { Affinity } from './policy/affinity.ts';

export type Load = Readonly<{
  /** Requests of this replica. */
  inFlight: number;
  /** Running and queued by the engine's own count; null when it publishes none. */
  engine: Readonly<{ requests: number; atMs: number }> | null;
  /** Exponentially weighted whole-request latency; null before the first request is complete. */
  latencyMs: number | null;
  /** It rests until then after it could not be reached; 0 when it does not. */
  restsUntilMs: number;
  /** Siblings are asked first until then, after it answered 5xx or 429 or refused a connection; 0 when it did not. */
  coolsUntilMs: number;
}>;

/** Counts the requests of a pool or model, for the policy that takes its members in turn. */
export type Turn = { count: number };

/** The state that choices are made by, and that some of them change. */
export type LiveView = Readonly<{
  /** The endpoints of a model; empty when it has none. */
  backendsOf: (model: Place) => readonly Load[];
  /** Tokens, as the endpoints themselves say or else is stored; null when none is known. */
  windowOf: (model: CompiledModel) => number | null;
  turnOf: (pool: CompiledPool) => Turn;
  affinity: Affinity;
}>;

/** An engine's count that is older than this is not believed. */
export const engineReadingMs = 10_000;

export const isFresh = ({ atMs }: Readonly<{ atMs: number }>, nowMs: number): boolean =>
  nowMs - atMs <= engineReadingMs;

export const isUp = ({ restsUntilMs }: Load, nowMs: number): boolean => restsUntilMs <= nowMs;

/** When it is up and has cooled down. */
export const readyAtMs = ({ restsUntilMs, coolsUntilMs }: Load): number =>
  restsUntilMs > coolsUntilMs ? restsUntilMs : coolsUntilMs;

/** Up, and not cooling down. */
export const isReady = (load: Load, nowMs: number): boolean => readyAtMs(load) <= nowMs;

/** Gateway rule 7. */
export const requestsAt = ({ engine, inFlight }: Load, nowMs: number): number =>
  engine !== null && isFresh(engine, nowMs) ? engine.requests : inFlight;

/** Not there at all: taken only when there is nothing else. */
const noLoad: Load = {
  inFlight: 0,
  engine: null,
  latencyMs: null,
  restsUntilMs: Infinity,
  coolsUntilMs: 0,
};

/** The endpoint that represents a model among others: the least busy of those that are ready, else the first to be so. */
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
