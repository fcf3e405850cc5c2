// Finds where events reference vault items: every member of an event's data that is called `ref` or
// ends in `_ref`, and is a UUID. It reads the catalogue, so new events are covered. Metadata has
// one such member, `reason_ref`.

import { z } from 'zod';

import { catalogue } from './catalogue.ts';

/** `path` is an SQL/JSON path into the event's data, such as `$.name.ref`. */
export type RefPath = Readonly<{ type: string; path: string }>;

/** Covers every version of every event type. */
export function vaultRefPaths(): readonly RefPath[] {
  return Object.entries(catalogue).flatMap(([type, { data, past = [] }]) => {
    const schemas = [data, ...past.map((older) => older.data)];
    const paths = new Set(schemas.flatMap((schema) => pathsOf(shapeOf(schema), '$')));
    return [...paths].map((path) => ({ type, path }));
  });
}

type Shape = Readonly<{
  format?: string | undefined;
  properties?: Readonly<Record<string, Shape>> | undefined;
  items?: Shape | undefined;
  anyOf?: readonly Shape[] | undefined;
  oneOf?: readonly Shape[] | undefined;
  allOf?: readonly Shape[] | undefined;
}>;

const shape: z.ZodType<Shape> = z.lazy(() =>
  z.object({
    format: z.string().optional(),
    properties: z.record(z.string(), shape).optional(),
    items: shape.optional(),
    anyOf: z.array(shape).optional(),
    oneOf: z.array(shape).optional(),
    allOf: z.array(shape).optional(),
  }),
);

const shapeOf = (schema: z.ZodType): Shape =>
  shape.parse(z.toJSONSchema(schema, { unrepresentable: 'any', reused: 'inline', io: 'input' }));

function pathsOf({ properties = {}, items, ...either }: Shape, at: string): readonly string[] {
  const { anyOf = [], oneOf = [], allOf = [] } = either;
  const variants = [...anyOf, ...oneOf, ...allOf];
  return [
    ...Object.entries(properties).flatMap(([name, member]) =>
      isRef(name, member) ? [`${at}.${name}`] : pathsOf(member, `${at}.${name}`),
    ),
    ...(items === undefined ? [] : pathsOf(items, `${at}[*]`)),
    ...variants.flatMap((variant) => pathsOf(variant, at)),
  ];
}

/** A nullable member is a choice of two schemas. */
const isRef = (name: string, { format, anyOf = [] }: Shape): boolean =>
  /^(?:.*_)?ref$/.test(name) && [format, ...anyOf.map((one) => one.format)].includes('uuid');
