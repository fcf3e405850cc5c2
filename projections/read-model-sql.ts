// Builds the SQL for read-model.ts from table descriptions: creates tables, writes rows and
// compares tables.

import { sql } from '@databases/pg';
import type { SQLQuery, Transaction } from '@databases/pg';

import { baseType, idents } from '../src/db/columns.ts';
import { readValue, text } from '../src/db/rows.ts';
import type { TableWrite } from './rows.ts';
import { entityTables, journalTables } from './tables/all.ts';
import type { EntityTable, JournalTable, Row, Value } from './tables/table.ts';

type Table = EntityTable | JournalTable;

/** Without indexes: creating those after filling the tables costs a fifth. */
export async function createTables(tx: Transaction, schema: string): Promise<void> {
  await tx.query(sql`create schema ${sql.ident(schema)}`);
  for (const table of [...entityTables, ...journalTables]) {
    await tx.query(createTable(schema, table));
  }
}

/** Skips tables that have their indexes already. */
export async function indexTables(
  tx: Transaction,
  schema: string,
  tables: readonly Table[],
): Promise<void> {
  for (const table of tables) {
    const keys: unknown[] = await tx.query(sql`
      select 1 from pg_catalog.pg_constraint join pg_catalog.pg_class on pg_class.oid = conrelid
      where relnamespace = ${schema}::regnamespace and relname = ${table.name} and contype = 'p'`);
    if (keys.length === 0) await indexTable(tx, schema, table);
  }
}

function createTable(schema: string, table: Table): SQLQuery {
  const columns = Object.entries(table.columns).map(
    ([name, type]) => sql`${sql.ident(name)} ${sql.__dangerous__rawValue(collated(type))}`,
  );
  return sql`create table ${sql.ident(schema, table.name)} (${sql.join(columns, sql`, `)})`;
}

async function indexTable(tx: Transaction, schema: string, table: Table): Promise<void> {
  const uniques = (table.unique ?? []).map((names) => sql`add unique (${idents(names)})`);
  const constraints = [sql`add primary key (${idents(table.primaryKey)})`, ...uniques];
  await tx.query(
    sql`alter table ${sql.ident(schema, table.name)} ${sql.join(constraints, sql`, `)}`,
  );
  for (const columns of table.indexes ?? []) {
    await tx.query(sql`create index on ${sql.ident(schema, table.name)} (${idents(columns)})`);
  }
}

/**
 * For every text column. Names are sorted by code point regardless of the database locale, so that
 * lists of past states, which are sorted in memory, have the same order, and so do pages from
 * different replicas.
 */
export const textCollation = 'C';

const collated = (type: string): string => type.replace('text', `text collate "${textCollation}"`);

/** Per statement and table. */
const rowsMax = 5000;

/** All deletions in one statement, then all insertions in one (or a few for many rows). */
export async function writeTables(
  tx: Transaction,
  schema: string,
  writes: readonly TableWrite[],
): Promise<void> {
  const deletions = writes.flatMap(({ table, owners }) =>
    owners.length === 0 || !('owner' in table)
      ? []
      : sql`delete from ${sql.ident(schema, table.name)}
          where ${sql.ident(table.owner)} = any(${[...owners]}::bigint[])`,
  );
  await together(tx, deletions);
  const pages = Math.ceil(Math.max(0, ...writes.map(({ rows }) => rows.length)) / rowsMax);
  for (let page = 0; page < pages; page++) {
    const insertions = writes.flatMap(({ table, rows }) =>
      insertion(schema, table, rows.slice(page * rowsMax, (page + 1) * rowsMax)),
    );
    await together(tx, insertions);
  }
}

/** Statements on different tables share a round trip. */
async function together(tx: Transaction, statements: readonly SQLQuery[]): Promise<void> {
  if (statements.length === 0) return;
  const parts = statements.map(
    (statement, index) => sql`${sql.ident(`part_${index}`)} as (${statement})`,
  );
  await tx.query(sql`with ${sql.join(parts, sql`, `)} select 1`);
}

function insertion(schema: string, table: Table, rows: readonly Row[]): SQLQuery[] {
  if (rows.length === 0) return [];
  const values = Object.entries(table.columns).map(
    ([column, type]) => sql`${arrayText(rows, column)}::${baseType(type)}[]`,
  );
  return [
    sql`insert into ${sql.ident(schema, table.name)} (${idents(Object.keys(table.columns))})
      select * from unnest(${sql.join(values, sql`, `)})`,
  ];
}

/**
 * Formats an array as Postgres reads it (PostgreSQL documentation, "Array Value Input"). The
 * client's own formatting takes four times as long and would dominate a rebuild.
 */
const arrayText = (rows: readonly Row[], column: string): string =>
  `{${rows.map((row) => elementText(row[column] ?? null)).join(',')}}`;

function elementText(value: Value): string {
  if (typeof value !== 'string') return String(value);
  return escaped.test(value) ? `"${value.replaceAll(/["\\]/g, String.raw`\$&`)}"` : `"${value}"`;
}

const escaped = /["\\]/;

/** Equal tables have equal digests. */
export async function tableDigest(tx: Transaction, schema: string, table: Table): Promise<string> {
  const found = await readValue(tx, text)`
    select count(*) || ':' || md5(coalesce(string_agg(held::text, E'\n'
      order by ${sql.join(
        table.primaryKey.map((column) => sql`held.${sql.ident(column)}`),
        sql`, `,
      )}), '')) as digest
    from ${sql.ident(schema, table.name)} held`;
  return found ?? '';
}
