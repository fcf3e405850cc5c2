// Resolves pools and targets from ids to models. Skips ids that no longer exist.

import type { ModelId, PoolId } from '../../lib/ids.ts';
import type { Steps } from '../../lib/steps.ts';
import type { PoolPolicy } from '../../lib/vocabulary.ts';
import type { SnapshotPool, SnapshotTarget } from '../schema.ts';
import type { CompiledModel } from './models.ts';

/** In order, those of weight 0 last, with the values that policies need. */
export type CompiledPool = Readonly<{
  kind: 'pool';
  id: PoolId;
  name: string;
  /** Null splits by weight. */
  policy: PoolPolicy | null;
  members: readonly CompiledModel[];
  /** Members without a usable backend. */
  out: readonly CompiledModel[];
  weights: readonly number[];
  /** Policies store state about members under these ids. */
  ids: readonly number[];
}>;

export type CompiledTarget = Readonly<{ kind: 'model'; model: CompiledModel }> | CompiledPool;

/** One pool per step. */
export function* poolSteps(
  pools: readonly SnapshotPool[],
  models: ReadonlyMap<ModelId, CompiledModel>,
): Steps<Map<PoolId, CompiledPool>> {
  const compiled = new Map<PoolId, CompiledPool>();
  for (const pool of pools) {
    compiled.set(pool.id, compilePool(pool, models));
    yield;
  }
  return compiled;
}

function compilePool(
  { id, name, policy, members, drained = [] }: SnapshotPool,
  models: ReadonlyMap<ModelId, CompiledModel>,
): CompiledPool {
  const all = [...members, ...drained.map((modelId) => ({ model_id: modelId, weight: 0 }))];
  const known = all.flatMap(({ model_id: modelId, weight }) => {
    const model = models.get(modelId);
    return model === undefined ? [] : [{ model, weight }];
  });
  const present = known.filter(({ model }) => model.backends.length > 0);
  return {
    kind: 'pool',
    id,
    name,
    policy,
    members: present.map(({ model }) => model),
    out: known.flatMap(({ model }) => (isOut(model) ? [model] : [])),
    weights: present.map(({ weight }) => weight),
    ids: present.map(({ model }) => model.id),
  };
}

/** Members of weight 0 serve only if all others fail or there are none. */
export function servingCount(weights: readonly number[]): number {
  const firstDrained = weights.indexOf(0);
  return firstDrained <= 0 ? weights.length : firstDrained;
}

/** It has a provider, which is not usable now. */
export const isOut = ({ isAttached, backends }: CompiledModel): boolean =>
  isAttached && backends.length === 0;

export type Targetable = Readonly<{
  models: ReadonlyMap<ModelId, CompiledModel>;
  pools: ReadonlyMap<PoolId, CompiledPool>;
}>;

export function compileTargets(
  targets: readonly SnapshotTarget[],
  { models, pools }: Targetable,
): readonly CompiledTarget[] {
  return targets.flatMap(({ model_id: modelId, pool_id: poolId }): CompiledTarget[] => {
    const model = modelId === null ? undefined : models.get(modelId);
    if (model !== undefined) return [{ kind: 'model', model }];
    const pool = poolId === null ? undefined : pools.get(poolId);
    return pool === undefined ? [] : [pool];
  });
}

/** Those that have a backend. */
export function modelsOf(targets: readonly CompiledTarget[]): readonly CompiledModel[] {
  const all = targets.flatMap((target) =>
    target.kind === 'model' ? [target.model] : target.members,
  );
  return [...new Set(all)].filter(({ backends }) => backends.length > 0);
}
