// What follows for targets and pool members when a provider model comes or goes: they keep its name while it is gone, and find it
// again by that, so that a host that registers anew is routed to as before. A rename needs nothing: they refer by id.

import { streamOf } from '../../events/catalogue.ts';
import type { GwEvent } from '../../events/catalogue.ts';
import type { FrontendModel } from '../../projections/config/frontend-model.ts';
import type { ConfigState } from '../../projections/config/state.ts';
import type { FrontendModelId, ModelId, PoolId } from '../lib/ids.ts';

type Named = Readonly<{ id: ModelId; name: string }>;
type Ref = Readonly<{ model_id: ModelId | null; gone_model: string | null }>;

/** Before the deletion of `model`. */
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

/** After `model` came to its name. */
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

/** Every target of a frontend model: those of its rules, then its defaults. */
export const targetsIn = ({ rules, defaultTargets }: FrontendModel) => [
  ...rules.flatMap(({ targets }) => targets),
  ...defaultTargets,
];
