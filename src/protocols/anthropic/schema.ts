// Adapts a JSON schema for structured outputs of the vendor: every object sets
// `additionalProperties` to false (wire reference 1.9).

import { isObject } from '../json.ts';
import type { JsonObject } from '../json.ts';

const depthMax = 64;

/**
 * Keywords whose value is a schema or a list of schemas, and keywords that map names to schemas.
 */
const schemas: ReadonlySet<string> = new Set(['items', 'anyOf', 'allOf', 'oneOf', 'prefixItems']);
const namedSchemas: ReadonlySet<string> = new Set(['properties', '$defs', 'definitions']);

/** Keeps `additionalProperties` if the schema sets it. The vendor validates it. */
export function closedSchema(schema: JsonObject, depth = 0): JsonObject {
  if (depth > depthMax) return schema;
  const inner = (value: unknown): unknown =>
    isObject(value) ? closedSchema(value, depth + 1) : value;
  const closed = Object.fromEntries(
    Object.entries(schema).map(([keyword, value]) => {
      if (schemas.has(keyword))
        return [keyword, Array.isArray(value) ? value.map(inner) : inner(value)];
      if (!namedSchemas.has(keyword) || !isObject(value)) return [keyword, value];
      const named = Object.entries(value).map(([name, one]) => [name, inner(one)]);
      return [keyword, Object.fromEntries(named)];
    }),
  );
  const isOpen = schema['type'] === 'object' && schema['additionalProperties'] === undefined;
  return isOpen ? { ...closed, additionalProperties: false } : closed;
}
