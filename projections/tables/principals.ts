// Defines the tables of principals and of the roles they hold. Names of users, e-mail addresses and
// subjects of identities stay in the vault; rows contain their refs.

import type { Queryable } from '@databases/pg';
import { z } from 'zod';

import { rowOf } from '../../src/db/columns.ts';
import { readRows, text } from '../../src/db/rows.ts';
import { principalId } from '../../src/lib/ids.ts';
import { principalKind } from '../../src/lib/vocabulary.ts';
import type { Page } from './page.ts';
import { rfc3339 } from './table.ts';
import type { EntityTable } from './table.ts';

export const principals = {
  name: 'principals',
  version: 2,
  noun: 'principal',
  owner: 'id',
  columns: {
    id: 'bigint not null',
    kind: 'text not null',
    name: 'text',
    name_ref: 'uuid',
    name_fingerprint: 'text not null',
    email_ref: 'uuid',
    password_set: 'boolean not null',
    identity_issuer: 'text',
    identity_ref: 'uuid',
    created_at: 'timestamptz not null',
  },
  primaryKey: ['id'],
  unique: [['name_fingerprint']],
  rows: (state, id) => {
    const principal = state.principal.byId.get(id);
    if (principal === undefined) return [];
    return [
      {
        id,
        kind: principal.kind,
        name: principal.name.text,
        name_ref: principal.name.ref,
        name_fingerprint: principal.name.fingerprint,
        email_ref: principal.emailRef,
        password_set: principal.passwordRef !== null,
        identity_issuer: principal.identity?.issuer ?? null,
        identity_ref: principal.identity?.ref ?? null,
        created_at: rfc3339(principal.createdAt),
      },
    ];
  },
} satisfies EntityTable;

export const principalRoles: EntityTable = {
  name: 'principal_roles',
  version: 2,
  noun: 'principal',
  owner: 'principal_id',
  columns: {
    principal_id: 'bigint not null',
    role_id: 'bigint not null',
    by_identity: 'boolean not null',
  },
  primaryKey: ['principal_id', 'role_id'],
  indexes: [['role_id']],
  rows: (state, id) => {
    const { roleIds = [], identityRoleIds = [] } = state.principal.byId.get(id) ?? {};
    return roleIds.map((roleId) => ({
      principal_id: id,
      role_id: roleId,
      by_identity: identityRoleIds.includes(roleId),
    }));
  },
};

const principalRow = rowOf(principals.columns)
  .omit({ name_fingerprint: true, password_set: true })
  .extend({
    id: principalId,
    kind: principalKind,
    roles: z.array(text).readonly(),
    /** Those that follow from the groups of the identity. */
    group_roles: z.array(text).readonly(),
  });
export type PrincipalRow = Readonly<z.output<typeof principalRow>>;

/** With the names of their roles, sorted by id. */
export const listPrincipals = (db: Queryable, page: Page<number>): Promise<PrincipalRow[]> =>
  readRows(db, principalRow)`
    select principals.id, kind, principals.name, name_ref, email_ref, created_at,
      identity_issuer, identity_ref,
      coalesce(array_agg(roles.name order by roles.name) filter (where roles.id is not null), '{}')
        as roles,
      coalesce(array_agg(roles.name order by roles.name) filter (where by_identity), '{}')
        as group_roles
    from principals
    left join principal_roles on principal_roles.principal_id = principals.id
    left join roles on roles.id = principal_roles.role_id
    where principals.id > ${page.after ?? 0}
    group by principals.id, kind, principals.name, name_ref, email_ref, created_at,
      identity_issuer, identity_ref
    order by principals.id limit ${page.limit}`;
