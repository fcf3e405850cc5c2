// Derives the filters, search and sorting of a list from the schema of its records, so that all
// lists support the same and new fields need no extra declaration.

import { z } from 'zod';

import { wholeNumber } from '../http/fields.ts';

type Kind = 'text' | 'choice' | 'integer' | 'number' | 'boolean' | 'time';

type Field = Readonly<{
  kind: Kind;
  isNullable: boolean;
  /** A filter matches if the list contains the value. */
  isList: boolean;
  options: readonly string[];
}>;

export type ListFields = ReadonlyMap<string, Field>;

/** The record's fields that contain one value or a list of single values. */
export function listFields(record: z.ZodObject): ListFields {
  return new Map(
    Object.entries(record.shape).flatMap(([name, schema]) => {
      const field = fieldOf(schema);
      return field === null ? [] : [[name, field] as const];
    }),
  );
}

function fieldOf(schema: unknown): Field | null {
  if (schema instanceof z.ZodNullable) {
    const inner = fieldOf(schema.unwrap());
    return inner === null ? null : { ...inner, isNullable: true };
  }
  if (schema instanceof z.ZodReadonly) return fieldOf(schema.unwrap());
  if (schema instanceof z.ZodArray) {
    const element = fieldOf(schema.element);
    return element === null || element.isList ? null : { ...element, isList: true };
  }
  const kind = kindOf(schema);
  if (kind === null) return null;
  const options = schema instanceof z.ZodEnum ? schema.options.map(String) : [];
  return { kind, isNullable: false, isList: false, options };
}

function kindOf(schema: unknown): Kind | null {
  if (schema instanceof z.ZodISODateTime) return 'time';
  if (schema instanceof z.ZodEnum) return 'choice';
  if (schema instanceof z.ZodString) return 'text';
  if (schema instanceof z.ZodBoolean) return 'boolean';
  if (schema instanceof z.ZodNumber) return schema.isInt ? 'integer' : 'number';
  return null;
}

/** Null matches records without a value. */
export type FilterValue = string | number | boolean | null;
type Filter = z.ZodOptional<z.ZodType<FilterValue, string>>;

const filterTextMax = 2_000;

/**
 * Typed with all fields of the record. A field that cannot be filtered is refused as an unknown
 * query parameter.
 */
export type FiltersBy<Shape> = { [Name in keyof Shape]: Filter };

export function filtersBy<Shape extends z.ZodRawShape>(
  record: z.ZodObject<Shape>,
): FiltersBy<Shape>;
export function filtersBy(record: z.ZodObject): Record<string, Filter> {
  return Object.fromEntries(
    [...listFields(record)].flatMap(([name, field]) => {
      const value = filterOf(field);
      const verb = field.isList ? 'contains' : 'is';
      const description = `Only records whose ${name} ${verb} this value.`;
      return value === null ? [] : [[name, value.optional().meta({ description })] as const];
    }),
  );
}

/** Null for times and fractions, which are not filtered by exact value. */
function filterOf(field: Field): z.ZodType<FilterValue, string> | null {
  switch (field.kind) {
    case 'text':
      return z.string().max(filterTextMax);
    case 'choice':
      return z
        .enum(field.isNullable ? [...field.options, 'null'] : field.options)
        .transform(orNull);
    case 'integer':
      return field.isNullable
        ? z.union([noValue, wholeNumber({ from: 0 })])
        : wholeNumber({ from: 0 });
    case 'boolean':
      return z.enum(['true', 'false']).transform((text) => text === 'true');
    case 'number':
    case 'time':
      return null;
  }
}

const noValue = z.literal('null').transform(() => null);
const orNull = (text: string): string | null => (text === 'null' ? null : text);

/** A leading minus sorts in descending order. */
export function sortBy(fields: ListFields) {
  const names = [...fields].flatMap(([name, { isList }]) => (isList ? [] : [name]));
  return z.enum(names.flatMap((name) => [name, `-${name}`]));
}

export const valueIn = (record: object, name: string): unknown => Reflect.get(record, name);
