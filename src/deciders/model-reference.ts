// Updates targets and pool members when a provider model is created or deleted. They keep the name
// of a deleted model and find it again by that name, so that a host that registers again gets its
// routes back.

import { streamOf } from '../../events/catalogue.ts';
import type { GwEvent } from '../../events/catalogue.ts';
import type { FrontendModel } from '../../projections/config/frontend-model.ts';
import { isAsLearned } from '../../projections/config/model.ts';
import type { Model } from '../../projections/config/model.ts';
import type { ConfigState } from '../../projections/config/state.ts';
import type { FrontendModelId, ModelId, PoolId } from '../lib/ids.ts';

type Named = Readonly<{ id: ModelId; name: string }>;
type Ref = Readonly<{ model_id: ModelId | null; gone_model: string | null }>;

/** Must run before the deletion of `model`. */
export function referencesLost(state: ConfigState, { id, name }: Named): GwEvent[] {
  const { frontendModels, pools } = holders(state, (ref) => ref.model_id === id);
  return [
    ...frontendModels.map((own): GwEvent => ({
      stream: streamOf('frontend_model', own),
      type: 'FrontendModelTargetLost',
      data: { id: own, model_id: id, model: name },
    })),
    ...pools.map((own): GwEvent => ({
      stream: streamOf('pool', own),
      type: 'PoolMemberLost',
      data: { id: own, model_id: id, model: name },
    })),
  ];
}

/** Must run after `model` got its name. */
export function referencesFound(state: ConfigState, { id, name }: Named): GwEvent[] {
  const { frontendModels, pools } = holders(state, (ref) => ref.gone_model === name);
  return [
    ...frontendModels.map((own): GwEvent => ({
      stream: streamOf('frontend_model', own),
      type: 'FrontendModelTargetFound',
      data: { id: own, model_id: id, model: name },
    })),
    ...pools.map((own): GwEvent => ({
      stream: streamOf('pool', own),
      type: 'PoolMemberFound',
      data: { id: own, model_id: id, model: name },
    })),
  ];
}

/** Also true for the kept name of a deleted model. */
export function isReferredTo(
  state: ConfigState,
  { id, name }: Pick<Model, 'name'> & { id: ModelId | null },
): boolean {
  const isMeant = (ref: Ref): boolean =>
    (id !== null && ref.model_id === id) || ref.gone_model === name;
  return (
    (id !== null && state.settings.byId.get(1)?.fallbackModelId === id) ||
    [...state.frontend_model.byId.values()].some((one) => targetsIn(one).some(isMeant)) ||
    [...state.pool.byId.values()].some(({ members }) => members.some(isMeant)) ||
    [...state.role.byId.values()].some(({ permissions }) =>
      permissions.some(({ resource }) => resource === `model/${name}`),
    )
  );
}

/** No caller can use such a model. */
export const isUnclaimed = (state: ConfigState, model: Model): boolean =>
  isAsLearned(model) && !isReferredTo(state, model);

const holders = (
  state: ConfigState,
  isMeant: (ref: Ref) => boolean,
): { frontendModels: readonly FrontendModelId[]; pools: readonly PoolId[] } => ({
  frontendModels: [...state.frontend_model.byId.values()]
    .filter((model) => targetsIn(model).some(isMeant))
    .map(({ id }) => id),
  pools: [...state.pool.byId.values()]
    .filter(({ members }) => members.some(isMeant))
    .map(({ id }) => id),
});

export const targetsIn = ({ rules, defaultTargets }: FrontendModel) => [
  ...rules.flatMap(({ targets }) => targets),
  ...defaultTargets,
];
