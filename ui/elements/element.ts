// The properties of an element, each in one place: its type, its default, and whether an attribute sets it.

import { LitElement } from 'lit';
import type { PropertyDeclaration } from 'lit';

/** `initial` is absent where whoever draws the element always sets the property. */
type Property<Value> = Readonly<{ declaration: PropertyDeclaration; initial?: Value }>;

const property = <Value>(declaration: PropertyDeclaration, initial?: Value): Property<Value> =>
  initial === undefined ? { declaration } : { declaration, initial };

/** Set as an attribute, too. */
export const text = <Value extends string = string>(initial?: NoInfer<Value>): Property<Value> =>
  property({ type: String }, initial);

/** A boolean attribute, which is off when absent. */
export const flag = (): Property<boolean> => property({ type: Boolean }, false);

/** Set as an attribute, too. */
export const count = <Value extends number | null>(initial?: NoInfer<Value>): Property<Value> =>
  property({ type: Number }, initial);

/** Set by the element around it, and by no attribute. */
export const given = <Value>(initial?: Value): Property<Value> =>
  property({ attribute: false }, initial);

/** Kept by the element itself. */
export const state = <Value>(initial?: Value): Property<Value> =>
  property({ state: true }, initial);

/** The property is an attribute that styles can select. */
export const reflected = <Value>({ declaration, initial }: Property<Value>): Property<Value> =>
  property({ ...declaration, reflect: true }, initial);

type Properties = Readonly<Record<string, Property<unknown>>>;

type ValuesOf<Given> = {
  [Name in keyof Given]: Given[Name] extends Property<infer Value> ? Value : never;
};

type ElementOf<Given> = Omit<typeof LitElement, 'prototype'> &
  (new () => LitElement & ValuesOf<Given>);

/** What an element with these properties extends. */
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
