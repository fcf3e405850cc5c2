// Builds the page of the events: every type of the catalogue with its fields.

import { z } from 'zod';

import { catalogue, eventsByNoun } from '../../events/catalogue.ts';
import type { EventDefinition } from '../../events/event.ts';
import { currentSchema, eventMetadata } from '../../events/event.ts';
import { code, generated, page, table } from './markdown.ts';

export const eventsPage = (): string =>
  page([
    '# Events',
    generated,
    [
      'Every change of the configuration appends one or several of these events to the stream of',
      'the changed entity. Stored bytes are never rewritten: events with an older schema are',
      'converted when they are read. `ref` fields name items of the vault, which holds secrets and',
      'personal data. "new version": the event creates a new version of the snapshot, which proxies',
      'serve.',
    ].join('\n'),
    ...Object.entries(eventsByNoun).flatMap(([noun, definitions]) => [
      `## ${noun}`,
      `Streams ${code(`${noun}-<id>`)}.`,
      events(definitions),
    ]),
    '## In every stream',
    events({ NoChange: definitionOf('NoChange') }),
    '## Metadata',
    'The metadata of every event.',
    table(
      ['field', 'what it is'],
      fieldsOf(eventMetadata).map(({ name, form }) => [code(name), form]),
    ),
  ]);

function definitionOf(type: string): EventDefinition {
  const definition = catalogue[type];
  if (definition === undefined) throw new Error(`there is no event ${type}`);
  return definition;
}

const events = (definitions: Readonly<Record<string, EventDefinition>>): string =>
  table(
    ['type', 'schema', 'new version', 'data'],
    Object.entries(definitions).map(([type, definition]) => [
      code(type),
      String(currentSchema(definition)),
      definition.touchesSnapshot ? 'yes' : 'no',
      fieldsOf(definition.data)
        .map(({ name, form }) => `${code(name)} ${form}`)
        .join(', '),
    ]),
  );

type Shape = Readonly<{
  type?: string | readonly string[] | undefined;
  enum?: readonly unknown[] | undefined;
  const?: unknown;
  format?: string | undefined;
  anyOf?: readonly Shape[] | undefined;
  items?: Shape | undefined;
  properties?: Readonly<Record<string, Shape>> | undefined;
  required?: readonly string[] | undefined;
}>;

const shape: z.ZodType<Shape> = z.looseObject({
  type: z.union([z.string(), z.array(z.string())]).optional(),
  enum: z.array(z.unknown()).optional(),
  const: z.unknown().optional(),
  format: z.string().optional(),
  get anyOf() {
    return z.array(shape).optional();
  },
  get items() {
    return shape.optional();
  },
  get properties() {
    return z.record(z.string(), shape).optional();
  },
  required: z.array(z.string()).optional(),
});

type Field = Readonly<{ name: string; form: string }>;

function fieldsOf(data: z.ZodType): readonly Field[] {
  const whole = shape.parse(z.toJSONSchema(data, { unrepresentable: 'any', io: 'output' }));
  const alternatives = whole.properties === undefined ? (whole.anyOf ?? []) : [whole];
  const fields = new Map<string, Field>();
  for (const { properties = {}, required = [] } of alternatives) {
    for (const [name, value] of Object.entries(properties)) {
      const form = formOf(value) + (required.includes(name) ? '' : ', may be absent');
      fields.set(name, { name, form });
    }
  }
  return [...fields.values()];
}

/** A short description for a table. */
function formOf(value: Shape): string {
  const { type, enum: values, const: only, format, anyOf, items, properties } = value;
  if (only !== undefined) return code(JSON.stringify(only));
  if (values !== undefined) return values.map((value) => code(String(value))).join(' or ');
  if (anyOf !== undefined) return [...new Set(anyOf.map(formOf))].join(' or ');
  if (type === 'array') return items === undefined ? 'list' : `list of ${formOf(items)}`;
  if (properties !== undefined) return `{ ${Object.keys(properties).join(', ')} }`;
  if (format !== undefined) return format;
  return typeof type === 'string' ? type : (type?.join(' or ') ?? 'any');
}
