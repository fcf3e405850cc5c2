// The JSON Schema of a value on the wire, as the OpenAPI document shows it: only what clients in every language can read.

import { z } from 'zod';

import { shownCharacters, shownCharactersOrNone } from '../../lib/fields.ts';

type Json = Readonly<Record<string, unknown>>;

/** The schema of what is sent; a transformation that the server applies to it does not show. */
export function jsonSchema(schema: z.ZodType): Json {
  const { $schema: _dialect, ...rest } = z.toJSONSchema(schema, {
    io: 'input',
    unrepresentable: 'any',
    override: ({ jsonSchema }) => {
      // In OpenAPI, a field that is read-only must not be sent. In TypeScript it only must not be changed.
      delete jsonSchema.readOnly;
      // The format says it, in a few letters.
      if (knownFormats.has(jsonSchema.format)) delete jsonSchema.pattern;
    },
  });
  return portable(rest);
}

/** Those of JSON Schema for which zod gives a pattern too. */
const knownFormats: ReadonlySet<unknown> = new Set(['date-time', 'uuid']);

/**
 * Patterns that RE2 (Go) or Python cannot compile, each with the nearest one that they can. The server checks the precise one. A
 * pattern that is missing here fails a test.
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
