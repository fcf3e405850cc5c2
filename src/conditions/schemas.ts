// Builds the schemas of all condition fields.

import { z } from 'zod';

import type { Field, Fields, StoredName } from './condition.ts';
import { fieldTypes } from './field-types.ts';
import type { FieldTypes } from './field-types.ts';
import { conditionFields } from './table.ts';
import type { ConditionFields, FieldName } from './table.ts';

type SchemaOf<
  Name extends FieldName,
  Column extends keyof FieldTypes['flag'],
> = FieldTypes[ConditionFields[Name]['type']][Column];
type Named = 'input' | 'file' | 'record';
type Shape<Column extends Named> = { [Name in FieldName]: SchemaOf<Name, Column> };
type Stored = 'stored' | 'snapshot';
type StoredShape<Column extends Stored> = {
  [Name in FieldName as StoredName<Name, ConditionFields[Name]>]: ConditionFields[Name] extends {
    readonly added: true;
  }
    ? z.ZodOptional<SchemaOf<Name, Column>>
    : SchemaOf<Name, Column>;
};

function shape<Column extends Named>(column: Column): Shape<Column>;
function shape<Column extends Stored>(column: Column): StoredShape<Column>;
function shape(column: Named | Stored): object {
  if (column === 'stored' || column === 'snapshot') return storedShape(conditionFields, column);
  return Object.fromEntries(
    Object.entries<Field>(conditionFields).map(([name, { type }]) => [
      name,
      fieldTypes[type][column],
    ]),
  );
}

export function storedShape(fields: Fields, column: Stored): Record<string, z.ZodType> {
  const schemas = Object.entries(fields).map(([name, { type, stored = name, added }]) => {
    const schema: z.ZodType = fieldTypes[type][column];
    return [stored, added === true ? schema.optional() : schema] as const;
  });
  return Object.fromEntries(schemas);
}

/** All conditions must hold. Null and an empty list disable a condition. */
export const storedConditions = z.object(shape('stored'));
export const snapshotConditions = z.object(shape('snapshot'));
/** Absent fields stay unchanged. Null clears a field. */
export const inputShape = shape('input');
export type GivenConditions = Readonly<Partial<z.output<z.ZodObject<typeof inputShape>>>>;
/**
 * Absent fields disable their condition. The caller decides how files name principals, roles and
 * classes.
 */
export const fileShape = shape('file');
export const recordShape = shape('record');
