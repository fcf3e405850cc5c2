// The statements behind read-model.ts: tables created, rows written and tables compared from their descriptions.

import { sql } from '@databases/pg';
import type { SQLQuery, Transaction } from '@databases/pg';

import { entityTables, journalTables } from './tables/all.ts';
import type { EntityTable, JournalTable, Row } from './tables/table.ts';

type Table = EntityTable | JournalTable;

export async function createTables(tx: Transaction, schema: string): Promise<void> {
  await tx.query(sql`create schema ${sql.ident(schema)}`);
  for (const table of [...entityTables, ...journalTables]) {
    await tx.query(createTable(schema, table));
    for (const columns of table.indexes ?? []) {
      await tx.query(sql`create index on ${sql.ident(schema, table.name)} (${idents(columns)})`);
    }
  }
}

function createTable(schema: string, table: Table): SQLQuery {
  const columns = Object.entries(table.columns).map(
    ([name, type]) => sql`${sql.ident(name)} ${sql.__dangerous__rawValue(type)}`,
  );
  const uniques = (table.unique ?? []).map((names) => sql`unique (${idents(names)})`);
  return sql`create table ${sql.ident(schema, table.name)} (${sql.join(
    [...columns, sql`primary key (${idents(table.primaryKey)})`, ...uniques],
    sql`, `,
  )})`;
}

const idents = (names: readonly string[]): SQLQuery =>
  sql.join(
    names.map((name) => sql.ident(name)),
    sql`, `,
  );

type Write = {
  table: Table;
  rows: readonly Row[];
  /** Entities whose rows go first. */
  owners: readonly number[];
  ownerColumn: string | null;
};

/** Rows a statement. */
const rowsMax = 5000;

export async function writeRows(tx: Transaction, schema: string, write: Write): Promise<void> {
  const { table, rows, owners, ownerColumn } = write;
  const name = sql.ident(schema, table.name);
  if (ownerColumn !== null && owners.length > 0) {
    await tx.query(
      sql`delete from ${name} where ${sql.ident(ownerColumn)} = any(${[...owners]}::bigint[])`,
    );
  }
  const columns = Object.entries(table.columns);
  for (let start = 0; start < rows.length; start += rowsMax) {
    const page = rows.slice(start, start + rowsMax);
    const values = columns.map(
      ([column, type]) =>
        sql`${page.map((row) => row[column] ?? null)}::${sql.__dangerous__rawValue(baseType(type))}[]`,
    );
    await tx.query(sql`
      insert into ${name} (${idents(Object.keys(table.columns))})
      select * from unnest(${sql.join(values, sql`, `)})`);
  }
}

const baseType = (type: string): string => type.replace(' not null', '');

/** A digest over all rows in key order; equal tables have equal digests. */
export async function tableDigest(tx: Transaction, schema: string, table: Table): Promise<string> {
  const [row]: { digest: string }[] = await tx.query(sql`
    select count(*) || ':' || md5(coalesce(string_agg(held::text, E'\n'
      order by ${sql.join(
        table.primaryKey.map((column) => sql`held.${sql.ident(column)}`),
        sql`, `,
      )}), '')) as digest
    from ${sql.ident(schema, table.name)} held`);
  return row?.digest ?? '';
}
