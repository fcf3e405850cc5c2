// Builds the schemas of a field table.

import { z } from 'zod';

import type { Field, Fields, SetFields, Values } from './field.ts';
import { fieldTypes } from './field-types.ts';
import type { FieldTypes } from './field-types.ts';
import { valuesOf } from './values.ts';

type Place = Exclude<keyof FieldTypes['price'], 'column'>;

type SchemaOf<F extends Field, In extends Place> = F extends { readonly added: true }
  ? In extends 'stored' | 'snapshot'
    ? z.ZodOptional<FieldTypes[F['type']][In]>
    : FieldTypes[F['type']][In]
  : FieldTypes[F['type']][In];

export type ShapeOf<F extends Fields, In extends Place> = {
  [Name in keyof F]: SchemaOf<F[Name], In>;
};

export function shapeOf<F extends Fields, In extends Place>(fields: F, place: In): ShapeOf<F, In>;
export function shapeOf(fields: Fields, place: Place): object {
  return Object.fromEntries(
    Object.entries(fields).map(([name, field]) => [name, schemaOf(field, place)]),
  );
}

function schemaOf({ type, help, default: unset, added }: Field, place: Place): z.ZodType {
  const schema: z.ZodType = fieldTypes[type][place];
  if (place === 'stored' || place === 'snapshot') return added ? schema.optional() : schema;
  if (help === undefined || place === 'file') return schema;
  const description = unset === undefined ? help : `${help} Null means ${unset}.`;
  return schema.meta({ description });
}

export function columnsOf<F extends Fields>(
  fields: F,
): { [Name in keyof F]: FieldTypes[F[Name]['type']]['column'] };
export function columnsOf(fields: Fields): object {
  return Object.fromEntries(
    Object.entries(fields).map(([name, { type }]) => [name, fieldTypes[type].column]),
  );
}

type NamesOf<F extends SetFields, Type> = {
  [Name in keyof F]: F[Name]['event'] extends Type ? Name : never;
}[keyof F];

export type Setters<F extends SetFields, Id extends z.ZodType> = {
  [Type in F[keyof F]['event']]: Readonly<{
    sets: true;
    touchesSnapshot: boolean;
    change?: 'prices';
    data: z.ZodObject<{ id: Id } & ShapeOf<Pick<F, NamesOf<F, Type>>, 'stored'>>;
  }>;
};

export function settersFor<F extends SetFields, Id extends z.ZodType>(
  fields: F,
  id: Id,
): Setters<F, Id>;
export function settersFor(fields: SetFields, id: z.ZodType): object {
  const byEvent = Map.groupBy(Object.entries(fields), ([, { event }]) => event);
  return Object.fromEntries(
    [...byEvent].map(([type, own]) => {
      const change = own.flatMap(([, field]) => field.change ?? [])[0];
      const data = z.object({ id, ...shapeOf(Object.fromEntries(own), 'stored') });
      return [type, { sets: true, touchesSnapshot: true, ...(change && { change }), data }];
    }),
  );
}

type Column = string | number | boolean | null;

/** The values of the columns: jsonb as JSON text. */
export function columnValues<F extends Fields>(
  fields: F,
  values: Values<F>,
): { readonly [Name in keyof F]: Column };
export function columnValues(fields: Fields, values: object): object {
  return valuesOf(fields, (name, { type }) => {
    const value: unknown = Reflect.get(values, name) ?? null;
    return value !== null && fieldTypes[type].column === 'jsonb' ? JSON.stringify(value) : value;
  });
}
