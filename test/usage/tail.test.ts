// Token counts are found at the end of an answer in each spelling and framing, and never invented.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import * as fc from 'fast-check';

import { readUsage, Tail, tailBytesMax } from '../../src/usage/tail.ts';

const frame = (value: unknown) => `data: ${JSON.stringify(value)}\n\n`;
const counts = (
  promptTokens: number,
  completionTokens: number,
  costMicros: number | null = null,
) => ({
  promptTokens,
  completionTokens,
  costMicros,
});

describe('readUsage', () => {
  const cases: readonly (readonly [string, string, ReturnType<typeof counts> | null])[] = [
    [
      'a JSON answer',
      JSON.stringify({ id: 'x', choices: [], usage: { prompt_tokens: 3, completion_tokens: 4 } }),
      counts(3, 4),
    ],
    [
      'the last frame of a stream',
      frame({ choices: [{ delta: { content: 'a' } }], usage: null }) +
        frame({
          choices: [],
          usage: { prompt_tokens: 5, completion_tokens: 6, total_tokens: 11 },
        }) +
        'data: [DONE]\n\n',
      counts(5, 6),
    ],
    [
      'the other spelling, nested in a final event',
      `event: response.completed\n${frame({
        type: 'response.completed',
        response: { output: [], usage: { input_tokens: 7, output_tokens: 8 }, user: null },
      })}`,
      counts(7, 8),
    ],
    ['embeddings', '{"data":[],"usage":{"prompt_tokens":9,"total_tokens":9}}', counts(9, 0)],
    [
      'details within',
      '{"usage":{"a":{"b":"}"},"prompt_tokens":1,"completion_tokens":2}}',
      counts(1, 2),
    ],
    [
      'a cost',
      '{"usage":{"prompt_tokens":1,"completion_tokens":2,"cost":0.0012345}}',
      counts(1, 2, 1235),
    ],
    [
      'a negative cost',
      '{"usage":{"prompt_tokens":1,"completion_tokens":2,"cost":-1}}',
      counts(1, 2),
    ],
    ['a white space layout', '{ "usage" :\n { "prompt_tokens" : 1 } }', counts(1, 0)],
    [
      'counts before a usage of null',
      `${frame({ usage: { prompt_tokens: 1, completion_tokens: 2 } })}${frame({ usage: null })}`,
      counts(1, 2),
    ],
    ['null', '{"usage":null}', null],
    ['an empty object', '{"usage":{}}', null],
    ['dishonest counts', '{"usage":{"prompt_tokens":-1,"completion_tokens":1e300}}', null],
    ['an object that is cut off', '{"usage":{"prompt_tokens":1', null],
    ['nothing', 'data: [DONE]\n\n', null],
    [
      'a text that speaks of usage',
      JSON.stringify({ content: '"usage":{"prompt_tokens":1,"completion_tokens":2}' }),
      null,
    ],
  ];
  for (const [what, text, expected] of cases) {
    it(`reads ${what}`, () => assert.deepEqual(readUsage(text), expected));
  }
});

describe('Tail', () => {
  it('holds the last bytes however they were cut into chunks', () => {
    fc.assert(
      fc.property(
        fc.array(fc.oneof(fc.nat(300), fc.nat(20_000)), { maxLength: 300 }),
        fc.nat(),
        (sizes, seed) => {
          const tail = new Tail();
          const chunks = sizes.map((size, index) => Buffer.alloc(size, `${seed}-${index};`));
          for (const chunk of chunks) tail.push(chunk);
          const all = Buffer.concat(chunks).toString('latin1');
          assert.equal(tail.text(), all.slice(-tailBytesMax) || '');
        },
      ),
      { numRuns: 100 },
    );
  });
});

it('a reported cost is rounded to micro-units as the decimal number that it is', () => {
  assert.equal(readUsage(costing('0.0001245'))?.costMicros, 125);
  assert.equal(readUsage(costing('4.4e-7'))?.costMicros, 0);
  fc.assert(
    fc.property(fc.nat({ max: 10_000_000 }), fc.constantFrom(0n, 4n, 5n, 6n), (whole, tenth) => {
      const tenths = BigInt(whole) * 10n + tenth;
      const cost = `${tenths / 10_000_000n}.${String(tenths % 10_000_000n).padStart(7, '0')}`;
      assert.equal(readUsage(costing(cost))?.costMicros, Number((tenths + 5n) / 10n), cost);
    }),
  );
});

const costing = (cost: string): string =>
  `{"usage":{"prompt_tokens":1,"completion_tokens":2,"cost":${cost}}}`;
