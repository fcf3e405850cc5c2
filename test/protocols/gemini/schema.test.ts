// Tests that schemas are expressed in the keywords that the vendor supports, as exactly as those
// allow.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import type { Refusals } from '../../../src/protocols/refusal.ts';
import { schemaOf } from '../../../src/protocols/gemini/schema.ts';
import { object } from '../given.ts';
import { refused, sent } from './given.ts';

function schema(given: object): unknown {
  const refusals: Refusals = [];
  const made = schemaOf(object(given), 'at', refusals);
  assert.deepEqual(refusals, []);
  return made;
}

function refusal(given: object) {
  const refusals: Refusals = [];
  schemaOf(object(given), 'at', refusals);
  assert.equal(refusals.length, 1);
  return refusals[0];
}

const string = { type: 'string' };

describe('a schema', () => {
  const taken = {
    type: 'object',
    title: 'T',
    description: 'D',
    properties: {
      pattern: { type: 'array', items: string, minItems: 1, maxItems: 2 },
      $ref: { type: ['string', 'null'], minLength: 1, maxLength: 9, pattern: '^a' },
      a: { anyOf: [string, { type: 'null' }], default: null },
      n: { type: 'integer', format: 'int64', minimum: 1, maximum: 5, enum: [1, 2] },
      d: { type: 'string', format: 'date-time' },
      t: { type: 'array', prefixItems: [string] },
    },
    additionalProperties: { type: 'string' },
    required: ['a'],
    propertyOrdering: ['a', 'n'],
  };

  it('of what the vendor takes is the same', () => assert.deepEqual(schema(taken), taken));

  const cases: readonly (readonly [string, object, object])[] = [
    [
      'loses what the vendor does not know, and not members of that name',
      {
        $schema: 'x',
        $id: 'y',
        $comment: 'z',
        examples: [1],
        uniqueItems: true,
        not: string,
        if: string,
        patternProperties: { a: string },
        properties: { examples: { ...string, deprecated: true }, not: true },
        required: true,
      },
      { properties: { examples: string, not: {} } },
    ],
    ['says a constant as the one choice', { const: 'a' }, { type: 'string', enum: ['a'] }],
    ['says a whole number so', { const: 3 }, { type: 'integer', enum: [3] }],
    ['keeps of a constant truth its type', { const: true }, { type: 'boolean' }],
    ['keeps of nothing its type', { const: null }, { type: 'null' }],
    ['keeps of choices of other kinds the type', { ...string, enum: ['a', {}] }, string],
    ['says one of as any of', { oneOf: [string] }, { anyOf: [string] }],
    ['says a tuple as its items', { items: [string, true] }, { prefixItems: [string, {}] }],
    ['says nullable as a second type', { ...string, nullable: true }, { type: ['string', 'null'] }],
    [
      'says bounds that are not reached as the next whole ones',
      { type: 'integer', exclusiveMinimum: 0, exclusiveMaximum: 9 },
      { type: 'integer', minimum: 1, maximum: 8 },
    ],
    [
      'says them of other numbers as nearly as it can',
      { type: 'number', exclusiveMinimum: 0 },
      { type: 'number', minimum: 0 },
    ],
    [
      'tells a format that is not known in words',
      {
        anyOf: [
          { ...string, format: 'email' },
          { format: 'uri', description: 'Where.' },
        ],
      },
      {
        anyOf: [
          { ...string, description: 'Format: email' },
          { description: 'Where. (Format: uri)' },
        ],
      },
    ],
    [
      'joins what all of must hold',
      {
        description: 'D',
        properties: { a: string },
        required: ['a'],
        allOf: [
          { type: 'object', properties: { a: {}, b: string }, required: ['a', 'b'] },
          { description: 'E', properties: { c: string } },
        ],
      },
      {
        type: 'object',
        description: 'D',
        properties: { a: string, b: string, c: string },
        required: ['a', 'b'],
      },
    ],
  ];
  for (const [what, given, expected] of cases) {
    it(what, () => assert.deepEqual(schema(given), expected));
  }
});

describe('a $ref', () => {
  it('is replaced by its target, and keywords next to it have priority', () =>
    assert.deepEqual(
      schema({
        properties: {
          home: { $ref: '#/$defs/place', description: 'Where one lives.' },
          work: { $ref: '#/$defs/a~1b%20c' },
          again: { $ref: '#/properties/home' },
          first: { $ref: '#/$defs/any/anyOf/0' },
        },
        $defs: {
          place: { type: 'object', description: 'A place.', properties: { city: string } },
          'a/b c': { $ref: '#/$defs/place' },
          any: { anyOf: [string] },
        },
      }),
      {
        properties: {
          home: { type: 'object', description: 'Where one lives.', properties: { city: string } },
          work: { type: 'object', description: 'A place.', properties: { city: string } },
          again: { type: 'object', description: 'Where one lives.', properties: { city: string } },
          first: string,
        },
      },
    ));

  it('to the schema around it is a 501 with its place', () => {
    const tree = { type: 'object', properties: { next: { $ref: '#' } } };
    const tool = { type: 'function', function: { name: 'f', parameters: tree } };
    const first = { type: 'function', function: { name: 'e' } };
    assert.deepEqual(refused({ tools: [first, tool] }), {
      refused: 'unsupported',
      status: 501,
      message: 'a backend of protocol gemini does not support schemas that refer to themselves',
      param: 'tools[1].function.parameters',
      headers: ['x-should-retry', 'false'],
    });
    const format = { type: 'json_schema', json_schema: { name: 'n', schema: tree } };
    const { param } = refused({ response_format: format });
    assert.equal(param, 'response_format.json_schema.schema');
  });

  it('round in a circle is a 501 too', () => {
    const $defs = { a: { $ref: '#/$defs/b' }, b: { items: { $ref: '#/$defs/a' } } };
    assert.match(refusal({ $ref: '#/$defs/a', $defs })?.message ?? '', /refer to themselves$/);
  });

  it('to another document is a 501', () => {
    const { status, message } = refusal({ items: { $ref: 'https://a.example/b' } }) ?? {};
    assert.equal(status, 501);
    assert.match(message ?? '', /schemas with a \$ref to https:\/\/a\.example\/b$/);
  });

  it('to nothing is a 400', () => {
    const { status, message } = refusal({ items: { $ref: '#/$defs/%zz' } }) ?? {};
    assert.equal(status, 400);
    assert.equal(message, 'at has a $ref to #/$defs/%zz, which does not exist');
  });
});

const doubled = (index: number) => [
  `d${index}`,
  { items: [{ $ref: `#/$defs/d${index + 1}` }, { $ref: `#/$defs/d${index + 1}` }] },
];

it('a schema that grows without end is a 501, and soon', () => {
  const names = Array.from({ length: 30 }, (_, index) => index);
  const $defs = Object.fromEntries([...names.map(doubled), ['d30', string]]);
  assert.match(refusal({ $ref: '#/$defs/d0', $defs })?.message ?? '', /schemas this large$/);
  const deep = names.concat(names, names).reduce<object>((items) => ({ items }), string);
  assert.match(refusal(deep)?.message ?? '', /schemas this large$/);
});

it('a schema of a function is one of an object, whatever it says', () => {
  const parameters = { $ref: '#/$defs/p', $defs: { p: { properties: { a: string } } } };
  const tools = [{ type: 'function', function: { name: 'f', parameters } }];
  const parametersJsonSchema = { properties: { a: string }, type: 'object' };
  assert.deepEqual(sent({ tools })['tools'], [
    { functionDeclarations: [{ name: 'f', parametersJsonSchema }] },
  ]);
});
