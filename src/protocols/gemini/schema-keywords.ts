// Translates the JSON schema keywords that do not contain schemas: keeps those that the vendor
// supports and expresses others with them (wire reference 3.2).

import { isObject, member, textOf } from '../json.ts';
import type { JsonObject } from '../json.ts';

const taken: ReadonlySet<string> = new Set([
  'type',
  'title',
  'description',
  'propertyOrdering',
  'minItems',
  'maxItems',
  'minimum',
  'maximum',
  'minLength',
  'maxLength',
  'pattern',
  'default',
]);

const formatsTaken: ReadonlySet<string> = new Set(['date-time', 'date', 'time']);

/** `inner` holds the keywords that contain schemas. */
export const plainKeywords = (schema: JsonObject, inner: JsonObject): JsonObject => ({
  ...Object.fromEntries(Object.entries(schema).filter(([keyword]) => taken.has(keyword))),
  ...(Array.isArray(member(schema, 'required')) && { required: member(schema, 'required') }),
  ...typeOf(schema),
  ...choicesOf(schema),
  ...boundsOf(schema),
  ...formatOf(schema),
  ...inner,
});

/** OpenAPI 3.0 uses `nullable` where JSON Schema adds a second type. */
function typeOf(schema: JsonObject): JsonObject {
  const type = textOf(schema, 'type') ?? constantType(schema);
  if (type === null) return {};
  return member(schema, 'nullable') === true ? { type: [type, 'null'] } : { type };
}

function constantType(schema: JsonObject): string | null {
  const constant = member(schema, 'const');
  if (constant === null) return 'null';
  if (typeof constant === 'number') return Number.isInteger(constant) ? 'integer' : 'number';
  return typeof constant === 'string' || typeof constant === 'boolean' ? typeof constant : null;
}

/** Enums support strings and numbers only. For other values the type is kept. */
function choicesOf(schema: JsonObject): JsonObject {
  const constant = member(schema, 'const');
  if (constant === null) return {};
  const choices = constant === undefined ? member(schema, 'enum') : [constant];
  return Array.isArray(choices) && choices.every(isChoice) ? { enum: choices } : {};
}

const isChoice = (value: unknown): boolean =>
  typeof value === 'string' || typeof value === 'number' || value === null;

/** The next whole number for integers. Other bounds stay, as the closest supported value. */
function boundsOf(schema: JsonObject): JsonObject {
  const step = member(schema, 'type') === 'integer' ? 1 : 0;
  const [above, below] = [member(schema, 'exclusiveMinimum'), member(schema, 'exclusiveMaximum')];
  return {
    ...(typeof above === 'number' && { minimum: above + step }),
    ...(typeof below === 'number' && { maximum: below - step }),
  };
}

/** The vendor supports few string formats. Others are added to the description. */
function formatOf(schema: JsonObject): JsonObject {
  const format = textOf(schema, 'format');
  if (format === null) return {};
  const type = member(schema, 'type');
  if (type === 'integer' || type === 'number' || formatsTaken.has(format)) return { format };
  const description = textOf(schema, 'description');
  const hint = `Format: ${format}`;
  return { description: description === null ? hint : `${description} (${hint})` };
}

/** For `allOf`: keeps the members of both, and the first of duplicates. */
export function combined(first: JsonObject, second: JsonObject): JsonObject {
  const properties = { ...membersOf(second), ...membersOf(first) };
  const required = [...new Set([...requiredOf(first), ...requiredOf(second)])];
  return {
    ...second,
    ...first,
    ...(Object.keys(properties).length > 0 && { properties }),
    ...(required.length > 0 && { required }),
  };
}

function membersOf(schema: JsonObject): JsonObject {
  const properties = member(schema, 'properties');
  return isObject(properties) ? properties : {};
}

function requiredOf(schema: JsonObject): readonly unknown[] {
  const required = member(schema, 'required');
  return Array.isArray(required) ? required : [];
}
