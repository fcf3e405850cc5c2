// Imports a provider and a model. A backend is identified by its model, address and upstream model
// (specification, "Commands of the binary"), so a changed auth in the file updates the provider
// instead of duplicating it.

import type { Model } from '../../../projections/config/model.ts';
import type { Provider } from '../../../projections/config/provider.ts';
import type { ConfigState } from '../../../projections/config/state.ts';
import type { ProviderId } from '../../lib/ids.ts';
import { refuse } from '../../lib/refusal.ts';
import type { Refusal } from '../../lib/refusal.ts';
import { decideModel } from '../model.ts';
import { decideProvider, sameEndpoint } from '../provider.ts';
import { isUnclaimed } from '../model-reference.ts';
import { named } from './named.ts';
import type { ImportedEndpoint, ModelStep, ProviderStep } from './step.ts';
import type { Unfolding } from './unfolding.ts';

export function importProvider(on: Unfolding, step: ProviderStep): Refusal | null {
  const state = on.state();
  const held =
    findProvider(state, step, null) ?? named(state.provider, step.name) ?? changed(state, step);
  const { endpoint, credential, name } = step;
  if (held === undefined) {
    const { defaultName, kind, catalogueKey } = step;
    const created = { name, defaultName, kind, catalogueKey, endpoint, credential };
    return on.take(decideProvider(state, { type: 'CreateProvider', ...created }));
  }
  const isNew = credential !== null && credential.fingerprint !== held.credential?.fingerprint;
  return on.take(
    decideProvider(state, {
      type: 'UpdateProvider',
      id: held.id,
      name: name ?? undefined,
      kind: undefined,
      endpoint: sameEndpoint(held.endpoint, endpoint) ? undefined : endpoint,
      credential: isNew ? credential : undefined,
      keepCredential: false,
    }),
  );
}

/**
 * The provider with that address and auth. Without a credential in the file: the `preferred` one,
 * else one without a credential.
 */
function findProvider(
  { provider }: ConfigState,
  step: ImportedEndpoint,
  preferred: ProviderId | null,
): Provider | undefined {
  const { endpoint, credential } = step;
  const there = [...provider.byId.values()].filter((one) => sameEndpoint(one.endpoint, endpoint));
  if (credential !== null) {
    return there.find((one) => one.credential?.fingerprint === credential.fingerprint);
  }
  return (
    there.find((one) => one.id === preferred && !isOfOthers(one, step)) ??
    there.find((one) => one.credential === null)
  );
}

/** Reusing the provider would charge the account of another entry of the file. */
const isOfOthers = (
  { credential }: Provider,
  { otherCredentials }: Pick<ImportedEndpoint, 'otherCredentials'>,
): boolean => credential !== null && otherCredentials.includes(credential.fingerprint);

/** A provider at that address whose models are all in the import. */
function changed(state: ConfigState, step: ProviderStep): Provider | undefined {
  const { endpoint, serves } = step;
  const isServed = (model: Model): boolean =>
    serves.some(
      ({ models, upstreamModel }) =>
        models.includes(model.name) && model.backend?.upstreamModel === upstreamModel,
    );
  const all = [...state.model.byId.values()];
  return [...state.provider.byId.values()].find((one) => {
    if (one.endpoint.api_base !== endpoint.api_base || isOfOthers(one, step)) return false;
    const models = all.filter(({ backend }) => backend?.providerId === one.id);
    return models.length > 0 && models.every(isServed);
  });
}

export function importModel(on: Unfolding, step: ModelStep): Refusal | null {
  const held = standing(on.state(), step) ?? former(on.state(), step);
  const { name, fields } = step;
  const refusal = on.take(
    held === undefined
      ? decideModel(on.state(), { type: 'CreateModel', name, fields })
      : decideModel(on.state(), { type: 'UpdateModel', id: held.id, fields: { ...fields, name } }),
  );
  if (refusal !== null) return refusal;
  const model = named(on.state().model, name);
  if (model === undefined) return refuse('conflict', `model ${name} was not created`);
  return importBackend(on, model, step) ?? importFlowControl(on, model, step);
}

/** The model of that name, except a learned one from another address that yields its name. */
function standing(state: ConfigState, { name, backend }: ModelStep): Model | undefined {
  const held = named(state.model, name);
  if (held === undefined || !isUnclaimed(state, held)) return held;
  return isServedBy(state, held, backend) ? held : undefined;
}

/** The same backend under the model's former name. */
function former(state: ConfigState, { formerName, backend }: ModelStep): Model | undefined {
  const held = named(state.model, formerName);
  return held !== undefined && isServedBy(state, held, backend) ? held : undefined;
}

function isServedBy(
  state: ConfigState,
  { backend: held }: Model,
  backend: ModelStep['backend'],
): boolean {
  if (held === null || backend === null) return false;
  const provider = state.provider.byId.get(held.providerId);
  return (
    provider?.endpoint.api_base === backend.endpoint.api_base &&
    held.upstreamModel === backend.upstreamModel
  );
}

function importBackend(on: Unfolding, model: Model, { backend }: ModelStep): Refusal | null {
  if (backend === null) return null;
  const held = model.backend;
  const provider =
    findProvider(on.state(), backend, held?.providerId ?? null) ?? soleWithCredential(on, backend);
  if (provider === undefined) {
    const { api_base: address } = backend.endpoint;
    const message = `model ${model.name}: no matching provider at ${address}; add its api_key to the file`;
    return refuse('conflict', message);
  }
  const { upstreamModel } = backend;
  const isSame = held?.providerId === provider.id && held.upstreamModel === upstreamModel;
  const defaultMaxTokens =
    backend.defaultMaxTokens ?? (isSame ? (held?.defaultMaxTokens ?? null) : null);
  if (isSame && held?.defaultMaxTokens === defaultMaxTokens) return null;
  const { id } = model;
  if (isSame) {
    const command = { type: 'UpdateBackend', id, flowControl: {}, defaultMaxTokens } as const;
    return on.take(decideModel(on.state(), command));
  }
  const detached =
    held === null ? null : on.take(decideModel(on.state(), { type: 'DetachBackend', id }));
  if (detached !== null) return detached;
  const target = { providerId: provider.id };
  const command = { type: 'AttachBackend', id, target, upstreamModel, defaultMaxTokens } as const;
  return on.take(decideModel(on.state(), command));
}

/** The step of the provider has already matched it by name or models. */
function soleWithCredential(on: Unfolding, step: ImportedEndpoint): Provider | undefined {
  if (step.credential !== null) return undefined;
  const fitting = [...on.state().provider.byId.values()].filter(
    (one) => sameEndpoint(one.endpoint, step.endpoint) && !isOfOthers(one, step),
  );
  return fitting.length === 1 ? fitting[0] : undefined;
}

function importFlowControl(
  on: Unfolding,
  { id }: Pick<Model, 'id'>,
  { flowControl }: ModelStep,
): Refusal | null {
  if (Object.keys(flowControl).length === 0) return null;
  return on.take(decideModel(on.state(), { type: 'SetFlowControl', id, flowControl }));
}
