// Builds the page and the JSON Schema of declarative files from the schema of the admin API.

import { jsonSchema } from '../../src/admin/openapi/openapi-schema.ts';
import { declared } from '../../src/control/configuration/format.ts';
import { code, generated, page, table } from './markdown.ts';

type Json = Readonly<Record<string, unknown>>;

const dialect = 'https://json-schema.org/draft/2020-12/schema';

export const configurationFilesSchema = (): string =>
  `${JSON.stringify({ $schema: dialect, ...jsonSchema(declared) }, null, 2)}\n`;

export const configurationFilesPage = (): string =>
  page([
    '# Fields of declarative files',
    generated,
    [
      'These are the fields that [gw plan and gw apply](../guides/configuration-as-code.md) read. Null',
      'clears a field that may be null. A text field also accepts a number, or `os.environ/NAME`, which names',
      'an environment variable.',
    ].join('\n'),
    ...membersOf(jsonSchema(declared)).flatMap(([list, schema]) => [
      `## ${list}`,
      fields(asJson(schema['items'] ?? schema)),
    ]),
  ]);

const fields = (schema: Json): string =>
  table(
    ['field', 'value', 'needed'],
    membersOf(schema).map(([field, value]) => [
      code(field),
      valueText(value),
      asList(schema['required']).includes(field) ? 'yes' : '',
    ]),
  );

const membersOf = (schema: Json): readonly (readonly [string, Json])[] =>
  Object.entries(asJson(schema['properties'])).map(([name, one]) => [name, asJson(one)]);

/** A short description. The JSON Schema is exact. */
function valueText(schema: Json): string {
  const variants = [...asList(schema['anyOf']), ...asList(schema['oneOf'])].map(asJson);
  if (variants.length > 0) return [...new Set(variants.map(valueText))].join(' or ');
  if ('const' in schema) return code(String(schema['const']));
  if (Array.isArray(schema['enum']))
    return schema['enum'].map((one) => code(String(one))).join(', ');
  if (schema['type'] === 'array') return `list of ${valueText(asJson(schema['items']))}`;
  const names = membersOf(schema).map(([name]) => code(name));
  if (names.length > 0) return `object of ${names.join(', ')}`;
  const { type } = schema;
  if (Array.isArray(type)) return type.includes('string') ? 'text' : type.join(' or ');
  return typeof type === 'string' ? type : 'any';
}

const asJson = (value: unknown): Json =>
  typeof value === 'object' && value !== null ? { ...value } : {};
const asList = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
