// The runtime state of one snapshot version: its backends with their counters and health, and the
// recognised callers. One generation serves a request from start to end. An unchanged endpoint
// keeps its state in the next generation.

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
import { tokenParts } from '../usage/counts.ts';

/** Survives generations, keyed by name because ids of a configuration file are positions. */
export type ModelTraffic = {
  readonly turn: Turn;
  requests: number;
  promptTokens: number;
  completionTokens: number;
  /** In the order of the table of parts. */
  readonly parts: number[];
  readonly durations: Durations;
  readonly firstToken: Durations;
  readonly retryBudget: RetryBudget;
};

export type ModelState = Readonly<{
  model: CompiledModel;
  backends: readonly BackendState[];
  /** Backends that use the client protocol and so serve every route. */
  directBackends: readonly BackendState[];
  traffic: ModelTraffic;
}>;

export type Generation = Readonly<{
  snapshot: CompiledSnapshot;
  models: ReadonlyMap<ModelId, ModelState>;
  backends: readonly BackendState[];
  endpoints: readonly EndpointState[];
  /** The view of this state that routing uses. */
  view: LiveView;
  /**
   * When this process first served each name, in epoch milliseconds. A removed name starts again.
   */
  servedSince: ReadonlyMap<string, number>;
  /** By the value of the authorization header, so that each key is hashed once per generation. */
  recognised: Map<string, Caller>;
}>;

export function nextGeneration(
  previous: Generation | null,
  snapshot: CompiledSnapshot,
  nowMs: number,
): Generation {
  // Deltas of keys and principals keep the routing tables.
  if (previous !== null && hasSameTables(previous.snapshot, snapshot)) {
    return { ...previous, snapshot, recognised: new Map() };
  }
  // A model may list the same endpoint twice. Each entry then keeps its own state.
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

const hasSameTables = (one: CompiledSnapshot, other: CompiledSnapshot): boolean =>
  one.models === other.models &&
  one.frontendModels === other.frontendModels &&
  one.pools === other.pools &&
  one.tuning === other.tuning;

function servedSinceOf(
  { models, frontendModels }: CompiledSnapshot,
  { previous, nowMs }: Readonly<{ previous: Generation['servedSince'] | undefined; nowMs: number }>,
): Generation['servedSince'] {
  const since = new Map<string, number>();
  for (const { name } of models.values()) since.set(name, previous?.get(name) ?? nowMs);
  for (const { name } of frontendModels.values()) since.set(name, previous?.get(name) ?? nowMs);
  return since;
}

/** Gateway rule 14: backends of other protocols serve only translated routes. */
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
  // Indexed by position, because a pool reads every member.
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
  parts: tokenParts.map(() => 0),
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

/** A backend with flow control must have assigned a slot before. */
export function noteSent(state: BackendState): void {
  state.inFlight++;
  state.requests++;
}

/**
 * `durationMs` is null for an incomplete answer. Only served answers count as latency, because fast failures would
 * look quickest.
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

/** Parts that no answer reported are omitted. */
function tokensByKind({ promptTokens, completionTokens, parts }: ModelTraffic): TokensByKind {
  const rest = { input: promptTokens, output: completionTokens };
  const counted = tokenParts.flatMap(({ kind, side }, index) => {
    const count = parts[index] ?? 0;
    rest[side] -= count;
    return count === 0 ? [] : [[kind, count] as const];
  });
  return { ...rest, ...Object.fromEntries(counted) };
}

type TokensByKind = Readonly<Record<string, number>>;

/** For scrapes and the health page. */
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
      tokens: tokensByKind(traffic),
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
