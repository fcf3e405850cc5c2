// The keywords of a JSON schema that hold no schema: which of them the vendor takes, and what the
// others come to in those that it takes (wire reference 3.2).

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

/** `inner` are the keywords of the same schema that hold schemas. */
export const plainKeywords = (schema: JsonObject, inner: JsonObject): JsonObject => ({
  ...Object.fromEntries(Object.entries(schema).filter(([keyword]) => taken.has(keyword))),
  ...(Array.isArray(member(schema, 'required')) && { required: member(schema, 'required') }),
  ...typeOf(schema),
  ...choicesOf(schema),
  ...boundsOf(schema),
  ...formatOf(schema),
  ...inner,
});

/** `nullable` is how OpenAPI 3.0 says what JSON schema says with a second type. */
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

/** Choices are of strings and numbers alone; of others the type remains. */
function choicesOf(schema: JsonObject): JsonObject {
  const constant = member(schema, 'const');
  if (constant === null) return {};
  const choices = constant === undefined ? member(schema, 'enum') : [constant];
  return Array.isArray(choices) && choices.every(isChoice) ? { enum: choices } : {};
}

const isChoice = (value: unknown): boolean =>
  typeof value === 'string' || typeof value === 'number' || value === null;

/** The next whole number, and for others the bound itself, which is as near as can be said. */
function boundsOf(schema: JsonObject): JsonObject {
  const step = member(schema, 'type') === 'integer' ? 1 : 0;
  const [above, below] = [member(schema, 'exclusiveMinimum'), member(schema, 'exclusiveMaximum')];
  return {
    ...(typeof above === 'number' && { minimum: above + step }),
    ...(typeof below === 'number' && { maximum: below - step }),
  };
}

/** The vendor knows few formats of strings; the others are told to the model in words. */
function formatOf(schema: JsonObject): JsonObject {
  const format = textOf(schema, 'format');
  if (format === null) return {};
  const type = member(schema, 'type');
  if (type === 'integer' || type === 'number' || formatsTaken.has(format)) return { format };
  const description = textOf(schema, 'description');
  const said = `Format: ${format}`;
  return { description: description === null ? said : `${description} (${said})` };
}

/** Both of two schemas, as `allOf` asks for: members of both, and of two of a kind the first. */
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
