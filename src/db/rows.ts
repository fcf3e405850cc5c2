// Reads and checks the rows of a statement. @databases/pg returns `any`, so every row is checked
// against a schema next to the statement: readRows(db, session)`select login, database from ...`

import { sql } from '@databases/pg';
import type { Queryable, SQLQuery } from '@databases/pg';
import { z } from 'zod';

import { plainly } from '../lib/plain-issue.ts';

type Reader = Pick<Queryable, 'query'>;
type Read<Result> = (parts: TemplateStringsArray, ...values: unknown[]) => Promise<Result>;

/** Declare row schemas at module level: creating a schema costs more than checking many rows. */
export const integer = z.int();
export const text = z.string();
export const flag = z.boolean();
export const time = z.date();
export const bytes = z.instanceof(Buffer);

/** Throws if a row does not have the declared columns. */
export const readRows =
  <Row extends z.ZodType>(db: Reader, row: Row): Read<z.output<Row>[]> =>
  async (parts, ...values) => {
    const statement = sql(parts, ...values);
    const rows: readonly unknown[] = await db.query(statement);
    return rows.map((each) => {
      check(row, each, statement);
      return each;
    });
  };

/** Null if there is no row. */
export const readRow =
  <Row extends z.ZodType>(db: Reader, row: Row): Read<z.output<Row> | null> =>
  async (parts, ...values) => {
    const [first] = await readRows(db, row)(parts, ...values);
    return first ?? null;
  };

/** The values of the statement's only column. */
export const readValues =
  <Value extends z.ZodType>(db: Reader, value: Value): Read<z.output<Value>[]> =>
  async (parts, ...values) => {
    const statement = sql(parts, ...values);
    const rows: readonly object[] = await db.query(statement);
    return rows.map((row) => {
      const columns: readonly unknown[] = Object.values(row);
      if (columns.length !== 1) throw new Error(`${nameOf(statement)} did not return one column`);
      const [only] = columns;
      check(value, only, statement);
      return only;
    });
  };

/** Null if there is no row. */
export const readValue =
  <Value extends z.ZodType>(db: Reader, value: Value): Read<z.output<Value> | null> =>
  async (parts, ...values) => {
    const [first] = await readValues(db, value)(parts, ...values);
    return first ?? null;
  };

/** Row schemas do not transform. */
function check<Schema extends z.ZodType>(
  schema: Schema,
  value: unknown,
  statement: SQLQuery,
): asserts value is z.output<Schema> {
  const { error } = schema.safeParse(value, plainly);
  if (error === undefined) return;
  // The message names columns and types, never values.
  const problems = error.issues.map(({ path, message, input }) =>
    [...path, `${message}, found ${input === null ? 'null' : typeof input}`].join(': '),
  );
  throw new Error(`${nameOf(statement)} returned a row of another type: ${problems.join('; ')}`);
}

const nameCharactersMax = 100;

/** The beginning of the statement, without parameter values. */
function nameOf(statement: SQLQuery): string {
  const { text } = statement.format({
    escapeIdentifier: (name) => name,
    formatValue: () => ({ placeholder: '?', value: undefined }),
  });
  return `the statement "${text.replaceAll(/\s+/g, ' ').trim().slice(0, nameCharactersMax)}"`;
}
