// Checks the database privileges that gw needs. Grants missing ones if the login may, and otherwise
// lists the statements that an administrator must run. A restored copy lacks some, because a dump
// contains no roles and no privileges on the database.

import { sql } from '@databases/pg';
import type { Queryable, Transaction } from '@databases/pg';
import { z } from 'zod';
import { escapeIdentifier } from 'pg';

import { readRow, readValues, text } from './rows.ts';

const insufficientPrivilege = '42501';
/** The SQLSTATE for switching to a role that does not exist. */
const invalidParameter = '22023';
const duplicateObject = '42710';
const uniqueViolation = '23505';

/**
 * The privileges of the program's role on tables outside `op`. It has all privileges on the rows of
 * `op`.
 */
const tableRights = JSON.stringify([
  { schema: 'es', name: 'events', privileges: ['select', 'insert'] },
  { schema: 'es', name: 'log_head', privileges: ['select'] },
  { schema: 'es', name: 'read_models', privileges: ['select', 'insert', 'update'] },
  { schema: 'es', name: 'checkpoints', privileges: ['select', 'insert'] },
  { schema: 'vault', name: 'items', privileges: ['select', 'insert', 'update'] },
]);

/**
 * Grants what the login may grant. The rest is skipped: the work that needs it fails, and
 * `namingRights` reports the statements.
 */
export async function giveRights(tx: Transaction): Promise<void> {
  for (const statement of await missingRights(tx)) {
    try {
      // The database builds the statements and quotes its own names in them.
      await tx.tx((inner) => inner.query(sql.__dangerous__rawValue(statement)));
    } catch (error) {
      // Another database of the same server may have created the role concurrently.
      if (!hasCode(error, insufficientPrivilege, duplicateObject, uniqueViolation)) throw error;
    }
  }
}

const session = z.object({ login: text, database: text });

/**
 * If a privilege is missing, throws an error that lists the statements that grant all missing ones.
 */
export async function namingRights<Value>(
  db: Queryable,
  work: () => Promise<Value>,
): Promise<Value> {
  try {
    return await work();
  } catch (cause) {
    if (!hasCode(cause, insufficientPrivilege, invalidParameter)) throw cause;
    const statements = await missingRights(db);
    if (statements.length === 0) throw cause;
    const row = await readRow(db, session)`
      select current_user as login, current_database() as database`;
    const login = escapeIdentifier(row?.login ?? '');
    const database = escapeIdentifier(row?.database ?? '');
    const listed = statements.map((statement) => `  ${statement};`).join('\n');
    throw new Error(
      `the database login ${login} lacks privileges; an administrator of the server must run in database ${database}:\n${listed}`,
      { cause },
    );
  }
}

const hasCode = (error: unknown, ...codes: readonly string[]): boolean =>
  error instanceof Error &&
  'code' in error &&
  typeof error.code === 'string' &&
  codes.includes(error.code);

/** In the order in which they must run. */
export async function missingRights(db: Queryable): Promise<readonly string[]> {
  const parts = [roleRights(), ownRights(), ownership(), readModelOwnership(), grants()];
  const statements: string[] = [];
  for (const part of parts) {
    statements.push(...(await readValues(db, text)`${part}`));
  }
  return statements;
}

/**
 * Since Postgres 16, the creator of a role is a member that may grant it, but must grant it to
 * itself before using it.
 */
const roleRights = () => sql`
  with role as (select oid from pg_roles where rolname = 'gw_app'),
  mode as (
    select case when current_setting('server_version_num')::integer < 160000 then 'MEMBER'
      else 'SET' end as name)
  select 'create role gw_app nologin' as statement where not exists (select from role)
  union all
  select format('grant gw_app to %I', current_user) where not exists (
    select from role, mode where pg_has_role(current_user, role.oid, mode.name))
  union all
  select format('grant create on database %I to gw_app', current_database()) where not exists (
    select from role where has_database_privilege(role.oid, current_database(), 'create'))`;

const ownRights = () => sql`
  select format('grant create on database %I to %I', current_database(), current_user)
    as statement
  where not has_database_privilege(current_database(), 'create')
  union all
  select format('grant create on schema public to %I', current_user)
  where not has_schema_privilege(to_regnamespace('public')::oid, 'create')`;

/** Migrations need ownership of what they change. */
const ownership = () => sql`
  with own_schemas as (select * from pg_namespace where nspname in ('es', 'vault', 'op'))
  select format('alter schema %I owner to %I', nspname, current_user) as statement
  from own_schemas where not pg_has_role(current_user, nspowner, 'usage')
  union all
  select format('alter table %I.%I owner to %I', nspname, relname, current_user)
  from pg_class join pg_namespace on pg_namespace.oid = relnamespace
  where relkind in ('r', 'p') and not pg_has_role(current_user, relowner, 'usage')
    and (nspname in ('es', 'vault', 'op') or (nspname = 'public' and relname = 'gw_migrations'))
  union all
  select format('alter function %s owner to %I', pg_proc.oid::regprocedure, current_user)
  from pg_proc join own_schemas on own_schemas.oid = pronamespace
  where not pg_has_role(current_user, proowner, 'usage')`;

/** The program builds, renames and drops its read models as gw_app. */
const readModelOwnership = () => sql`
  with models as (
    select *, pg_get_userbyid(nspowner) as owner
    from pg_namespace where nspname ~ '^rm_[0-9a-f]{16}')
  select format('alter schema %I owner to gw_app', nspname) as statement
  from models where owner <> 'gw_app'
  union all
  select format('alter table %I.%I owner to gw_app', nspname, relname)
  from pg_class join models on models.oid = relnamespace
  where relkind in ('r', 'p') and pg_get_userbyid(relowner) <> 'gw_app'`;

const grants = () => sql`
  with role as (select oid from pg_roles where rolname = 'gw_app'),
  wanted as (
    select schema as nspname, name as relname, privileges
    from jsonb_to_recordset(${tableRights}::jsonb)
      as listed(schema text, name text, privileges text[])
    union all
    select nspname, relname, array['select', 'insert', 'update', 'delete']
    from pg_class join pg_namespace on pg_namespace.oid = relnamespace
    where nspname = 'op' and relkind in ('r', 'p'))
  select format('grant usage on schema %I to gw_app', nspname) as statement
  from pg_namespace
  where nspname in ('es', 'vault', 'op') and not exists (
    select from role where has_schema_privilege(role.oid, pg_namespace.oid, 'usage'))
  union all
  select format('grant %s on %I.%I to gw_app', array_to_string(privileges, ', '),
    nspname, relname)
  from wanted
    join pg_namespace using (nspname)
    join pg_class using (relname)
  where relnamespace = pg_namespace.oid and not exists (
    select from role where (
      select bool_and(has_table_privilege(role.oid, pg_class.oid, privilege))
      from unnest(privileges) as privilege))
  union all
  select 'grant execute on function es.lock_log() to gw_app'
  from pg_proc join pg_namespace on pg_namespace.oid = pronamespace
  where nspname = 'es' and proname = 'lock_log' and not exists (
    select from role where has_function_privilege(role.oid, pg_proc.oid, 'execute'))
  union all
  select format('alter default privileges for role %I in schema op ', current_user)
    || 'grant select, insert, update, delete on tables to gw_app'
  where to_regnamespace('op') is not null and not exists (
    select from pg_default_acl, aclexplode(defaclacl) as item
    where defaclnamespace = to_regnamespace('op')::oid and pg_has_role(current_user, defaclrole, 'usage')
      and pg_get_userbyid(item.grantee) = 'gw_app')`;
