// What the program knows of a plain field of an entity. One table for each entity holds its fields (model.ts); requests, records,
// events, snapshots, tables, configuration files and the UI follow from it. Plain data: the browser reads it too.

import type { CamelKeys } from '../lib/case.ts';
import type { FieldType, ValueOf } from './field-types.ts';

export type Field = Readonly<{
  type: FieldType;
  label: string;
  /** Of its column, where that is shorter. */
  column?: string;
  /** Below the field of a form. */
  hint: string;
  /** In the reference of the API. */
  help?: string;
  /** After a number, in words and columns. */
  unit?: string;
  /** What null means where nothing else is said. */
  unset?: string;
  /** What null means where that is a number. */
  default?: number;
  /** Money per token in an entry of model_list, by this name. */
  cost?: string;
  /** Registered hosts report it, so that a value is no decision of an operator. */
  learned?: true;
  /** Absent in events and snapshots as long as it is not set: earlier releases neither write nor read it. */
  added?: true;
}>;

/** By their names on the wire. */
export type Fields = Readonly<Record<string, Field>>;

/** A field that an event sets alone, or with the other fields that name the event. */
export type SetField = Field & Readonly<{ event: string; change?: 'prices' }>;
export type SetFields = Readonly<Record<string, SetField>>;

type Added<F extends Fields> = {
  [Name in keyof F]: F[Name] extends { readonly added: true } ? Name : never;
}[keyof F];

export type Values<F extends Fields> = { readonly [Name in keyof F]: ValueOf<F[Name]['type']> };

/** Without those of later releases that are not set. */
export type StoredValues<F extends Fields> = Omit<Values<F>, Added<F>> & {
  readonly [Name in Added<F>]?: ValueOf<F[Name]['type']> | undefined;
};

/** As an entity of the fold holds them. */
export type Held<F extends Fields> = CamelKeys<StoredValues<F>>;
