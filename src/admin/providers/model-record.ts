// The record of a provider model and of its backend, which is the model's link to its provider and has the model's id.

import { z } from 'zod';

import type { ConfigState } from '../../../projections/config/state.ts';
import { closedModelsIn } from '../../../projections/snapshot.ts';
import type { ModelRow } from '../../../projections/tables/models.ts';
import { modelId, providerId } from '../../lib/ids.ts';
import { credentialKind, protocol } from '../../lib/vocabulary.ts';
import { flowControlDefaults } from '../../snapshot/compile/flow-control.ts';
import { written } from '../http/mutation.ts';

/** Null means that a field is not set; the text says what then applies. */
export const flowControlTexts = {
  concurrent: 'The most requests at once that a proxy sends. Null turns the flow control off.',
  highWater: `The depth of the queue of the engine at which the ceiling halves. Null means ${flowControlDefaults.highWater}.`,
  queued: `How many requests may wait at the proxy. Null means ${flowControlDefaults.queuedMax}.`,
  wait: `How many seconds a request may wait for a slot. Null means ${flowControlDefaults.waitSecondsMax}.`,
} as const;

const flowControlRecord = {
  admission_max_concurrent: z.int().nullable().meta({ description: flowControlTexts.concurrent }),
  admission_high_water: z.int().nullable().meta({ description: flowControlTexts.highWater }),
  admission_max_queued: z.int().nullable().meta({ description: flowControlTexts.queued }),
  admission_max_wait_seconds: z.int().nullable().meta({ description: flowControlTexts.wait }),
  upstream_timeout_seconds: z.int().nullable(),
};

/** Null in a flow-control field is its default. */
export const backendRecord = z.object({
  id: modelId,
  provider_model_id: modelId,
  provider_id: providerId,
  provider_name: z.string(),
  api_base: z.string(),
  protocol,
  auth_header: z.string(),
  /** Null sends the credential raw. */
  auth_scheme: z.string().nullable(),
  credential_kind: credentialKind,
  has_upstream_api_key: z.boolean(),
  upstream_model: z.string(),
  default_max_tokens: z.int().nullable(),
  ...flowControlRecord,
});
export type BackendRecord = z.input<typeof backendRecord>;

export const modelRecord = z.object({
  id: modelId,
  name: z.string(),
  description: z.string().nullable(),
  input_price_per_mtok: z.int().nullable(),
  output_price_per_mtok: z.int().nullable(),
  cache_ttl_seconds: z.int().nullable(),
  context_length: z.int().nullable(),
  provider_id: providerId.nullable(),
  provider_name: z.string().nullable(),
  backends: z.array(backendRecord).readonly(),
  /** Learned from a registered host, and nothing that an operator made points at it: only a grant of its exact name opens it. */
  closed: z.boolean(),
});
export type ModelRecord = z.input<typeof modelRecord>;

type ListedModel = ModelRow & Readonly<{ closed: boolean }>;

export const toModelRecord = (row: ListedModel): ModelRecord => ({
  id: row.id,
  name: row.name,
  description: row.description,
  input_price_per_mtok: row.input_price_per_mtok,
  output_price_per_mtok: row.output_price_per_mtok,
  cache_ttl_seconds: row.cache_ttl_seconds,
  context_length: row.context_length,
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
      default_max_tokens: row.default_max_tokens,
      admission_max_concurrent: row.admission_max_concurrent,
      admission_high_water: row.admission_high_water,
      admission_max_queued: row.admission_max_queued,
      admission_max_wait_seconds: row.admission_max_wait_seconds,
      upstream_timeout_seconds: row.upstream_timeout_seconds,
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

/** The row of a model that the state holds. */
export const modelRowIn = (state: ConfigState, id: number): ListedModel => ({
  ...rowIn(state, id),
  closed: closedModelsIn(state).has(modelId.parse(id)),
});

export const modelRecordIn = (state: ConfigState, id: number): ModelRecord =>
  toModelRecord(modelRowIn(state, id));

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
    input_price_per_mtok: model.inputPricePerMtok,
    output_price_per_mtok: model.outputPricePerMtok,
    cache_ttl_seconds: model.cacheTtlSeconds,
    context_length: model.contextLength,
    provider_id: provider?.id ?? null,
    provider_name: provider?.name ?? null,
    api_base: provider?.endpoint.api_base ?? null,
    protocol: provider?.endpoint.protocol ?? null,
    auth_header: provider?.endpoint.auth_header ?? null,
    auth_scheme: provider?.endpoint.auth_scheme ?? null,
    credential_kind: provider?.credential?.kind ?? 'static',
    has_upstream_api_key: (provider?.credential ?? null) !== null,
    upstream_model: model.backend?.upstreamModel ?? null,
    default_max_tokens: model.backend?.defaultMaxTokens ?? null,
    ...model.flowControl,
  };
}
