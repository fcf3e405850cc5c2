// Defines the table of API keys. It contains neither keys nor verifiers.

import type { Queryable } from '@databases/pg';
import type { z } from 'zod';

import { rowOf } from '../../src/db/columns.ts';
import { readRows, text } from '../../src/db/rows.ts';
import { apiKeyId, principalId } from '../../src/lib/ids.ts';
import type { Page } from './page.ts';
import { rfc3339 } from './table.ts';
import type { EntityTable } from './table.ts';

export const apiKeys = {
  name: 'api_keys',
  version: 1,
  noun: 'api_key',
  owner: 'id',
  columns: {
    id: 'bigint not null',
    principal_id: 'bigint not null',
    name: 'text not null',
    prefix: 'text not null',
    expires_at: 'timestamptz',
    disabled: 'boolean not null',
    created_at: 'timestamptz not null',
  },
  primaryKey: ['id'],
  indexes: [['principal_id']],
  rows: (state, id) => {
    const key = state.api_key.byId.get(id);
    if (key === undefined) return [];
    return [
      {
        id,
        principal_id: key.principalId,
        name: key.name,
        prefix: key.prefix,
        expires_at: key.expiresAt,
        disabled: key.disabled,
        created_at: rfc3339(key.createdAt),
      },
    ];
  },
} satisfies EntityTable;

const apiKeyRow = rowOf(apiKeys.columns).extend({
  id: apiKeyId,
  principal_id: principalId,
  principal: text.nullable(),
  principal_name_ref: text.nullable(),
});
export type ApiKeyRow = Readonly<z.output<typeof apiKeyRow>>;

/** With the name of the principal (or its ref), sorted by id. */
export const listApiKeys = (db: Queryable, page: Page<number>): Promise<ApiKeyRow[]> =>
  readRows(db, apiKeyRow)`
    select api_keys.id, principal_id, principals.name as principal,
      principals.name_ref as principal_name_ref, api_keys.name, prefix, expires_at, disabled,
      api_keys.created_at
    from api_keys join principals on principals.id = principal_id
    where api_keys.id > ${page.after ?? 0}
    order by api_keys.id limit ${page.limit}`;
