// The table of API keys. Neither a key nor its verifier is in it.

import { sql } from '@databases/pg';
import type { Queryable } from '@databases/pg';

import type { ApiKeyId, PrincipalId } from '../../src/lib/ids.ts';
import type { Page } from './page.ts';
import { rfc3339 } from './table.ts';
import type { EntityTable } from './table.ts';

export const apiKeys: EntityTable = {
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
};

export type ApiKeyRow = Readonly<{
  id: ApiKeyId;
  principal_id: PrincipalId;
  principal: string | null;
  principal_name_ref: string | null;
  name: string;
  prefix: string;
  expires_at: Date | null;
  disabled: boolean;
  created_at: Date;
}>;

/** Keys with their principal's name (or the ref of it), in id order. */
export const listApiKeys = (db: Queryable, page: Page<number>): Promise<ApiKeyRow[]> =>
  db.query(sql`
    select api_keys.id, principal_id, principals.name as principal,
      principals.name_ref as principal_name_ref, api_keys.name, prefix, expires_at, disabled,
      api_keys.created_at
    from api_keys join principals on principals.id = principal_id
    where api_keys.id > ${page.after ?? 0}
    order by api_keys.id limit ${page.limit}`);
