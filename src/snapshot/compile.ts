// Compiles a snapshot into lookup tables, once per version: key digest to caller, name to frontend
// model or model, grants as bits, rules as numbers.

import type { FrontendModelId, PrincipalId } from '../lib/ids.ts';
import { refuse } from '../lib/refusal.ts';
import type { Refusal } from '../lib/refusal.ts';
import { inOneGo } from '../lib/steps.ts';
import type { Steps } from '../lib/steps.ts';
import {
  anonymous,
  callersOf,
  compileKeys,
  compilePrincipals,
  principalCompiler,
} from './compile/callers.ts';
import type { Caller, Callers } from './compile/callers.ts';
import { frontendModelSteps } from './compile/frontend-models.ts';
import type { CompiledFrontendModel } from './compile/frontend-models.ts';
import { modelSteps } from './compile/models.ts';
import type { CompiledModel } from './compile/models.ts';
import { poolSteps } from './compile/targets.ts';
import type { CompiledPool } from './compile/targets.ts';
import { snapshotSchemaVersion } from './schema.ts';
import type {
  Snapshot,
  SnapshotApiKey,
  SnapshotClassifier,
  SnapshotPromptClass,
} from './schema.ts';
import { defaultTuning } from './tuning.ts';
import type { Tuning } from './tuning.ts';

/** The tables for routing. */
export type RoutingTables = Readonly<{
  models: ReadonlyMap<string, CompiledModel>;
  /** By name, which has priority over a model's name; and by id, for jumps. */
  frontendModels: ReadonlyMap<string, CompiledFrontendModel>;
  frontendModelsById: ReadonlyMap<FrontendModelId, CompiledFrontendModel>;
  pools: readonly CompiledPool[];
  /** The last candidate of every chain. */
  fallback: CompiledModel | null;
}>;

export type CompiledSnapshot = RoutingTables &
  Readonly<{
    version: number;
    /** Equal for snapshots that differ only in their overlay. */
    edition: string;
    tuning: Tuning;
    overlaySeq: number;
    /** The caller of every request if no key is required, else null. */
    openCaller: Caller | null;
    callers: Callers;
    budgeted: ReadonlySet<PrincipalId>;
    promptClasses: readonly SnapshotPromptClass[];
    /** Only the encoder can interpret the centroids. */
    classifier: SnapshotClassifier;
    /** Sentences for the log about parts that were left out. */
    dropped: readonly string[];
  }>;

/** A broken part is dropped on its own. Only an unknown schema version is refused as a whole. */
export function compileSnapshot(
  snapshot: Snapshot,
  tuning: Tuning = defaultTuning,
): CompiledSnapshot | Refusal {
  if (snapshot.schema > snapshotSchemaVersion) {
    return refuse('invalid', `schema ${snapshot.schema} is newer than ${snapshotSchemaVersion}`);
  }
  const dropped: string[] = [];
  const tables = compileTables(snapshot, dropped);
  const { config, secrets } = snapshot;
  const principals = compilePrincipals(
    config.principals,
    principalCompiler(snapshot, tables.models),
  );
  const verifierOf = (key: SnapshotApiKey) => secrets[key.verifier_ref];
  const keys = compileKeys({ keys: config.api_keys, verifierOf, principals }, dropped);
  return {
    ...tables,
    ...compiledHead(snapshot),
    tuning,
    openCaller: config.settings.open ? anonymous : null,
    callers: callersOf(keys, principals),
    budgeted: new Set(config.principals.flatMap(({ id, budget }) => (budget === null ? [] : [id]))),
    promptClasses: config.prompt_classes,
    dropped,
  };
}

type Head = Pick<Snapshot, 'version' | 'config_hash' | 'classifier'> &
  Readonly<{ overlay: Pick<Snapshot['overlay'], 'seq'> }>;

export const compiledHead = ({ version, config_hash: hash, overlay, classifier }: Head) => ({
  version,
  edition: `${version} ${hash}`,
  overlaySeq: overlay.seq,
  classifier,
});

/** Needs no keys. Adds the reasons for omitted parts to `dropped`. */
export const compileTables = (snapshot: Snapshot, dropped: string[]): RoutingTables =>
  inOneGo(tableSteps(snapshot, dropped));

/** Each step compiles one model, pool or frontend model, so that requests are served in between. */
export function* tableSteps(snapshot: Snapshot, dropped: string[]): Steps<RoutingTables> {
  const { config } = snapshot;
  const models = yield* modelSteps(snapshot, dropped);
  const byId = new Map([...models.values()].map((model) => [model.id, model]));
  const pools = yield* poolSteps(config.pools, byId);
  const frontendModels = yield* frontendModelSteps(config, { models: byId, pools });
  const fallback = config.settings.fallback_model_id;
  return {
    models,
    frontendModels: new Map(frontendModels.map((one) => [one.name, one])),
    frontendModelsById: new Map(frontendModels.map((one) => [one.id, one])),
    pools: [...pools.values()],
    fallback: (fallback === null ? undefined : byId.get(fallback)) ?? null,
  };
}
