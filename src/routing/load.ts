// What routing asks of an endpoint at this moment. The gateway's own state of an endpoint has
// these fields, so that nothing is copied to ask.

import type { CompiledModel } from '../snapshot/compile/models.ts';
import type { CompiledPool } from '../snapshot/compile/targets.ts';
import type { Affinity } from './policy/cache-affinity.ts';

export type Load = Readonly<{
  /** Of this replica. */
  inFlight: number;
  /** Running and queued by the engine's own count; null when it publishes none. */
  engine: Readonly<{ requests: number; atMs: number }> | null;
  /** Exponentially weighted whole-request latency; null before the first request is complete. */
  latencyMs: number | null;
  /** It rests until then after it could not be reached; 0 when it does not. */
  restsUntilMs: number;
}>;

/** Counts the requests of a pool or model, for the policy that takes its members in turn. */
export type Turn = { count: number };

/** The state that choices are made by, and that some of them change. */
export type LiveView = Readonly<{
  /** The endpoints of a model; empty when it has none. */
  backendsOf: (model: CompiledModel) => readonly Load[];
  /** Tokens, as the endpoints themselves say or else is stored; null when none is known. */
  windowOf: (model: CompiledModel) => number | null;
  turnOf: (pool: CompiledPool) => Turn;
  affinity: Affinity;
}>;

/** An engine's count that is older than this is not believed. */
export const engineReadingMs = 10_000;

export const isBelieved = ({ atMs }: Readonly<{ atMs: number }>, nowMs: number): boolean =>
  nowMs - atMs <= engineReadingMs;

export const isUp = ({ restsUntilMs }: Load, nowMs: number): boolean => restsUntilMs <= nowMs;

/** Gateway rule 7. */
export const requestsAt = ({ engine, inFlight }: Load, nowMs: number): number =>
  engine !== null && isBelieved(engine, nowMs) ? engine.requests : inFlight;

/** Not there at all: taken only when there is nothing else. */
const noLoad: Load = { inFlight: 0, engine: null, latencyMs: null, restsUntilMs: Infinity };

/** The endpoint that stands for a model among others: the least busy of those that are up. */
export function loadOfModel(backends: readonly Load[], nowMs: number): Load {
  let best = backends[0] ?? noLoad;
  for (const load of backends) {
    if (!isUp(load, nowMs)) continue;
    if (!isUp(best, nowMs) || load.inFlight < best.inFlight) best = load;
  }
  return best;
}
