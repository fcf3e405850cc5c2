// What a list can be filtered, searched and sorted by. It follows from the schema of the records, so that every list can do the same
// and a new field needs no second declaration.

import { z } from 'zod';

import { wholeNumber } from '../http/fields.ts';

type Kind = 'text' | 'choice' | 'integer' | 'number' | 'boolean' | 'time';

type Field = Readonly<{
  kind: Kind;
  isNullable: boolean;
  /** A list of such values: a filter asks whether the value is among them. */
  isList: boolean;
  /** Of a choice. */
  options: readonly string[];
}>;

export type ListFields = ReadonlyMap<string, Field>;

/** Those fields of the record that hold one value, or a list of single values. */
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

/** As a query gives it; null is the filter for records without a value. */
export type FilterValue = string | number | boolean | null;
type Filter = z.ZodOptional<z.ZodType<FilterValue, string>>;

const filterTextMax = 2_000;

/** Typed by all fields of the record: those that cannot be filtered by are unknown to the query, and refused. */
export type FiltersBy<Shape> = { [Name in keyof Shape]: Filter };

/** The parameters of a query that filter by the fields of the record. */
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

/** Null where nobody asks for one exact value: times and fractions. */
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

/** What a sort may go by; with a minus the greatest first. */
export function sortBy(fields: ListFields) {
  const names = [...fields].flatMap(([name, { isList }]) => (isList ? [] : [name]));
  return z.enum(names.flatMap((name) => [name, `-${name}`]));
}

/** What the record shows in the field; undefined where it has no such field. */
export const valueIn = (record: object, name: string): unknown => Reflect.get(record, name);
