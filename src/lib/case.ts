// The names of fields: in snake case on the wire, in camel case in the program.

export type CamelCase<Name extends string> = Name extends `${infer Head}_${infer Tail}`
  ? `${Head}${Capitalize<CamelCase<Tail>>}`
  : Name;

/** The same members under their names in camel case. Members of members keep their names. */
export type CamelKeys<Data> = {
  [Name in keyof Data as Name extends string ? CamelCase<Name> : never]: Data[Name];
};

export function camelCase<Name extends string>(name: Name): CamelCase<Name>;
export function camelCase(name: string): string {
  return name.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
}

export const snakeCase = (name: string): string =>
  name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

export function camelKeys<Data extends object>(data: Data): CamelKeys<Data>;
export function camelKeys(data: object): object {
  return Object.fromEntries(Object.entries(data).map(([name, value]) => [camelCase(name), value]));
}
