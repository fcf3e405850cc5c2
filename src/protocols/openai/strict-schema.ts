// Decides whether chat servers accept a JSON schema as strict: every object lists all its members,
// requires them and allows no others (https://platform.openai.com/docs/guides/structured-outputs).

import { isObject, listOf, objectOf } from '../json.ts';
import type { JsonObject } from '../json.ts';

const depthMax = 16;

export function isStrictSchema(schema: JsonObject, depth = 0): boolean {
  if (depth > depthMax) return false;
  const properties = objectOf(schema, 'properties');
  const required = new Set(listOf(schema, 'required'));
  const isOfObjects = schema['type'] === 'object' || properties !== null;
  const isClosed =
    properties !== null &&
    schema['additionalProperties'] === false &&
    Object.keys(properties).every((name) => required.has(name));
  if (isOfObjects && !isClosed) return false;
  return innerSchemas(schema, properties).every((inner) => isStrictSchema(inner, depth + 1));
}

function innerSchemas(schema: JsonObject, properties: JsonObject | null): readonly JsonObject[] {
  const values = [
    ...Object.values(properties ?? {}),
    ...Object.values(objectOf(schema, '$defs') ?? {}),
    ...Object.values(objectOf(schema, 'definitions') ?? {}),
    ...listOf(schema, 'anyOf'),
    schema['items'],
  ];
  return values.filter(isObject);
}
