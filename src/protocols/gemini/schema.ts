// A JSON schema as the vendor takes it for functions and for answers: the keywords that it lists, and what
// the others come to in those (https://ai.google.dev/api/generate-content, `responseJsonSchema`). A `$ref`
// may not stand beside other keywords there, nor go round in a circle, so each is replaced by what it names.

import { isObject, member } from '../json.ts';
import type { JsonObject } from '../json.ts';
import { invalid, unsupported } from '../refusal.ts';
import type { ProtocolRefusal, Refusals } from '../refusal.ts';
import { combined, plainKeywords } from './schema-keywords.ts';

const depthMax = 64;
/** A schema of a few hundred bytes can name itself into millions. */
const nodesMax = 10_000;

type Walk = {
  readonly root: JsonObject;
  /** Where the schema stands in the request. */
  readonly at: string;
  nodes: number;
  refusal: ProtocolRefusal | null;
};

/** Refused: a `$ref` that names nothing (400), another document, or the schema around it; one too large (501). */
export function schemaOf(root: JsonObject, at: string, refusals: Refusals): JsonObject {
  const walk: Walk = { root, at, nodes: 0, refusal: null };
  const schema = pruned(root, walk, { depth: 0, trail: [] });
  if (walk.refusal !== null) refusals.push(walk.refusal);
  return schema;
}

/** `trail` holds the references that are being replaced. */
type Place = Readonly<{ depth: number; trail: readonly string[] }>;

/** `true` and `false` are schemas too; the vendor knows no other way to say "anything". */
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

/** What stands beside a reference says more than what it names. */
function replaced(schema: JsonObject, reference: string, walk: Walk, inner: Place): JsonObject {
  const { $ref: _, ...beside } = schema;
  if (reference !== '#' && !reference.startsWith('#/')) {
    const feature = `schemas with a $ref to ${reference.slice(0, 60)}`;
    return refuse(walk, unsupported('gemini', feature, walk.at));
  }
  if (inner.trail.includes(reference)) {
    return refuse(walk, unsupported('gemini', 'schemas that refer to themselves', walk.at));
  }
  const target = named(walk.root, reference);
  if (target === undefined) {
    const message = `has a $ref to ${reference.slice(0, 60)}, which is not there`;
    return refuse(walk, invalid(walk.at, message));
  }
  const whole = isObject(target) ? { ...target, ...beside } : beside;
  return pruned(whole, walk, { ...inner, trail: [...inner.trail, reference] });
}

/** RFC 6901, in a URI fragment. */
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
