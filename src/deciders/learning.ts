// Decides which provider models exist for the models that a dynamic provider serves. No caller can
// use a learned model until an operator references it (Authentication rule 7;
// src/snapshot/closed-models.ts). So it never takes a name that is already referenced, unless that
// model was learned from the same principal before.

import { streamOf } from '../../events/catalogue.ts';
import type { GwEvent } from '../../events/catalogue.ts';
import type { Model } from '../../projections/config/model.ts';
import type { Provider } from '../../projections/config/provider.ts';
import type { ConfigState } from '../../projections/config/state.ts';
import { modelNameField, upstreamModelField } from '../lib/fields.ts';
import { modelId } from '../lib/ids.ts';
import type { ModelId, PrincipalId, ProviderId } from '../lib/ids.ts';
import { isFreeName } from './model-name.ts';
import { setFields } from './set-fields.ts';
import { isReferredTo, isUnclaimed } from './model-reference.ts';

/** An entry of a model list; `contextLength` in tokens. */
export type FoundModel = Readonly<{ id: string; contextLength: number | null }>;

/**
 * Per provider, and for all providers of one principal. The rest of a list is ignored, because any
 * key can register one.
 */
export const learnedModelsMax = 128;
export const learnedByPrincipalMax = 2_048;

export function modelsOf({ model }: ConfigState, provider: ProviderId): readonly Model[] {
  const found: Model[] = [];
  // Runs for every provider in every sweep, so it does not copy the list of models.
  model.byId.forEach((one) => {
    if (one.backend?.providerId === provider) found.push(one);
  });
  return found;
}

/** Only models that have a backend count. */
function countLearned({ model }: ConfigState, principal: PrincipalId): number {
  let count = 0;
  model.byId.forEach(({ learnedBy, backend }) => {
    if (learnedBy === principal && backend !== null) count += 1;
  });
  return count;
}

/**
 * Returns the events that update the provider's models to those it serves; none if no agent holds
 * it.
 */
export function learn(
  state: ConfigState,
  provider: Pick<Provider, 'id' | 'name' | 'registration'>,
  served: readonly FoundModel[],
): readonly GwEvent[] {
  if (provider.registration === null) return [];
  const { principalId } = provider.registration;
  const held = modelsOf(state, provider.id);
  const servedIds = new Set(served.map(({ id }) => id));
  const gone = held.filter(
    ({ learnedBy, backend }) => learnedBy !== null && !servedIds.has(backend?.upstreamModel ?? ''),
  );
  const known = new Set(held.map(({ backend }) => backend?.upstreamModel));
  const room = Math.max(
    0,
    Math.min(
      learnedModelsMax - held.length,
      learnedByPrincipalMax - countLearned(state, principalId),
    ),
  );
  const fresh = served
    .filter(({ id }) => !known.has(id) && upstreamModelField.safeParse(id).success)
    .slice(0, room);
  const naming = newNaming(state, { principalId, provider: provider.name });
  return [
    ...gone.flatMap((model) => letGo(state, model)),
    ...fresh.flatMap((found) => {
      const place = naming(found.id);
      return place === null ? [] : take(place, { found, provider: provider.id, principalId });
    }),
  ];
}

/**
 * A model that is referenced or was edited by an operator only loses its backend: it stays listed,
 * cannot be routed to, and is matched by name when it returns.
 */
export const letGo = (state: ConfigState, model: Model): readonly GwEvent[] => [
  {
    stream: streamOf('model', model.id),
    type: isUntouched(state, model) ? 'ModelDeleted' : 'ModelBackendDetached',
    data: { id: model.id },
  },
];

const isUntouched = (state: ConfigState, model: Model): boolean =>
  model.description === null && isUnclaimed(state, model);

/** A model that returns, or a new one. */
type Naming = Readonly<{ id: ModelId; name: string; isNew: boolean }>;

/** The upstream id, or else the id with the provider's name; null if both are taken. */
function newNaming(
  state: ConfigState,
  owner: Readonly<{ principalId: PrincipalId; provider: string }>,
): (upstreamModel: string) => Naming | null {
  const given = new Set<string>();
  let lastId = state.model.lastId;
  return (upstreamModel) => {
    for (const name of [upstreamModel, `${upstreamModel}@${owner.provider}`]) {
      if (given.has(name) || !modelNameField.safeParse(name).success) continue;
      const again = [...state.model.byId.values()].find((model) => model.name === name);
      const isOwn = again?.learnedBy === owner.principalId && again.backend === null;
      const isFree = isFreeName(state, name) && !isReferredTo(state, { id: null, name });
      if (!isOwn && !isFree) continue;
      given.add(name);
      if (again !== undefined) return { id: again.id, name, isNew: false };
      lastId += 1;
      return { id: modelId.parse(lastId), name, isNew: true };
    }
    return null;
  };
}

type Taking = Readonly<{ found: FoundModel; provider: ProviderId; principalId: PrincipalId }>;

function take(
  { id, name, isNew }: Naming,
  { found, provider, principalId }: Taking,
): readonly GwEvent[] {
  const stream = streamOf('model', id);
  const made: GwEvent[] = [
    { stream, type: 'ModelCreated', data: { id, name, description: null } },
    { stream, type: 'ModelLearned', data: { id, principal_id: principalId } },
    ...setFields('model', { id }, { contextLength: found.contextLength }),
  ];
  return [
    ...(isNew ? made : []),
    {
      stream,
      type: 'ModelBackendAttached',
      data: { id, provider_id: provider, upstream_model: found.id, default_max_tokens: null },
    },
  ];
}
