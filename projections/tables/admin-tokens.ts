// Defines the table of admin API tokens. It contains neither tokens nor verifiers.

import type { Queryable } from '@databases/pg';
import { z } from 'zod';

import { rowOf } from '../../src/db/columns.ts';
import { readRows, text } from '../../src/db/rows.ts';
import { adminTokenId, principalId } from '../../src/lib/ids.ts';
import { adminVerb } from '../../src/lib/vocabulary.ts';
import type { Page } from './page.ts';
import { rfc3339 } from './table.ts';
import type { EntityTable } from './table.ts';

export const adminTokens = {
  name: 'admin_tokens',
  version: 1,
  noun: 'admin_token',
  owner: 'id',
  columns: {
    id: 'bigint not null',
    principal_id: 'bigint not null',
    name: 'text not null',
    prefix: 'text not null',
    permissions: 'jsonb not null',
    expires_at: 'timestamptz not null',
    revoked: 'boolean not null',
    created_at: 'timestamptz not null',
  },
  primaryKey: ['id'],
  indexes: [['principal_id']],
  rows: (state, id) => {
    const token = state.admin_token.byId.get(id);
    if (token === undefined) return [];
    return [
      {
        id,
        principal_id: token.principalId,
        name: token.name,
        prefix: token.prefix,
        permissions: JSON.stringify(token.permissions),
        expires_at: token.expiresAt,
        revoked: token.revoked,
        created_at: rfc3339(token.createdAt),
      },
    ];
  },
} satisfies EntityTable;

const adminTokenRow = rowOf(adminTokens.columns).extend({
  id: adminTokenId,
  principal_id: principalId,
  principal: text.nullable(),
  principal_name_ref: text.nullable(),
  permissions: z.array(adminVerb).readonly(),
});
export type AdminTokenRow = Readonly<z.output<typeof adminTokenRow>>;

/** With the name of the principal (or its ref), sorted by id. */
export const listAdminTokens = (db: Queryable, page: Page<number>): Promise<AdminTokenRow[]> =>
  readRows(db, adminTokenRow)`
    select admin_tokens.id, principal_id, principals.name as principal,
      principals.name_ref as principal_name_ref, admin_tokens.name, prefix, permissions,
      expires_at, revoked, admin_tokens.created_at
    from admin_tokens join principals on principals.id = principal_id
    where admin_tokens.id > ${page.after ?? 0}
    order by admin_tokens.id limit ${page.limit}`;
