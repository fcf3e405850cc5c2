// Reads untyped JSON, such as the bodies of clients and vendors, member by member.

export type JsonObject = Readonly<Record<string, unknown>>;

export const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Reads own members only: a body may have a member named `constructor`. */
export const member = (object: JsonObject, name: string): unknown =>
  Object.hasOwn(object, name) ? object[name] : undefined;

/**
 * Undefined if the text is not JSON. Integers beyond the precision of a double keep their text, for
 * example in tool arguments.
 */
export function parseJson(text: string): unknown {
  try {
    return longNumber.test(text) ? JSON.parse(text, exactly) : JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Exact reading is several times slower. */
const longNumber = /\d{16}/;
const wholeNumber = /^-?\d{16,}$/;

function exactly(_: string, value: unknown, { source }: ReviverContext): unknown {
  if (typeof value !== 'number' || source === undefined) return value;
  return wholeNumber.test(source) && String(value) !== source ? JSON.rawJSON(source) : value;
}

type ReviverContext = Readonly<{ source?: string }>;

/** JSON.parse source text access of ECMAScript, which the compiler's library does not declare. */
declare global {
  interface JSON {
    parse(
      text: string,
      reviver: (key: string, value: unknown, context: ReviverContext) => unknown,
    ): unknown;
    rawJSON(text: string): object;
  }
}

/** Null if the value is nested too deeply (some thousand levels). */
export function writeJson(value: unknown): string | null {
  try {
    return JSON.stringify(value);
  } catch (error) {
    if (error instanceof RangeError) return null;
    throw error;
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

/** Implausible counts are ignored. */
export const countOf = (object: JsonObject, name: string): number | null => {
  const value = member(object, name);
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : null;
};
