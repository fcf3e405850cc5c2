// The table of provider models, each with its one backend or none.

import { sql } from '@databases/pg';
import type { Queryable } from '@databases/pg';

import type { FlowControl } from '../../events/model.ts';
import type { ModelId, ProviderId } from '../../src/lib/ids.ts';
import type { CredentialKind, Protocol } from '../../src/lib/vocabulary.ts';
import type { Page } from './page.ts';
import type { EntityTable } from './table.ts';

export const models: EntityTable = {
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
};

/** The provider's fields are null when the model has none. */
export type ModelRow = Readonly<{
  id: ModelId;
  name: string;
  description: string | null;
  input_price_per_mtok: number | null;
  output_price_per_mtok: number | null;
  cache_ttl_seconds: number | null;
  context_length: number | null;
  provider_id: ProviderId | null;
  provider_name: string | null;
  api_base: string | null;
  protocol: Protocol | null;
  auth_header: string | null;
  auth_scheme: string | null;
  credential_kind: CredentialKind | null;
  has_upstream_api_key: boolean;
  upstream_model: string | null;
  default_max_tokens: number | null;
}> &
  FlowControl;

/** Models with their provider, by name. */
export const listModels = (db: Queryable, page: Page<string>): Promise<ModelRow[]> =>
  db.query(sql`
    select models.id, models.name, description, input_price_per_mtok, output_price_per_mtok,
      cache_ttl_seconds, context_length, provider_id, providers.name as provider_name, api_base,
      protocol, auth_header, auth_scheme, credential_kind,
      credential_ref is not null as has_upstream_api_key, upstream_model, default_max_tokens,
      admission_max_concurrent, admission_high_water, admission_max_queued,
      admission_max_wait_seconds, upstream_timeout_seconds
    from models left join providers on providers.id = provider_id
    where ${page.after}::text is null or models.name > ${page.after}
    order by models.name limit ${page.limit}`);
