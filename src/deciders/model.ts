// Decides commands on provider models and their backends (specification, "Models, backends,
// providers").

import { streamOf } from '../../events/catalogue.ts';
import type { GwEvent } from '../../events/catalogue.ts';
import type { FlowControl } from '../../events/model.ts';
import type { Endpoint, StoredCredential } from '../../events/provider.ts';
import type { Model } from '../../projections/config/model.ts';
import type { Provider } from '../../projections/config/provider.ts';
import type { ConfigState } from '../../projections/config/state.ts';
import type { Held } from '../fields/field.ts';
import type { modelFields } from '../fields/model.ts';
import { modelId, providerId } from '../lib/ids.ts';
import type { ModelId, ProviderId } from '../lib/ids.ts';
import { isRefusal, refuse } from '../lib/refusal.ts';
import type { Refusal } from '../lib/refusal.ts';
import type { Decision } from './decision.ts';
import { claimName } from './model-name.ts';
import { referencesFound, referencesLost } from './model-reference.ts';
import { setFields } from './set-fields.ts';
import type { Given } from './set-fields.ts';
import { freeName, noProvider, providerCreated, sameEndpoint } from './provider.ts';

/** Undefined members stay unchanged; null clears. */
export type ModelFields = Given<Pick<Model, 'name' | 'description'> & Held<typeof modelFields>>;

/** An existing provider, or an endpoint whose provider is found or, if `answered`, created. */
export type BackendTarget =
  | Readonly<{ providerId: ProviderId }>
  | Readonly<{
      endpoint: Endpoint;
      credential: StoredCredential | null;
      defaultName: string;
      answered: boolean;
    }>;

export type ModelCommand =
  | Readonly<{
      type: 'CreateModel';
      name: string;
      fields: ModelFields;
      /** Absent if the new model has no provider. */
      backend?: Readonly<{ providerId: ProviderId; upstreamModel: string | null }> | undefined;
    }>
  | Readonly<{ type: 'UpdateModel'; id: ModelId; fields: ModelFields }>
  | Readonly<{ type: 'DeleteModel'; id: ModelId }>
  | Readonly<{
      type: 'AttachBackend';
      id: ModelId;
      target: BackendTarget;
      /** Null uses the model's own name. */
      upstreamModel: string | null;
      defaultMaxTokens: number | null;
    }>
  | Readonly<{ type: 'DetachBackend'; id: ModelId }>
  /** Undefined members stay unchanged; null restores the default. */
  | Readonly<{
      type: 'UpdateBackend';
      id: ModelId;
      flowControl: Partial<FlowControl>;
      defaultMaxTokens: number | null | undefined;
    }>
  /** Also valid for a model without a backend. */
  | Readonly<{ type: 'SetFlowControl'; id: ModelId; flowControl: Partial<FlowControl> }>;

export const noModel = (id: number): Refusal => refuse('absent', `model ${id} does not exist`);

export function decideModel(state: ConfigState, command: ModelCommand): Decision {
  if (command.type === 'CreateModel') return createModel(state, command);
  const model = state.model.byId.get(command.id);
  if (model === undefined) return noModel(command.id);
  switch (command.type) {
    case 'UpdateModel':
      return updateModel(state, model, command.fields);
    case 'DeleteModel':
      return deleteModel(state, model);
    case 'AttachBackend':
      return attachBackend(state, model, command);
    case 'DetachBackend':
      if (model.backend === null) return refuse('absent', `model ${model.name} has no backend`);
      return [event(model, 'ModelBackendDetached', {})];
    case 'UpdateBackend':
      return updateBackend(model, command);
    case 'SetFlowControl':
      return setFlowControl(model, command.flowControl);
  }
}

type Of<Type extends ModelCommand['type']> = Extract<ModelCommand, { type: Type }>;
type ModelEventType = Extract<GwEvent, { type: `Model${string}` }>;

const event = <Type extends ModelEventType['type']>(
  { id }: Pick<Model, 'id'>,
  type: Type,
  data: Omit<Extract<ModelEventType, { type: Type }>['data'], 'id'>,
) => ({ stream: streamOf('model', id), type, data: { id, ...data } });

function createModel(state: ConfigState, { name, fields, backend }: Of<'CreateModel'>): Decision {
  const claimed = claimName(state, 'model', name);
  if (isRefusal(claimed)) return claimed;
  const id = modelId.parse(state.model.lastId + 1);
  const description = fields.description ?? null;
  const attached = backend === undefined ? [] : firstBackend(state, { id, name }, backend);
  if (isRefusal(attached)) return attached;
  return [
    ...claimed,
    { stream: streamOf('model', id), type: 'ModelCreated', data: { id, name, description } },
    ...attached,
    ...setFields('model', { id, name, description }, { ...fields, name, description }),
    ...referencesFound(state, { id, name }),
  ];
}

const firstBackend = (
  state: ConfigState,
  model: Pick<Model, 'id' | 'name'>,
  { providerId, upstreamModel }: NonNullable<Of<'CreateModel'>['backend']>,
): Decision =>
  attachBackend(
    state,
    { ...model, backend: null },
    { target: { providerId }, upstreamModel, defaultMaxTokens: null },
  );

function updateModel(state: ConfigState, model: Model, fields: ModelFields): Decision {
  const { name = model.name, ...others } = fields;
  const changed = setFields('model', model, others);
  if (name === model.name) return changed;
  const claimed = claimName(state, 'model', name);
  if (isRefusal(claimed)) return claimed;
  return [
    ...claimed,
    ...setFields('model', model, { name }),
    ...referencesFound(state, { id: model.id, name }),
    ...movedGrants(state, { from: model.name, to: name }),
    ...changed,
  ];
}

/** Holders of grants on the old name keep access. */
function movedGrants(state: ConfigState, { from, to }: { from: string; to: string }): GwEvent[] {
  const [old, fresh] = [`model/${from}`, `model/${to}`];
  return [...state.role.byId.values()].flatMap((role): GwEvent[] => {
    const holds = (resource: string): boolean =>
      role.permissions.some((one) => one.verb === 'model:invoke' && one.resource === resource);
    if (!holds(old)) return [];
    const change = (
      type: 'RolePermissionRevoked' | 'RolePermissionGranted',
      resource: string,
    ): GwEvent => ({
      stream: streamOf('role', role.id),
      type,
      data: { id: role.id, verb: 'model:invoke', resource },
    });
    const revoked = change('RolePermissionRevoked', old);
    return holds(fresh) ? [revoked] : [revoked, change('RolePermissionGranted', fresh)];
  });
}

function deleteModel(state: ConfigState, model: Model): Decision {
  const isFallback = state.settings.byId.get(1)?.fallbackModelId === model.id;
  return [
    ...(isFallback
      ? [
          {
            stream: streamOf('settings', 1),
            type: 'FallbackModelSet',
            data: { model_id: null },
          } as const,
        ]
      : []),
    ...referencesLost(state, model),
    event(model, 'ModelDeleted', {}),
  ];
}

function attachBackend(
  state: ConfigState,
  model: Pick<Model, 'id' | 'name' | 'backend'>,
  command: Omit<Of<'AttachBackend'>, 'type' | 'id'>,
): Decision {
  if (model.backend !== null) {
    return refuse('conflict', `model ${model.name} already has a provider`);
  }
  const { target } = command;
  const attached = (provider: ProviderId): GwEvent =>
    event(model, 'ModelBackendAttached', {
      provider_id: provider,
      upstream_model: command.upstreamModel ?? model.name,
      default_max_tokens: command.defaultMaxTokens,
    });
  if ('providerId' in target) {
    if (!state.provider.byId.has(target.providerId)) {
      return { ...noProvider(target.providerId), refused: 'invalid', param: 'provider_id' };
    }
    return [attached(target.providerId)];
  }
  const held = reusable(state, target);
  if (held !== undefined) return [attached(held.id)];
  if (!target.answered) {
    const { api_base: address } = target.endpoint;
    return refuse('conflict', `the provider at ${address} was deleted; send the backend again`);
  }
  const { endpoint, credential, defaultName } = target;
  const id = providerId.parse(state.provider.lastId + 1);
  const name = freeName(state, defaultName);
  const created = { kind: 'static', catalogueKey: null, endpoint, credential } as const;
  return [providerCreated(id, name, created), attached(id)];
}

/** Without a credential, any provider at that address matches. */
function reusable(
  state: ConfigState,
  { endpoint, credential }: Extract<BackendTarget, { endpoint: Endpoint }>,
): Provider | undefined {
  const there = [...state.provider.byId.values()].filter((one) =>
    sameEndpoint(one.endpoint, endpoint),
  );
  const twin = there.find((one) => one.credential?.fingerprint === credential?.fingerprint);
  return twin ?? (credential === null ? there[0] : undefined);
}

function updateBackend(
  model: Model,
  { flowControl, defaultMaxTokens }: Of<'UpdateBackend'>,
): Decision {
  const { backend } = model;
  if (backend === null) return refuse('absent', `no backend has the id ${model.id}`);
  const isSame = defaultMaxTokens === undefined || defaultMaxTokens === backend.defaultMaxTokens;
  const set = { default_max_tokens: defaultMaxTokens ?? null };
  return [
    ...(isSame ? [] : [event(model, 'ModelDefaultMaxTokensSet', set)]),
    ...setFlowControl(model, flowControl),
  ];
}

const setFlowControl = (model: Model, changes: Partial<FlowControl>): readonly GwEvent[] =>
  setFields('model', model, { flowControl: { ...model.flowControl, ...changes } });
