// JSON values whose shape is not known yet: bodies of clients and of vendors, read member by member.

export type JsonObject = Readonly<Record<string, unknown>>;

export const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Own members alone: a body may well have one called `constructor`, and mean nothing by it. */
export const member = (object: JsonObject, name: string): unknown =>
  Object.hasOwn(object, name) ? object[name] : undefined;

/**
 * Undefined when the text is not JSON, which JSON itself has no value for. A whole number that a
 * double cannot hold, as in a tool's arguments or a schema's bounds, is kept as it was written.
 */
export function parseJson(text: string): unknown {
  try {
    return longNumber.test(text) ? JSON.parse(text, exactly) : JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Reading exactly takes several times as long, so only where there is something to lose. */
const longNumber = /\d{16}/;
const wholeNumber = /^-?\d{16,}$/;

function exactly(_: string, value: unknown, { source }: ReviverContext): unknown {
  if (typeof value !== 'number' || source === undefined) return value;
  return wholeNumber.test(source) && String(value) !== source ? JSON.rawJSON(source) : value;
}

type ReviverContext = Readonly<{ source?: string }>;

/** ECMAScript's JSON.parse source text access, which the compiler's library does not describe. */
declare global {
  interface JSON {
    parse(
      text: string,
      reviver: (key: string, value: unknown, context: ReviverContext) => unknown,
    ): unknown;
    rawJSON(text: string): object;
  }
}

/**
 * Null when the value is nested too deeply to be written, which takes some thousand levels: reading
 * has no such bound, and no honest client or vendor comes near it.
 */
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

/** A count that no honest vendor could give is no count. */
export const countOf = (object: JsonObject, name: string): number | null => {
  const value = member(object, name);
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : null;
};
