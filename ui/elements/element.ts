// Declares the properties of an element: type, default, and whether an attribute sets them.

import { LitElement } from 'lit';
import type { PropertyDeclaration } from 'lit';

/** `initial` is absent if the parent always sets the property. */
type Property<Value> = Readonly<{ declaration: PropertyDeclaration; initial?: Value }>;

const property = <Value>(declaration: PropertyDeclaration, initial?: Value): Property<Value> =>
  initial === undefined ? { declaration } : { declaration, initial };

/** Can be set as an attribute. */
export const text = <Value extends string = string>(initial?: NoInfer<Value>): Property<Value> =>
  property({ type: String }, initial);

/** Absent means false. */
export const flag = (): Property<boolean> => property({ type: Boolean }, false);

/** Can be set as an attribute. */
export const count = <Value extends number | null>(initial?: NoInfer<Value>): Property<Value> =>
  property({ type: Number }, initial);

/** Set by the parent, without an attribute. */
export const given = <Value>(initial?: Value): Property<Value> =>
  property({ attribute: false }, initial);

export const state = <Value>(initial?: Value): Property<Value> =>
  property({ state: true }, initial);

/** Styles can use the attribute. */
export const reflected = <Value>({ declaration, initial }: Property<Value>): Property<Value> =>
  property({ ...declaration, reflect: true }, initial);

type Properties = Readonly<Record<string, Property<unknown>>>;

type ValuesOf<Given> = {
  [Name in keyof Given]: Given[Name] extends Property<infer Value> ? Value : never;
};

type ElementOf<Given> = Omit<typeof LitElement, 'prototype'> &
  (new () => LitElement & ValuesOf<Given>);

export function element<Given extends Properties>(properties: Given): ElementOf<Given>;
export function element(properties: Properties): unknown {
  const all = Object.entries(properties);
  return class extends LitElement {
    static override properties = Object.fromEntries(
      all.map(([name, { declaration }]) => [name, declaration]),
    );

    constructor() {
      super();
      for (const [name, { initial }] of all) {
        if (initial !== undefined) Reflect.set(this, name, initial);
      }
    }
  };
}
