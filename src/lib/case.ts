// Converts field names: snake case on the wire, camel case in the program.

export type CamelCase<Name extends string> = Name extends `${infer Head}_${infer Tail}`
  ? `${Head}${Capitalize<CamelCase<Tail>>}`
  : Name;

/** Renames only the members of one level. */
export type CamelKeys<Data> = {
  [Name in keyof Data as Name extends string ? CamelCase<Name> : never]: Data[Name];
};

export function camelCase<Name extends string>(name: Name): CamelCase<Name>;
export function camelCase(name: string): string {
  // Called for every folded event. A regular expression is several times slower.
  const [first = '', ...rest] = name.includes('_') ? name.split('_') : [name];
  return rest.reduce((text, part) => text + part.charAt(0).toUpperCase() + part.slice(1), first);
}

export function snakeCase(name: string): string {
  let text = '';
  for (const letter of name) {
    text += letter >= 'A' && letter <= 'Z' ? `_${letter.toLowerCase()}` : letter;
  }
  return text;
}

export function camelKeys<Data extends object>(data: Data): CamelKeys<Data>;
export function camelKeys(data: object): object {
  return renamed(data, camelCase);
}

type SnakeCase<Name extends string> = Name extends `${infer First}${infer Rest}`
  ? `${First extends Lowercase<First> ? First : `_${Lowercase<First>}`}${SnakeCase<Rest>}`
  : Name;

/** The reverse of `camelKeys`. */
export type SnakeKeys<Data> = {
  [Name in keyof Data as Name extends string ? SnakeCase<Name> : never]: Data[Name];
};

export function snakeKeys<Data extends object>(data: Data): SnakeKeys<Data>;
export function snakeKeys(data: object): object {
  return renamed(data, snakeCase);
}

function renamed(data: object, rename: (name: string) => string): object {
  const members: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(data)) members[rename(name)] = value;
  return members;
}
