// Finds the locks in the text of a migration that make other sessions wait (PostgreSQL, "Explicit Locking").

export type StrongLock = Readonly<{
  table: string;
  /** Other sessions cannot do this until the migration ends. */
  blocks: 'reads and writes' | 'writes';
}>;

const table = '((?:es|op|vault|public)\\.\\w+)';
const patterns = [
  { start: `alter table (?:if exists )?(?:only )?${table}`, blocks: 'reads and writes' },
  {
    start: `(?:drop table|truncate)(?: table)? (?:if exists )?${table}`,
    blocks: 'reads and writes',
  },
  {
    start: `create (?:unique )?index (?:if not exists )?(?:\\w+ )?on (?:only )?${table}`,
    blocks: 'writes',
  },
  { start: `create trigger [^;]*? on ${table}`, blocks: 'writes' },
  { start: `references ${table}`, blocks: 'writes' },
] as const;

/** The tables that a migration creates. No other session uses them yet. */
export const createdTables = (migration: string): readonly string[] =>
  matches(statementsOf(migration), `create table (?:if not exists )?${table}`);

/** Leaves out tables in `created`. Sorted by name; a table is listed once, with its strongest lock. */
export function strongLocks(
  migration: string,
  created: ReadonlySet<string>,
): readonly StrongLock[] {
  const statements = statementsOf(migration);
  const locks = new Map<string, StrongLock>();
  for (const name of tablesOfDroppedIndexes(statements)) {
    if (!created.has(name)) locks.set(name, { table: name, blocks: 'reads and writes' });
  }
  for (const { start, blocks } of patterns) {
    for (const name of matches(statements, start)) {
      if (!created.has(name) && !locks.has(name)) locks.set(name, { table: name, blocks });
    }
  }
  return [...locks.values()].toSorted((one, other) => (one.table < other.table ? -1 : 1));
}

/** True if the migration reads or writes all rows of a table. */
export const isLong = (migration: string): boolean =>
  statementsOf(migration).includes('statement_timeout = 0');

/** An index that the migration does not create again is named itself, because its table is not in the text. */
const tablesOfDroppedIndexes = (statements: string): readonly string[] =>
  [...statements.matchAll(/drop index (?:if exists )?(\w+\.(\w+))/g)].map(
    ([, index = '', name = '']) =>
      matches(statements, `create (?:unique )?index ${name} on (?:only )?${table}`)[0] ?? index,
  );

const matches = (statements: string, start: string): readonly string[] =>
  [...statements.matchAll(new RegExp(start, 'g'))].map(([, name = '']) => name);

/** Without comments, and without the bodies of functions, which run later. */
const statementsOf = (migration: string): string =>
  migration
    .replaceAll(/--.*$/gm, '')
    .replaceAll(/\$\$.*?\$\$/gs, '')
    .replaceAll(/\s+/g, ' ');
