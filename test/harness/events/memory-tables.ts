// Keeps projected tables in memory with the semantics of read-model-sql.ts, including unique keys.

import assert from 'node:assert/strict';

import type { TableWrite } from '../../../projections/rows.ts';
import { entityTables, journalTables } from '../../../projections/tables/all.ts';
import type { EntityTable, JournalTable, Row } from '../../../projections/tables/table.ts';

type Table = EntityTable | JournalTable;

export type MemoryTables = Readonly<{
  write: (writes: readonly TableWrite[]) => void;
  /** The rows of each table, ordered by the text of their keys. */
  rows: () => Readonly<Record<string, readonly Row[]>>;
}>;

const tables: readonly Table[] = [...entityTables, ...journalTables];

const keyText = (row: Row, columns: readonly string[]): string =>
  JSON.stringify(columns.map((column) => row[column] ?? null));

export function createMemoryTables(): MemoryTables {
  const held = new Map<Table, Map<string, Row>>(tables.map((table) => [table, new Map()]));
  const of = (table: Table): Map<string, Row> => {
    const rows = held.get(table);
    assert.ok(rows, table.name);
    return rows;
  };
  return {
    write: (writes) => {
      for (const { table, owners } of writes) {
        if (!('owner' in table)) continue;
        const gone = new Set<unknown>(owners);
        for (const [key, row] of of(table)) {
          if (gone.has(row[table.owner])) of(table).delete(key);
        }
      }
      for (const { table, rows } of writes) {
        for (const row of rows) {
          const key = keyText(row, table.primaryKey);
          assert.ok(!of(table).has(key), `${table.name} holds ${key} already`);
          of(table).set(key, row);
        }
        assertUnique(table, [...of(table).values()]);
      }
    },
    rows: () =>
      Object.fromEntries(
        [...held].map(([{ name }, rows]) => [
          name,
          [...rows].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, row]) => row),
        ]),
      ),
  };
}

/** A row with null in one of the columns equals no other row, as in SQL. */
function assertUnique({ name, unique = [] }: Table, rows: readonly Row[]): void {
  for (const columns of unique) {
    const keyed = rows.filter((row) => columns.every((column) => (row[column] ?? null) !== null));
    const keys = new Set(keyed.map((row) => keyText(row, columns)));
    assert.equal(keys.size, keyed.length, `${columns.join()} are unique in ${name}`);
  }
}
