// Translates a JSON schema to the keywords that the vendor supports
// (https://ai.google.dev/api/generate-content, `responseJsonSchema`). A `$ref` is replaced by its
// target, because the vendor rejects cycles and a `$ref` next to other keywords.

import { isObject, member } from '../json.ts';
import type { JsonObject } from '../json.ts';
import { invalid, unsupported } from '../refusal.ts';
import type { ProtocolRefusal, Refusals } from '../refusal.ts';
import { combined, plainKeywords } from './schema-keywords.ts';

const depthMax = 64;
/** Limits the expansion: a schema of a few hundred bytes can expand to millions of nodes. */
const nodesMax = 10_000;

type Walk = {
  readonly root: JsonObject;
  readonly at: string;
  nodes: number;
  refusal: ProtocolRefusal | null;
};

/**
 * Refuses a `$ref` without a target (400), to another document or to an enclosing schema, and
 * schemas that are too large (501).
 */
export function schemaOf(root: JsonObject, at: string, refusals: Refusals): JsonObject {
  const walk: Walk = { root, at, nodes: 0, refusal: null };
  const schema = pruned(root, walk, { depth: 0, trail: [] });
  if (walk.refusal !== null) refusals.push(walk.refusal);
  return schema;
}

/** `trail` holds the references that are being expanded. */
type Place = Readonly<{ depth: number; trail: readonly string[] }>;

/** `true` and `false` are valid schemas. The vendor has no other way to express "any value". */
function pruned(schema: unknown, walk: Walk, place: Place): JsonObject {
  if (!isObject(schema) || walk.refusal !== null) return {};
  walk.nodes++;
  if (walk.nodes > nodesMax || place.depth > depthMax) {
    return refuse(walk, unsupported('gemini', 'schemas this large', walk.at));
  }
  const inner = { depth: place.depth + 1, trail: place.trail };
  const reference = member(schema, '$ref');
  if (typeof reference === 'string') return replaced(schema, reference, walk, inner);
  const own = Object.fromEntries(
    Object.entries(schema).flatMap((entry) => keywordOf(entry, walk, inner)),
  );
  const all = member(schema, 'allOf');
  const parts = Array.isArray(all) ? all.map((one) => pruned(one, walk, inner)) : [];
  return parts.reduce(combined, plainKeywords(schema, own));
}

function keywordOf(
  [keyword, value]: [string, unknown],
  walk: Walk,
  inner: Place,
): readonly (readonly [string, unknown])[] {
  const one = (schema: unknown): JsonObject => pruned(schema, walk, inner);
  switch (keyword) {
    case 'properties':
      return isObject(value) ? [[keyword, eachNamed(value, one)]] : [];
    case 'items':
      return Array.isArray(value) ? [['prefixItems', value.map(one)]] : [[keyword, one(value)]];
    case 'additionalProperties':
      return [[keyword, typeof value === 'boolean' ? value : one(value)]];
    case 'prefixItems':
    case 'anyOf':
      return Array.isArray(value) ? [[keyword, value.map(one)]] : [];
    case 'oneOf':
      return Array.isArray(value) ? [['anyOf', value.map(one)]] : [];
    default:
      return [];
  }
}

const eachNamed = (schemas: JsonObject, one: (schema: unknown) => JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(schemas).map(([name, schema]) => [name, one(schema)]));

/** Keywords next to a reference are more specific than its target. */
function replaced(schema: JsonObject, reference: string, walk: Walk, inner: Place): JsonObject {
  const { $ref: _, ...siblings } = schema;
  if (reference !== '#' && !reference.startsWith('#/')) {
    const feature = `schemas with a $ref to ${reference.slice(0, 60)}`;
    return refuse(walk, unsupported('gemini', feature, walk.at));
  }
  if (inner.trail.includes(reference)) {
    return refuse(walk, unsupported('gemini', 'schemas that refer to themselves', walk.at));
  }
  const target = named(walk.root, reference);
  if (target === undefined) {
    const message = `has a $ref to ${reference.slice(0, 60)}, which does not exist`;
    return refuse(walk, invalid(walk.at, message));
  }
  const whole = isObject(target) ? { ...target, ...siblings } : siblings;
  return pruned(whole, walk, { ...inner, trail: [...inner.trail, reference] });
}

/** A JSON pointer (RFC 6901) in a URI fragment. */
function named(root: JsonObject, reference: string): unknown {
  let found: unknown = root;
  for (const token of reference.split('/').slice(1)) {
    const name = decoded(token).replaceAll('~1', '/').replaceAll('~0', '~');
    if (Array.isArray(found)) found = found[Number(name)];
    else found = isObject(found) ? member(found, name) : undefined;
  }
  return found;
}

function decoded(token: string): string {
  try {
    return decodeURIComponent(token);
  } catch {
    return token;
  }
}

function refuse(walk: Walk, refusal: ProtocolRefusal): JsonObject {
  walk.refusal ??= refusal;
  return {};
}
