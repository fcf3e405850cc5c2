// What a dynamic provider serves becomes provider models, which go when it no longer serves them. A learned model reaches no caller
// until an operator points at it (Authentication rule 7; src/snapshot/closed-models.ts). So it never takes a name that something refers
// to, unless that model was learned from the same principal before.

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

/** One entry of a model list; `contextLength` in tokens. */
export type FoundModel = Readonly<{ id: string; contextLength: number | null }>;

/** Models of one provider, and of all providers of one principal: the rest of a list is left out, because any key can register one. */
export const learnedModelsMax = 128;
export const learnedByPrincipalMax = 2_048;

/** The models that the provider serves, of those that are registered for it. */
export function modelsOf({ model }: ConfigState, provider: ProviderId): readonly Model[] {
  const found: Model[] = [];
  // Asked for every provider with every sweep: no list of all models is made for it.
  model.byId.forEach((one) => {
    if (one.backend?.providerId === provider) found.push(one);
  });
  return found;
}

/** Models of a principal's hosts that stand behind a provider. */
function countLearned({ model }: ConfigState, principal: PrincipalId): number {
  let count = 0;
  model.byId.forEach(({ learnedBy, backend }) => {
    if (learnedBy === principal && backend !== null) count += 1;
  });
  return count;
}

/** The events by which the provider's models come to be what it serves; none for one that no agent holds. */
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
 * The events by which the provider's model goes. One that something refers to, or that somebody has worked on, only loses its
 * backend: it is listed, not routable, and found again by its name.
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

/** A model that is there again, or the id and name of one that is made. */
type Naming = Readonly<{ id: ModelId; name: string; isNew: boolean }>;

/** Names what is found: by its own id, else with the provider behind it; null when neither can be. */
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
