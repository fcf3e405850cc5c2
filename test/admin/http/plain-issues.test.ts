// Tests that every refusal of input is a plain sentence, without phrases of the schema library.

import assert from 'node:assert/strict';
import { it } from 'node:test';

import { z } from 'zod';

import { bodyExampleOf } from '../../../src/admin/openapi/examples.ts';
import { readInput } from '../../../src/admin/http/input.ts';
import { adminRoutes } from '../../../src/admin/routes.ts';
import { isRefusal } from '../../../src/lib/refusal.ts';

const wrongValues: readonly unknown[] = [
  undefined,
  null,
  '',
  'x'.repeat(200_001),
  '\u0001',
  -1,
  0,
  1.5,
  1e300,
  true,
  [],
  Array.from({ length: 2_000 }, () => 'x'),
  {},
  { 'not a field': 1 },
];

/** Copies of the value, each with one member replaced. */
function* variants(value: unknown): Generator {
  yield* wrongValues;
  if (Array.isArray(value)) {
    for (const [at, item] of value.entries()) {
      for (const wrong of variants(item)) yield value.with(at, wrong);
    }
  } else if (typeof value === 'object' && value !== null) {
    for (const [name, member] of Object.entries(value)) {
      for (const wrong of variants(member)) yield { ...value, [name]: wrong };
    }
  }
}

function messagesOf(schema: z.ZodType, raws: Iterable<unknown>, echo: boolean): string[] {
  return [...raws].flatMap((raw) => {
    const read = readInput(schema, raw, { echo });
    return isRefusal(read) ? [read.message] : [];
  });
}

const withAllFields = (schema: z.ZodType, given: unknown): unknown =>
  schema instanceof z.ZodObject && typeof given === 'object'
    ? { ...Object.fromEntries(Object.keys(schema.shape).map((name) => [name, 1])), ...given }
    : given;

const plain = new RegExp(
  String.raw`\b(?:must|is required|is (?:not|given|too|a header)|has|does not|cannot|needs|known|` +
    String.raw`holds|would|at most)\b`,
);

it('a refusal of any field of any route says in plain words what the field must be', () => {
  let count = 0;
  for (const route of adminRoutes) {
    const { operation, body, query, params } = route;
    const example = bodyExampleOf(route) ?? {};
    const raws = [...variants(example), withAllFields(body, example)];
    const messages = [
      ...messagesOf(body, raws, false),
      ...messagesOf(query, variants(withAllFields(query, {})), true),
      ...messagesOf(params, variants(withAllFields(params, {})), true),
    ];
    count += messages.length;
    for (const message of messages) {
      assert.doesNotMatch(message, /\bexpected\b|received|invalid|too (?:small|big)|[<>]=|zod/i);
      assert.match(message, plain, `${operation}: ${message}`);
    }
  }
  assert.ok(count > 2_000, `${count} refusals`);
});
