// Declares columns of a table as data, and derives the type of its rows.

import { sql } from '@databases/pg';
import type { SQLQuery } from '@databases/pg';
import { z } from 'zod';

import { flag, integer, text, time } from './rows.ts';

const types = {
  bigint: integer,
  'double precision': z.number(),
  text,
  boolean: flag,
  timestamptz: time,
  uuid: text,
  jsonb: z.unknown(),
};
type Types = typeof types;
type ColumnType = keyof Types;

export type Columns = Readonly<Record<string, ColumnType | `${ColumnType} not null`>>;

type Shape<Table extends Columns> = {
  [Name in keyof Table]: Table[Name] extends `${infer Type extends ColumnType} not null`
    ? Types[Type]
    : Table[Name] extends ColumnType
      ? z.ZodNullable<Types[Table[Name]]>
      : never;
};

const schemas = new Map<string, z.ZodType>(
  Object.entries(types).flatMap(([type, schema]): [string, z.ZodType][] => [
    [type, schema.nullable()],
    [`${type} not null`, schema],
  ]),
);

/** The content of jsonb columns is unknown; type it with `extend`. */
export function rowOf<const Table extends Columns>(columns: Table): z.ZodObject<Shape<Table>>;
export function rowOf(columns: Columns): z.ZodObject {
  const shape = Object.entries(columns).map(([name, type]) => [name, schemas.get(type)]);
  return z.object(Object.fromEntries(shape));
}

export const baseType = (type: string): SQLQuery =>
  sql.__dangerous__rawValue(type.replace(' not null', ''));

export const idents = (names: readonly string[]): SQLQuery =>
  sql.join(
    names.map((name) => sql.ident(name)),
    sql`, `,
  );

/**
 * The text of an array in Postgres, which the driver would build several times slower. Objects are
 * JSON.
 */
export function arrayOf(values: readonly unknown[]): string {
  let text = '{';
  for (const [index, value] of values.entries()) {
    if (index > 0) text += ',';
    text += elementOf(value);
  }
  return `${text}}`;
}

function elementOf(value: unknown): string {
  if (value === null) return 'null';
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  if (value instanceof Date) return `"${value.toISOString()}"`;
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return /["\\]/.test(text) ? `"${text.replaceAll(/["\\]/g, String.raw`\$&`)}"` : `"${text}"`;
}
