// Defines a plain field of an entity. One table per entity lists its fields (model.ts). Requests,
// records, events, snapshots, tables, configuration files and the UI derive from it. The browser
// reads it too, so it is plain data.

import type { CamelKeys } from '../lib/case.ts';
import type { FieldType, ValueOf } from './field-types.ts';

export type Field = Readonly<{
  type: FieldType;
  label: string;
  /** The heading in tables, if it is shorter. */
  column?: string;
  /** Shown below the form field. */
  hint: string;
  /** The description in the API reference. */
  help?: string;
  /** Follows the number in text and columns. */
  unit?: string;
  /** The meaning of null in text. */
  unset?: string;
  /** The meaning of null if that is a number. */
  default?: number;
  /** The name of this price in model_list, as money per token. */
  cost?: string;
  /** Reported by registered hosts, so not an operator's decision. */
  learned?: true;
  /** Omitted in events and snapshots while not set, because earlier releases do not know it. */
  added?: true;
}>;

/** By wire name. */
export type Fields = Readonly<Record<string, Field>>;

/** An event sets the field alone, or with the other fields of the same event. */
export type SetField = Field & Readonly<{ event: string; change?: 'prices' }>;
export type SetFields = Readonly<Record<string, SetField>>;

type Added<F extends Fields> = {
  [Name in keyof F]: F[Name] extends { readonly added: true } ? Name : never;
}[keyof F];

export type Values<F extends Fields> = { readonly [Name in keyof F]: ValueOf<F[Name]['type']> };

/** Without unset fields of later releases. */
export type StoredValues<F extends Fields> = Omit<Values<F>, Added<F>> & {
  readonly [Name in Added<F>]?: ValueOf<F[Name]['type']> | undefined;
};

/** The form in entities of the fold. */
export type Held<F extends Fields> = CamelKeys<StoredValues<F>>;
