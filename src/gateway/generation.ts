// What one snapshot version is at run time: its backends with their counters and health, and the
// callers that were recognised. One generation serves a request from beginning to end, whatever
// is published meanwhile; an endpoint that did not change keeps its state in the next one.

import type { ModelId } from '../lib/ids.ts';
import { isFresh, isUp } from '../routing/load.ts';
import type { LiveView, Turn } from '../routing/load.ts';
import { createAffinity } from '../routing/policy/affinity.ts';
import { nextLatency } from '../routing/policy/lowest-latency.ts';
import { freshRetryBudget } from '../routing/retry.ts';
import type { RetryBudget } from '../routing/retry.ts';
import type { CompiledSnapshot } from '../snapshot/compile.ts';
import type { Caller } from '../snapshot/compile/callers.ts';
import type { CompiledBackend, CompiledModel } from '../snapshot/compile/models.ts';
import { newDurations, observe } from '../telemetry/histogram.ts';
import type { Durations } from '../telemetry/histogram.ts';
import type { Readings } from '../telemetry/metrics.ts';
import type { BackendState, EndpointState } from './backend-state.ts';
import { carryAdmissions } from './admission/admission-carry.ts';
import { noCooldown } from './health/cooldown.ts';
import { Endpoints } from './health/endpoint.ts';
import { outUntilMs, sound } from './health/state.ts';
import { windowOf } from './health/window.ts';
import type { ProxiedRoute } from './routes.ts';
import { commonProtocol } from '../protocols/facts.ts';

/** What a model has seen, in whichever generation; by name, because ids of a file are positions. */
export type ModelTraffic = {
  readonly turn: Turn;
  requests: number;
  promptTokens: number;
  completionTokens: number;
  readonly durations: Durations;
  readonly firstToken: Durations;
  readonly retryBudget: RetryBudget;
};

export type ModelState = Readonly<{
  model: CompiledModel;
  backends: readonly BackendState[];
  /** Those that speak as clients do, and so serve every route. */
  directBackends: readonly BackendState[];
  traffic: ModelTraffic;
}>;

export type Generation = Readonly<{
  snapshot: CompiledSnapshot;
  models: ReadonlyMap<ModelId, ModelState>;
  backends: readonly BackendState[];
  endpoints: readonly EndpointState[];
  /** What routing sees of all this. */
  view: LiveView;
  /** When this process first served each name, in epoch milliseconds. A name that was removed starts again. */
  servedSince: ReadonlyMap<string, number>;
  /**
   * Callers by the value of their authorization header, so that a key is digested once a version.
   */
  recognised: Map<string, Caller>;
}>;

export function nextGeneration(
  previous: Generation | null,
  snapshot: CompiledSnapshot,
  nowMs: number,
): Generation {
  // The same endpoint may be listed twice in a model: then each keeps a state of its own.
  const known = Map.groupBy(previous?.backends ?? [], ({ backend }) => backend.identity);
  const traffic = new Map(
    [...(previous?.models.values() ?? [])].map(({ model, traffic }) => [model.name, traffic]),
  );
  let newestUid = Math.max(0, ...(previous?.backends ?? []).map(({ uid }) => uid));
  const backends: BackendState[] = [];
  const endpoints = new Endpoints(previous?.endpoints ?? [], snapshot.tuning);
  const models = new Map<ModelId, ModelState>();
  for (const model of snapshot.models.values()) {
    const states = model.backends.map((backend) => {
      const endpoint = endpoints.of(backend);
      const held = known.get(backend.identity)?.shift() ?? fresh(backend, endpoint, ++newestUid);
      held.backend = backend;
      endpoint.backends.push(held);
      return held;
    });
    backends.push(...states);
    models.set(model.id, {
      model,
      backends: states,
      directBackends: states.filter(({ backend }) => backend.protocol === commonProtocol),
      traffic: traffic.get(model.name) ?? freshTraffic(),
    });
  }
  carryAdmissions(backends, previous?.backends ?? []);
  const view = viewOf(snapshot, models, previous?.view ?? null);
  return {
    snapshot,
    models,
    backends,
    endpoints: endpoints.all(),
    view,
    servedSince: servedSinceOf(snapshot, { previous: previous?.servedSince, nowMs }),
    recognised: new Map(),
  };
}

function servedSinceOf(
  { models, frontendModels }: CompiledSnapshot,
  { previous, nowMs }: Readonly<{ previous: Generation['servedSince'] | undefined; nowMs: number }>,
): Generation['servedSince'] {
  const since = new Map<string, number>();
  for (const { name } of models.values()) since.set(name, previous?.get(name) ?? nowMs);
  for (const { name } of frontendModels.values()) since.set(name, previous?.get(name) ?? nowMs);
  return since;
}

/** Gateway rule 14: backends of other protocols serve chat completions alone. */
export const backendsFor = (
  { backends, directBackends }: ModelState,
  { isTranslated }: ProxiedRoute,
): readonly BackendState[] => (isTranslated ? backends : directBackends);

const noBackends: readonly BackendState[] = [];

function viewOf(
  { pools, tuning }: CompiledSnapshot,
  models: Generation['models'],
  previous: LiveView | null,
): LiveView {
  const turns = new Map(pools.map((pool) => [pool.id, previous?.turnOf(pool) ?? { count: 0 }]));
  // By position, because a pool asks for each of its members.
  const byIndex: (readonly BackendState[])[] = [];
  for (const { model, backends } of models.values()) byIndex[model.index] = backends;
  return {
    backendsOf: ({ index }) => byIndex[index] ?? noBackends,
    windowOf: (model) => windowOf(model, byIndex[model.index] ?? noBackends),
    turnOf: ({ id }) => turns.get(id) ?? { count: 0 },
    affinity: createAffinity(tuning, previous?.affinity),
  };
}

const freshTraffic = (): ModelTraffic => ({
  turn: { count: 0 },
  requests: 0,
  promptTokens: 0,
  completionTokens: 0,
  durations: newDurations(),
  firstToken: newDurations(),
  retryBudget: freshRetryBudget(),
});

const fresh = (backend: CompiledBackend, endpoint: EndpointState, uid: number): BackendState => ({
  uid,
  backend,
  endpoint,
  inFlight: 0,
  requests: 0,
  errors: 0,
  health: sound,
  ejections: 0,
  restsUntilMs: outUntilMs(endpoint.reach, sound),
  cooldown: noCooldown,
  coolsUntilMs: 0,
  engine: null,
  admission: null,
  latencyMs: null,
  lacksResponses: false,
  durations: newDurations(),
});

/** Of a backend with flow control a slot was taken before. */
export function noteSent(state: BackendState): void {
  state.inFlight++;
  state.requests++;
}

/**
 * `durationMs` is null for what did not come to its end. One that fails at once would be the
 * quickest of all, so only what was served counts as latency.
 */
export function noteEnded(
  state: BackendState,
  { durationMs, isServed }: Readonly<{ durationMs: number | null; isServed: boolean }>,
): void {
  state.inFlight--;
  state.admission?.release();
  if (durationMs === null) return;
  observe(state.durations, durationMs);
  if (isServed) state.latencyMs = nextLatency(state.latencyMs, durationMs);
}

/** What a scrape and the health page show of it. */
export function readGeneration(
  generation: Generation | null,
  nowMs: number,
): Pick<Readings, 'models' | 'backends'> {
  if (generation === null) return { models: [], backends: [] };
  return {
    models: [...generation.models.values()].map(({ model, traffic }) => ({
      model: model.name,
      requests: traffic.requests,
      promptTokens: traffic.promptTokens,
      completionTokens: traffic.completionTokens,
      durations: traffic.durations,
      firstToken: traffic.firstToken,
    })),
    backends: generation.backends.map((state) => ({
      apiBase: state.backend.apiBase,
      model: state.backend.upstreamModel,
      requests: state.requests,
      errors: state.errors,
      inFlight: state.inFlight,
      isHealthy: isUp(state, nowMs),
      ejections: state.ejections,
      durations: state.durations,
      engine: state.engine !== null && isFresh(state.engine, nowMs) ? state.engine : null,
      admission: state.admission?.read() ?? null,
    })),
  };
}
