// The table of provider models, each with its one backend or none.

import type { Queryable } from '@databases/pg';
import type { z } from 'zod';

import { rowOf } from '../../src/db/columns.ts';
import { flag, readRows, text } from '../../src/db/rows.ts';
import { modelId, providerId } from '../../src/lib/ids.ts';
import { credentialKind, protocol } from '../../src/lib/vocabulary.ts';
import type { Page } from './page.ts';
import type { EntityTable } from './table.ts';

export const models = {
  name: 'models',
  version: 1,
  noun: 'model',
  owner: 'id',
  columns: {
    id: 'bigint not null',
    name: 'text not null',
    description: 'text',
    input_price_per_mtok: 'bigint',
    output_price_per_mtok: 'bigint',
    cache_ttl_seconds: 'bigint',
    context_length: 'bigint',
    provider_id: 'bigint',
    upstream_model: 'text',
    default_max_tokens: 'bigint',
    admission_max_concurrent: 'bigint',
    admission_high_water: 'bigint',
    admission_max_queued: 'bigint',
    admission_max_wait_seconds: 'bigint',
    upstream_timeout_seconds: 'bigint',
  },
  primaryKey: ['id'],
  unique: [['name']],
  indexes: [['provider_id']],
  rows: (state, id) => {
    const model = state.model.byId.get(id);
    if (model === undefined) return [];
    return [
      {
        id,
        name: model.name,
        description: model.description,
        input_price_per_mtok: model.inputPricePerMtok,
        output_price_per_mtok: model.outputPricePerMtok,
        cache_ttl_seconds: model.cacheTtlSeconds,
        context_length: model.contextLength,
        provider_id: model.backend?.providerId ?? null,
        upstream_model: model.backend?.upstreamModel ?? null,
        default_max_tokens: model.backend?.defaultMaxTokens ?? null,
        ...model.flowControl,
      },
    ];
  },
} satisfies EntityTable;

/** The provider's fields are null when the model has none. */
const modelRow = rowOf(models.columns).extend({
  id: modelId,
  provider_id: providerId.nullable(),
  provider_name: text.nullable(),
  api_base: text.nullable(),
  protocol: protocol.nullable(),
  auth_header: text.nullable(),
  auth_scheme: text.nullable(),
  credential_kind: credentialKind.nullable(),
  has_upstream_api_key: flag,
});
export type ModelRow = Readonly<z.output<typeof modelRow>>;

/** Models with their provider, by name. */
export const listModels = (db: Queryable, page: Page<string>): Promise<ModelRow[]> =>
  readRows(db, modelRow)`
    select models.id, models.name, description, input_price_per_mtok, output_price_per_mtok,
      cache_ttl_seconds, context_length, provider_id, providers.name as provider_name, api_base,
      protocol, auth_header, auth_scheme, credential_kind,
      credential_ref is not null as has_upstream_api_key, upstream_model, default_max_tokens,
      admission_max_concurrent, admission_high_water, admission_max_queued,
      admission_max_wait_seconds, upstream_timeout_seconds
    from models left join providers on providers.id = provider_id
    where ${page.after}::text is null or models.name > ${page.after}
    order by models.name limit ${page.limit}`;
