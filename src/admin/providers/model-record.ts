// Builds the record of a provider model, which includes its backend.

import { z } from 'zod';

import type { ConfigState } from '../../../projections/config/state.ts';
import { closedModelsIn } from '../../../projections/snapshot.ts';
import type { ModelRow } from '../../../projections/tables/models.ts';
import { backendFields, flowFields, modelFields } from '../../fields/model.ts';
import { shapeOf } from '../../fields/schemas.ts';
import { picked, readerOf, valuesOf } from '../../fields/values.ts';
import { withSortedKeys } from '../../lib/canonical-json.ts';
import { modelId, providerId } from '../../lib/ids.ts';
import { credentialKind, protocol } from '../../lib/vocabulary.ts';
import { written } from '../http/mutation.ts';

const noEndpoint = { api_base: null, protocol: null, auth_header: null, auth_scheme: null };
const modelValues = readerOf(modelFields);

/** Null in a flow-control field means its default. */
export const backendRecord = z.object({
  id: modelId,
  provider_model_id: modelId,
  provider_id: providerId,
  provider_name: z.string(),
  api_base: z.string(),
  protocol,
  auth_header: z.string(),
  /** Null sends the credential without a scheme. */
  auth_scheme: z.string().nullable(),
  credential_kind: credentialKind,
  has_upstream_api_key: z.boolean(),
  upstream_model: z.string(),
  ...shapeOf(backendFields, 'record'),
});
export type BackendRecord = z.input<typeof backendRecord>;

export const modelRecord = z.object({
  id: modelId,
  name: z.string(),
  description: z.string().nullable(),
  ...shapeOf(modelFields, 'record'),
  provider_id: providerId.nullable(),
  provider_name: z.string().nullable(),
  backends: z.array(backendRecord).readonly(),
  /**
   * True if the model was discovered on a registered host and no operator's configuration refers to
   * it. Only a grant of its exact name allows it.
   */
  closed: z.boolean(),
});
export type ModelRecord = z.input<typeof modelRecord>;

type ListedModel = ModelRow & Readonly<{ closed: boolean }>;

export const toModelRecord = (row: ListedModel): ModelRecord => ({
  id: row.id,
  name: row.name,
  description: row.description,
  // A column of JSON has an order of its own, which differs from that of events.
  ...valuesOf(modelFields, (name) => withSortedKeys<unknown>(Reflect.get(row, name))),
  provider_id: row.provider_id,
  provider_name: row.provider_name,
  backends: backendsOf(row),
  closed: row.closed,
});

function backendsOf(row: ModelRow): readonly BackendRecord[] {
  const { provider_id, provider_name, api_base, protocol, auth_header, upstream_model } = row;
  if (provider_id === null || provider_name === null || api_base === null) return [];
  if (protocol === null || auth_header === null || upstream_model === null) return [];
  return [
    {
      id: row.id,
      provider_model_id: row.id,
      provider_id,
      provider_name,
      api_base,
      protocol,
      auth_header,
      auth_scheme: row.auth_scheme,
      credential_kind: row.credential_kind ?? 'static',
      has_upstream_api_key: row.has_upstream_api_key,
      upstream_model,
      ...picked(backendFields, row),
    },
  ];
}

export const modelRowsIn = (state: ConfigState): ListedModel[] =>
  withClosed(
    state,
    [...state.model.byId.keys()].map((id) => rowIn(state, id)),
  );

export function withClosed(state: ConfigState, rows: readonly ModelRow[]): ListedModel[] {
  const closed = closedModelsIn(state);
  return rows.map((row) => ({ ...row, closed: closed.has(row.id) }));
}

export const modelRowIn = (state: ConfigState, id: number): ListedModel => ({
  ...rowIn(state, id),
  closed: closedModelsIn(state).has(modelId.parse(id)),
});

export function backendRecordIn(state: ConfigState, id: number): BackendRecord {
  const [backend] = backendsOf(rowIn(state, id));
  if (backend === undefined) throw new Error(`model ${id} has no backend right after it got one`);
  return backend;
}

function rowIn(state: ConfigState, id: number): ModelRow {
  const model = written(state.model, id);
  const provider =
    model.backend === null ? undefined : state.provider.byId.get(model.backend.providerId);
  return {
    id: model.id,
    name: model.name,
    description: model.description,
    ...modelValues(model),
    provider_id: provider?.id ?? null,
    provider_name: provider?.name ?? null,
    ...(provider?.endpoint ?? noEndpoint),
    credential_kind: provider?.credential?.kind ?? 'static',
    has_upstream_api_key: (provider?.credential ?? null) !== null,
    upstream_model: model.backend?.upstreamModel ?? null,
    default_max_tokens: model.backend?.defaultMaxTokens ?? null,
    ...picked(flowFields, model.flowControl),
  };
}
