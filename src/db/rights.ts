// What the login of the database must be allowed, said in the words that an administrator can run.

import { sql } from '@databases/pg';
import type { Queryable } from '@databases/pg';
import { escapeIdentifier } from 'pg';

const insufficientPrivilege = '42501';

/** Runs the work; a right that is missing becomes an error that names the statements which give it. */
export async function namingRights<Value>(
  db: Queryable,
  work: () => Promise<Value>,
): Promise<Value> {
  try {
    return await work();
  } catch (cause) {
    if (!(cause instanceof Error && 'code' in cause && cause.code === insufficientPrivilege)) {
      throw cause;
    }
    const statements = await grantsFor(db);
    throw new Error(
      `the database login lacks a right; an administrator of the server can run: ${statements}`,
      { cause },
    );
  }
}

async function grantsFor(db: Queryable): Promise<string> {
  const [row]: { login: string; database: string }[] = await db.query(
    sql`select current_user as login, current_database() as database`,
  );
  const login = escapeIdentifier(row?.login ?? 'login');
  const database = escapeIdentifier(row?.database ?? 'database');
  return [
    'create role gw_app nologin (unless it is there)',
    `grant gw_app to ${login}`,
    `grant create on database ${database} to ${login}, gw_app`,
    `grant create on schema public to ${login}`,
  ].join('; ');
}
