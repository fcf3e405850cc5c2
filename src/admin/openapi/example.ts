// Builds the example of a response from its JSON Schema and the names of its fields.

type Json = Readonly<Record<string, unknown>>;

/** Keys are field names, or `<resource>.<name>` where one resource differs. */
export type FieldExamples = Readonly<Record<string, unknown>>;

export type Example = Readonly<{ value: unknown }> | Readonly<{ missing: string }>;

type Place = Readonly<{ resource: string; field: string; fields: FieldExamples }>;

/**
 * A string without an example, a constant or a format becomes null if the schema allows it.
 * Otherwise it is `missing`, and so is the whole example.
 */
export function exampleOf(schema: Json, place: Place): Example {
  const example = shownExample(schema, place);
  return 'missing' in example && mayBeNull(schema) ? { value: null } : example;
}

const mayBeNull = ({ type, anyOf }: Json): boolean =>
  [type].flat().includes('null') || asList(anyOf).some((variant) => variant['type'] === 'null');

function shownExample(schema: Json, place: Place): Example {
  const given = givenExample(schema, place);
  if (given !== undefined) return { value: given };
  const variants = [schema['anyOf'], schema['oneOf']].flatMap((one) => asList(one));
  if (variants.length > 0) {
    const first = variants.find(({ type }) => type !== 'null') ?? {};
    return exampleOf(first, place);
  }
  switch (typeOf(schema)) {
    case 'object':
      return objectExample(schema, place);
    case 'array':
      return arrayExample(schema, place);
    case 'integer':
    case 'number':
      return { value: Math.max(asNumber(schema['minimum']), 1) };
    case 'boolean':
      return { value: true };
    case 'null':
      return { value: null };
    case 'string':
      return schema['format'] === 'date-time'
        ? { value: '2026-11-21T09:30:00.000Z' }
        : { missing: place.field };
    default:
      return { value: {} };
  }
}

function givenExample(schema: Json, { resource, field, fields }: Place): unknown {
  const own = [schema['examples']].flat()[0];
  if (own !== undefined) return own;
  for (const name of [`${resource}.${field}`, field]) {
    const value = fields[name];
    if (value !== undefined && fits(schema, value)) return value;
  }
  return schema['const'] ?? schema['default'] ?? [schema['enum']].flat()[0];
}

/** A field name may be a string in one schema and a list in another. */
function fits(schema: Json, value: unknown): boolean {
  const variants = [schema['anyOf'], schema['oneOf']].flatMap((one) => asList(one));
  if (variants.length > 0) return variants.some((variant) => fits(variant, value));
  const values = schema['enum'];
  if (Array.isArray(values)) return values.includes(value);
  const type = typeOf(schema);
  if (Array.isArray(value)) {
    return type === 'array' && value.every((item) => fits(asObject(schema['items']), item));
  }
  if (typeof value === 'number') return type === 'integer' || type === 'number';
  return type === typeof value;
}

function objectExample(schema: Json, place: Place): Example {
  const members: [string, unknown][] = [];
  for (const [field, member] of Object.entries(asObject(schema['properties']))) {
    const example = exampleOf(asObject(member), { ...place, field });
    if ('missing' in example) return example;
    members.push([field, example.value]);
  }
  return { value: Object.fromEntries(members) };
}

/** The items of a list use the field name of the list. */
function arrayExample(schema: Json, place: Place): Example {
  const example = exampleOf(asObject(schema['items']), place);
  return 'missing' in example ? example : { value: [example.value] };
}

const typeOf = ({ type }: Json): unknown => [type].flat().find((one) => one !== 'null') ?? type;

const asObject = (value: unknown): Json =>
  typeof value === 'object' && value !== null ? { ...value } : {};

const asList = (value: unknown): readonly Json[] =>
  Array.isArray(value) ? value.map(asObject) : [];

const asNumber = (value: unknown): number => (typeof value === 'number' ? value : 0);
