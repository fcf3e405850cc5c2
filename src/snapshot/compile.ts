// Turns a snapshot into lookup tables, once a version: key digest to caller, name to frontend
// model or model, grants as bits, rules as numbers. Whatever can be made here is never made on a
// request.

import type { FrontendModelId, PrincipalId } from '../lib/ids.ts';
import { refuse } from '../lib/refusal.ts';
import type { Refusal } from '../lib/refusal.ts';
import { inOneGo } from '../lib/steps.ts';
import type { Steps } from '../lib/steps.ts';
import { anonymous, compileCallers } from './compile/callers.ts';
import type { Caller } from './compile/callers.ts';
import { frontendModelSteps } from './compile/frontend-models.ts';
import type { CompiledFrontendModel } from './compile/frontend-models.ts';
import { modelSteps } from './compile/models.ts';
import type { CompiledModel } from './compile/models.ts';
import { poolSteps } from './compile/targets.ts';
import type { CompiledPool } from './compile/targets.ts';
import { snapshotSchemaVersion } from './schema.ts';
import type { Snapshot, SnapshotClassifier, SnapshotPromptClass } from './schema.ts';
import { defaultTuning } from './tuning.ts';
import type { Tuning } from './tuning.ts';

/** What a route is chosen by. */
export type RoutingTables = Readonly<{
  models: ReadonlyMap<string, CompiledModel>;
  /** By name, which wins over that of a model; and by id, which jumps name. */
  frontendModels: ReadonlyMap<string, CompiledFrontendModel>;
  frontendModelsById: ReadonlyMap<FrontendModelId, CompiledFrontendModel>;
  pools: readonly CompiledPool[];
  /** Ends every chain. */
  fallback: CompiledModel | null;
}>;

export type CompiledSnapshot = RoutingTables &
  Readonly<{
    version: number;
    /** Equal for snapshots that differ by their overlay alone. */
    edition: string;
    tuning: Tuning;
    overlaySeq: number;
    /** The caller of every request when no key is required, else null. */
    openCaller: Caller | null;
    /** By SHA-256 of the key, in hex. */
    callers: ReadonlyMap<string, Caller>;
    /** The principals that have a budget. */
    budgeted: ReadonlySet<PrincipalId>;
    promptClasses: readonly SnapshotPromptClass[];
    /** What prompts are compared to; it is for whoever has the encoder to say what that means. */
    classifier: SnapshotClassifier;
    /** What had to be left out, each a sentence for the log. */
    dropped: readonly string[];
  }>;

/**
 * A part that is broken is dropped alone; only a schema that this reader does not know is
 * refused.
 */
export function compileSnapshot(
  snapshot: Snapshot,
  tuning: Tuning = defaultTuning,
): CompiledSnapshot | Refusal {
  if (snapshot.schema > snapshotSchemaVersion) {
    return refuse('invalid', `schema ${snapshot.schema} is newer than ${snapshotSchemaVersion}`);
  }
  const dropped: string[] = [];
  const tables = compileTables(snapshot, dropped);
  return {
    ...tables,
    version: snapshot.version,
    edition: `${snapshot.version} ${snapshot.config_hash}`,
    tuning,
    overlaySeq: snapshot.overlay.seq,
    openCaller: snapshot.config.settings.open ? anonymous : null,
    callers: compileCallers(snapshot, tables.models, dropped),
    budgeted: new Set(
      snapshot.config.principals.flatMap(({ id, budget }) => (budget === null ? [] : [id])),
    ),
    promptClasses: snapshot.config.prompt_classes,
    classifier: snapshot.classifier,
    dropped,
  };
}

/** The part that needs no keys. Why something was left out is added to `dropped`. */
export const compileTables = (snapshot: Snapshot, dropped: string[]): RoutingTables =>
  inOneGo(tableSteps(snapshot, dropped));

/** The same, where others are to have their turn meanwhile: a step makes one model, pool or frontend model. */
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
