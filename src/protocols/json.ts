// JSON values whose shape is not known yet: bodies of clients and of vendors, read member by member.

export type JsonObject = Readonly<Record<string, unknown>>;

export const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Own members alone: a body may well have one called `constructor`, and mean nothing by it. */
export const member = (object: JsonObject, name: string): unknown =>
  Object.hasOwn(object, name) ? object[name] : undefined;

/** Undefined when the text is not JSON, which JSON itself has no value for. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

export const textOf = (object: JsonObject, name: string): string | null => {
  const value = member(object, name);
  return typeof value === 'string' ? value : null;
};

export const objectOf = (object: JsonObject, name: string): JsonObject | null => {
  const value = member(object, name);
  return isObject(value) ? value : null;
};

export const listOf = (object: JsonObject, name: string): readonly unknown[] => {
  const value = member(object, name);
  return Array.isArray(value) ? value : [];
};

/** A count that no honest vendor could give is no count. */
export const countOf = (object: JsonObject, name: string): number | null => {
  const value = member(object, name);
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : null;
};
