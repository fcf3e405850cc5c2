// Defines the tables of roles and their permissions.

import type { Queryable } from '@databases/pg';
import { z } from 'zod';

import { rowOf } from '../../src/db/columns.ts';
import { readRows, text } from '../../src/db/rows.ts';
import { roleId } from '../../src/lib/ids.ts';
import { verb } from '../../src/lib/vocabulary.ts';
import type { Page } from './page.ts';
import type { EntityTable } from './table.ts';

export const roles = {
  name: 'roles',
  version: 1,
  noun: 'role',
  owner: 'id',
  columns: { id: 'bigint not null', name: 'text not null', description: 'text' },
  primaryKey: ['id'],
  unique: [['name']],
  rows: (state, id) => {
    const role = state.role.byId.get(id);
    return role === undefined ? [] : [{ id, name: role.name, description: role.description }];
  },
} satisfies EntityTable;

export const rolePermissions: EntityTable = {
  name: 'role_permissions',
  version: 1,
  noun: 'role',
  owner: 'role_id',
  columns: { role_id: 'bigint not null', verb: 'text not null', resource: 'text not null' },
  primaryKey: ['role_id', 'verb', 'resource'],
  rows: (state, id) =>
    (state.role.byId.get(id)?.permissions ?? []).map(({ verb, resource }) => ({
      role_id: id,
      verb,
      resource,
    })),
};

const roleRow = rowOf(roles.columns).extend({
  id: roleId,
  permissions: z.array(z.object({ verb, resource: text })).readonly(),
});
export type RoleRow = Readonly<z.output<typeof roleRow>>;

/** Sorted by id. */
export const listRoles = (db: Queryable, page: Page<number>): Promise<RoleRow[]> =>
  readRows(db, roleRow)`
    select id, name, description,
      coalesce(json_agg(json_build_object('verb', verb, 'resource', resource)
        order by verb, resource) filter (where verb is not null), '[]') as permissions
    from roles left join role_permissions on role_permissions.role_id = roles.id
    where id > ${page.after ?? 0}
    group by id, name, description order by id limit ${page.limit}`;
