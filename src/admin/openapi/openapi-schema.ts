// Converts wire types to the JSON Schema of the OpenAPI document, limited to what client generators
// of all languages can read.

import { z } from 'zod';

import { shownCharacters, shownCharactersOrNone } from '../../lib/fields.ts';

type Json = Readonly<Record<string, unknown>>;

/** The input as sent, before the server transforms it. */
export function jsonSchema(schema: z.ZodType): Json {
  const { $schema: _dialect, ...rest } = z.toJSONSchema(schema, {
    io: 'input',
    unrepresentable: 'any',
    override: ({ jsonSchema }) => {
      // In OpenAPI it means that clients must not send the property, but zod uses it for
      // TypeScript's `readonly`.
      delete jsonSchema.readOnly;
      // The format already implies the pattern.
      if (knownFormats.has(jsonSchema.format)) delete jsonSchema.pattern;
    },
  });
  return portable(rest);
}

/** Formats for which zod also emits a pattern. */
const knownFormats: ReadonlySet<unknown> = new Set(['date-time', 'uuid']);

/**
 * Replaces patterns that RE2 (Go) or Python cannot compile by looser ones. The server still checks
 * the precise pattern. A test fails for an unlisted pattern.
 */
const portablePatterns: Readonly<Record<string, string>> = {
  [shownCharacters.source]: '^[^\\x00-\\x1f\\x7f-\\x9f]+$',
  [shownCharactersOrNone.source]: '^[^\\x00-\\x1f\\x7f-\\x9f]*$',
};

function portable(schema: Json): Json {
  return Object.fromEntries(
    Object.entries(schema).map(([name, value]) => [name, portableValue(name, value)]),
  );
}

function portableValue(name: string, value: unknown): unknown {
  if (name === 'pattern' && typeof value === 'string') return portablePatterns[value] ?? value;
  if (Array.isArray(value)) return value.map((item) => portableValue('', item));
  return typeof value === 'object' && value !== null ? portable({ ...value }) : value;
}
