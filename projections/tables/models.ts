// Defines the table of provider models, each with at most one backend.

import type { Queryable } from '@databases/pg';
import type { z } from 'zod';

import { idents, rowOf } from '../../src/db/columns.ts';
import { flag, readRows, text } from '../../src/db/rows.ts';
import { backendFields, flowFields, modelFields } from '../../src/fields/model.ts';
import { columnsOf, columnValues } from '../../src/fields/schemas.ts';
import { picked, readerOf } from '../../src/fields/values.ts';
import { modelId, providerId } from '../../src/lib/ids.ts';
import { credentialKind, protocol } from '../../src/lib/vocabulary.ts';
import type { Page } from './page.ts';
import type { EntityTable } from './table.ts';

const modelValues = readerOf(modelFields);

export const models = {
  name: 'models',
  version: 3,
  noun: 'model',
  owner: 'id',
  columns: {
    id: 'bigint not null',
    name: 'text not null',
    description: 'text',
    ...columnsOf(modelFields),
    provider_id: 'bigint',
    upstream_model: 'text',
    ...columnsOf(backendFields),
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
        ...columnValues(modelFields, modelValues(model)),
        provider_id: model.backend?.providerId ?? null,
        upstream_model: model.backend?.upstreamModel ?? null,
        default_max_tokens: model.backend?.defaultMaxTokens ?? null,
        ...picked(flowFields, model.flowControl),
      },
    ];
  },
} satisfies EntityTable;

/** The provider's fields are null if the model has none. */
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

const fieldColumns = idents(Object.keys({ ...modelFields, ...backendFields }));

/** Models with their provider, sorted by name. */
export const listModels = (db: Queryable, page: Page<string>): Promise<ModelRow[]> =>
  readRows(db, modelRow)`
    select models.id, models.name, description, provider_id, providers.name as provider_name,
      api_base, protocol, auth_header, auth_scheme, credential_kind,
      credential_ref is not null as has_upstream_api_key, upstream_model, ${fieldColumns}
    from models left join providers on providers.id = provider_id
    where ${page.after}::text is null or models.name > ${page.after}
    order by models.name limit ${page.limit}`;
