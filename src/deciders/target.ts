// Decides the targets of a rule or of a frontend model's defaults: a failover chain of provider
// models and pools (specification, "Frontend model, rule, target, pool"). Targets have no weights.

import { targetsMax } from '../lib/amounts.ts';
import type { Target } from '../../events/frontend-model.ts';
import type { Slice } from '../../projections/config/slice.ts';
import type { ConfigState } from '../../projections/config/state.ts';
import { targetId } from '../lib/ids.ts';
import type { ModelId, PoolId, TargetId } from '../lib/ids.ts';
import { isRefusal, refuse } from '../lib/refusal.ts';
import type { Refusal } from '../lib/refusal.ts';
import { positionsOf, refuseTooMany, within } from './part-list.ts';
import type { Place } from './part-list.ts';

/**
 * If both id and name are given, they must match. Without a position it follows the previous
 * target.
 */
export type TargetInput = Readonly<{
  modelId: ModelId | null;
  poolId: PoolId | null;
  name: string | null;
  position: number | null;
}>;

/** Assigns ids that no target ever had. */
export function targetIds(state: ConfigState): () => TargetId {
  let last = state.frontend_model.lastParts['target'] ?? 0;
  return () => targetId.parse((last += 1));
}

type Asked = Readonly<{
  held: readonly Target[];
  given: readonly TargetInput[];
  nextId: () => TargetId;
  place?: Place;
}>;

const inList: Place = (index) => `targets.${index}.`;

/** Sorted by position. A target keeps its id if a current target references the same entity. */
export function targetList(
  state: ConfigState,
  { held, given, nextId, place = inList }: Asked,
): readonly Target[] | Refusal {
  const tooMany = refuseTooMany('targets', given.length, targetsMax);
  if (tooMany !== null) return tooMany;
  const positions = positionsOf(
    given.map(({ position }) => position),
    place,
  );
  if (isRefusal(positions)) return positions;
  const targets: Target[] = [];
  for (const [index, input] of given.entries()) {
    const ref = refOf(state, input, held);
    if (isRefusal(ref)) return within(place(index), ref);
    if (targets.some(isSame(ref))) return within(place(index), repeated(input));
    const id = held.find(isSame(ref))?.id ?? nextId();
    targets.push({ id, ...ref, position: positions[index] ?? index });
  }
  return targets.toSorted((a, b) => a.position - b.position);
}

export function withTarget(
  state: ConfigState,
  held: readonly Target[],
  input: TargetInput,
): readonly Target[] | Refusal {
  const given = [...held.map(asInput), input];
  return targetList(state, { held, given, nextId: targetIds(state), place: () => '' });
}

const asInput = ({ model_id, pool_id, gone_model, position }: Target): TargetInput => ({
  modelId: model_id,
  poolId: pool_id,
  name: gone_model,
  position,
});

type Ref = Pick<Target, 'model_id' | 'pool_id' | 'gone_model'>;
const nothing: Ref = { model_id: null, pool_id: null, gone_model: null };

const isSame =
  (ref: Ref) =>
  (target: Ref): boolean =>
    target.model_id === ref.model_id &&
    target.pool_id === ref.pool_id &&
    target.gone_model === ref.gone_model;

const repeated = ({ name, modelId, poolId }: TargetInput): Refusal =>
  refuse('conflict', `model ${name ?? modelId ?? poolId} is already a target`, { param: 'model' });

function refOf(state: ConfigState, input: TargetInput, held: readonly Target[]): Ref | Refusal {
  const { modelId, poolId, name } = input;
  if (modelId !== null && poolId !== null) {
    const message = 'model_pool_id cannot be combined with provider_model_id';
    return refuse('invalid', message, { param: 'model_pool_id' });
  }
  if (modelId !== null) {
    const refusal = refuseReference(state.model, { field: 'provider_model_id', id: modelId, name });
    return refusal ?? { ...nothing, model_id: modelId };
  }
  if (poolId !== null) {
    const refusal = refuseReference(state.pool, { field: 'model_pool_id', id: poolId, name });
    return refusal ?? { ...nothing, pool_id: poolId };
  }
  if (name === null) {
    return refuse('invalid', 'model, provider_model_id or model_pool_id is needed', {
      param: 'model',
    });
  }
  return refNamed(state, name, held);
}

/** Also rejects a name that does not belong to the id. */
export function refuseReference(
  { byId }: Pick<Slice<{ name: string }>, 'byId'>,
  { field, id, name }: Readonly<{ field: string; id: number; name: string | null }>,
): Refusal | null {
  const found = byId.get(id);
  if (found === undefined) {
    return refuse('invalid', `${field} ${id} does not exist`, { param: field });
  }
  if (name === null || name === found.name) return null;
  const message = `model is ${name}, but ${field} ${id} has the name ${found.name}`;
  return refuse('invalid', message, { param: 'model' });
}

function refNamed(state: ConfigState, name: string, held: readonly Target[]): Ref | Refusal {
  const named = (one: { name: string }): boolean => one.name === name;
  const model = [...state.model.byId.values()].find(named);
  if (model !== undefined) return { ...nothing, model_id: model.id };
  const pool = [...state.pool.byId.values()].find(named);
  if (pool !== undefined) return { ...nothing, pool_id: pool.id };
  // Accepts a deleted model by the name that lists show.
  if (held.some(({ gone_model }) => gone_model === name)) return { ...nothing, gone_model: name };
  const isFrontend = [...state.frontend_model.byId.values()].some(named);
  const reason = isFrontend
    ? 'is a frontend model; use a rule with action jump instead'
    : 'is neither a provider model nor a pool';
  return refuse('invalid', `model ${name} ${reason}`, { param: 'model' });
}
