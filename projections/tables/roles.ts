// The tables of roles and their permissions.

import { sql } from '@databases/pg';
import type { Queryable } from '@databases/pg';

import type { RoleId } from '../../src/lib/ids.ts';
import type { Permission } from '../config/role.ts';
import type { Page } from './page.ts';
import type { EntityTable } from './table.ts';

export const roles: EntityTable = {
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
};

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

export type RoleRow = Readonly<{
  id: RoleId;
  name: string;
  description: string | null;
  permissions: readonly Permission[];
}>;

/** Roles with their permissions, in id order. */
export const listRoles = (db: Queryable, page: Page<number>): Promise<RoleRow[]> =>
  db.query(sql`
    select id, name, description,
      coalesce(json_agg(json_build_object('verb', verb, 'resource', resource)
        order by verb, resource) filter (where verb is not null), '[]') as permissions
    from roles left join role_permissions on role_permissions.role_id = roles.id
    where id > ${page.after ?? 0}
    group by id, name, description order by id limit ${page.limit}`);
