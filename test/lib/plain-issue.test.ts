// Tests the wording of schema problems: a table of every kind of issue, and what is never repeated.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import * as fc from 'fast-check';
import { z } from 'zod';

import { parseNamed, plainly, problemText, ruleText } from '../../src/lib/plain-issue.ts';

function problemIn(schema: z.ZodType, value: unknown): string {
  const { error } = schema.safeParse(value, plainly);
  assert.ok(error !== undefined);
  return problemText(error);
}

const name = z.strictObject({ name: z.string() });

const cases: readonly (readonly [z.ZodType, unknown, string])[] = [
  [name, { name: 5 }, 'name: must be text, was 5'],
  [name, { name: true }, 'name: must be text, was true'],
  [name, { name: {} }, 'name: must be text'],
  [name, {}, 'name: is required'],
  [name, { name: 'a', colour: 1 }, 'has fields that are not known: colour'],
  [z.int(), 1.5, 'must be a whole number, was 1.5'],
  [z.int().min(1), 0, 'must be at least 1, was 0'],
  [z.number().gt(1), 1, 'must be more than 1, was 1'],
  [z.number().max(5), 6, 'must be at most 5, was 6'],
  [z.number(), Infinity, 'must be a number, was Infinity'],
  [z.number().multipleOf(5), 6, 'must be a multiple of 5, was 6'],
  [z.string().min(2), 'a', 'must have at least 2 characters'],
  [z.string().min(1), '', 'must not be empty'],
  [z.string().max(1), 'ab', 'must have at most 1 character'],
  [z.array(z.string()).max(1), ['a', 'b'], 'must have at most 1 item'],
  [z.array(z.string()), ['a', 1], '1: must be text, was 1'],
  [z.enum(['a', 'b']), 'c', 'must be one of "a", "b", was "c"'],
  [z.literal('a'), 'c', 'must be "a", was "c"'],
  [z.literal('a'), null, 'must be "a", was null'],
  [z.iso.datetime(), '1', 'must be an RFC 3339 time, such as 2026-11-21T09:30:00Z, was "1"'],
  [z.uuid(), 'x', 'must be a UUID'],
  [z.string().regex(/^a$/), 'x', 'does not have the right format'],
  [z.record(z.string().max(1), z.int()), { ab: 1 }, 'ab: has a key that is not allowed'],
  [z.map(z.object({}), z.int()), new Map([[{}, 'x']]), 'has a member that is not allowed'],
  [z.union([z.string(), z.int()]), {}, 'has none of the forms that are allowed here'],
  [z.string().refine(() => false), 'x', 'is not allowed here'],
  [z.string({ error: 'must be a name' }), 5, 'must be a name, was 5'],
  [z.object({ api_key: z.string() }), { api_key: 5 }, 'api_key: must be text'],
  [z.object({ per_token: z.string() }), { per_token: 5 }, 'per_token: must be text, was 5'],
  [z.never(), 5, 'must be of another type, was 5'],
];

describe('a problem of a value', () => {
  for (const [schema, value, expected] of cases) {
    it(`reads "${expected}"`, () => {
      assert.equal(problemIn(schema, value), expected);
    });
  }

  it('never repeats zod, or the value of a secret field', () => {
    const secret = z.strictObject({
      password: z.string().min(12),
      admin_token: z.union([z.uuid(), z.int()]),
    });
    const member = fc.oneof(fc.jsonValue(), fc.nat());
    fc.assert(
      fc.property(fc.record({ password: member, admin_token: member }), (value) => {
        const { error } = secret.safeParse(value, plainly);
        if (error === undefined) return;
        assert.doesNotMatch(problemText(error), /expected|received|invalid|too small|was /i);
      }),
    );
  });

  it('is the message of the error when the value must fit', () => {
    assert.throws(() => parseNamed(name, { name: 5 }, 'answer of /x'), {
      message: 'answer of /x: name: must be text, was 5',
    });
    assert.deepEqual(parseNamed(name, { name: 'a' }, 'answer of /x'), { name: 'a' });
  });

  it('has a form without the value', () => {
    const { error } = z.int().safeParse(1.5, plainly);
    assert.ok(error !== undefined);
    assert.equal(ruleText(error), 'must be a whole number');
  });
});
