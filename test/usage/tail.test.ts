// Token counts are found at the end of an answer in each spelling and framing, and never invented.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import * as fc from 'fast-check';

import type { UsageReport } from '../../src/usage/counts.ts';
import { mayReportUsage, readUsage, Tail, tailBytesMax } from '../../src/usage/tail.ts';
import { reportOf } from '../harness/usage-report.ts';

const frame = (value: unknown) => `data: ${JSON.stringify(value)}\n\n`;
const tierOf = (text: string) => readUsage(text)?.serviceTier;

describe('readUsage', () => {
  const cases: readonly (readonly [string, string, UsageReport | null])[] = [
    [
      'a JSON answer',
      JSON.stringify({ id: 'x', choices: [], usage: { prompt_tokens: 3, completion_tokens: 4 } }),
      reportOf(3, 4),
    ],
    [
      'the last frame of a stream',
      frame({ choices: [{ delta: { content: 'a' } }], usage: null }) +
        frame({
          choices: [],
          usage: { prompt_tokens: 5, completion_tokens: 6, total_tokens: 11 },
        }) +
        'data: [DONE]\n\n',
      reportOf(5, 6),
    ],
    [
      'the other spelling, nested in a final event',
      `event: response.completed\n${frame({
        type: 'response.completed',
        response: { output: [], usage: { input_tokens: 7, output_tokens: 8 }, user: null },
      })}`,
      reportOf(7, 8),
    ],
    ['embeddings', '{"data":[],"usage":{"prompt_tokens":9,"total_tokens":9}}', reportOf(9, 0)],
    [
      'details within',
      '{"usage":{"a":{"b":"}"},"prompt_tokens":1,"completion_tokens":2}}',
      reportOf(1, 2),
    ],
    [
      'a cost',
      '{"usage":{"prompt_tokens":1,"completion_tokens":2,"cost":0.0012345}}',
      reportOf(1, 2, { costMicros: 1235 }),
    ],
    [
      'a negative cost',
      '{"usage":{"prompt_tokens":1,"completion_tokens":2,"cost":-1}}',
      reportOf(1, 2),
    ],
    ['a white space layout', '{ "usage" :\n { "prompt_tokens" : 1 } }', reportOf(1, 0)],
    [
      'counts before a usage of null',
      `${frame({ usage: { prompt_tokens: 1, completion_tokens: 2 } })}${frame({ usage: null })}`,
      reportOf(1, 2),
    ],
    [
      'details with cached tokens, which are among the prompt tokens',
      '{"usage":{"prompt_tokens":9,"prompt_tokens_details":{"cached_tokens":8},"completion_tokens":2}}',
      reportOf(9, 2, { cacheReadTokens: 8 }),
    ],
    [
      'a final event whose output is longer than the tail',
      frame({
        type: 'response.completed',
        response: {
          output: [{ text: 'x'.repeat(20_000) }],
          usage: { input_tokens: 7, input_tokens_details: { cached_tokens: 0 }, output_tokens: 8 },
          metadata: {},
        },
      }).slice(-tailBytesMax),
      reportOf(7, 8, { cacheReadTokens: 0 }),
    ],
    [
      'the last frame but one, before a comment and a ping, with lines that end in CR LF',
      [
        'data: {"choices":[],"usage":{"prompt_tokens":5,"completion_tokens":6}}',
        'data: {"choices":[],"usage":null}',
        ': keep-alive',
        'event: ping',
        'data: {"type":"ping"}',
        'data: [DONE]',
      ].join('\r\n\r\n'),
      reportOf(5, 6),
    ],
    [
      'counts of every chunk, of which the last is right',
      [1, 2, 3].map((n) => frame({ usage: { prompt_tokens: 4, completion_tokens: n } })).join(''),
      reportOf(4, 3),
    ],
    [
      'a vendor’s wrapping',
      frame({ choices: [], x_groq: { usage: { prompt_tokens: 2, completion_tokens: 3 } } }),
      reportOf(2, 3),
    ],
    [
      'an upload’s transcription',
      '{"text":"a","usage":{"type":"tokens","input_tokens":14,' +
        '"input_token_details":{"text_tokens":0,"audio_tokens":14},"output_tokens":45}}',
      reportOf(14, 45, { inputAudioTokens: 14 }),
    ],
    [
      'seconds',
      '{"text":"a","usage":{"type":"duration","seconds":8.4}}',
      reportOf(0, 0, { units: { input_seconds: 9 } }),
    ],
    ['a rerank', '{"results":[],"usage":{"prompt_tokens":8,"total_tokens":8}}', reportOf(8, 0)],
    ['a total alone', '{"data":[],"usage":{"total_tokens":15}}', reportOf(15, 0)],
    [
      'a total next to the generated tokens',
      '{"usage":{"completion_tokens":3,"total_tokens":15}}',
      reportOf(0, 3),
    ],
    [
      'tokens that are billed',
      '{"results":[],"meta":{"billed_units":{"input_tokens":5,"output_tokens":2}}}',
      reportOf(5, 2),
    ],
    ['searches that are billed', '{"meta":{"billed_units":{"search_units":1}}}', null],
    [
      'a schema that has a member of that name',
      '{"usage":{"input_tokens":1,"output_tokens":2},"tools":[{"usage":{"prompt_tokens":{"type":"integer"}}}]}',
      reportOf(1, 2),
    ],
    ['no cost', '{"usage":{"prompt_tokens":1,"cost":null}}', reportOf(1, 0)],
    [
      'a cost of nothing',
      '{"usage":{"prompt_tokens":1,"cost":0}}',
      reportOf(1, 0, { costMicros: 0 }),
    ],
    ['a cost that is not a number', '{"usage":{"prompt_tokens":1,"cost":"2"}}', reportOf(1, 0)],
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

  describe('the service tier', () => {
    const usage = { prompt_tokens: 1, completion_tokens: 2 };

    it('is read next to the usage, before or after it', () => {
      assert.equal(tierOf(JSON.stringify({ service_tier: 'flex', usage })), 'flex');
      const answer = { choices: [{ text: 'a "quoted\\" {text}' }], usage, service_tier: 'batch' };
      assert.equal(tierOf(JSON.stringify(answer)), 'batch');
      const response = { tools: [{ a: [1] }], service_tier: 'priority', usage, metadata: {} };
      assert.equal(tierOf(frame({ type: 'response.completed', response })), 'priority');
      assert.equal(tierOf(JSON.stringify({ usage, service_tier: null })), null);
    });

    it('is never read from a member that the client chose', () => {
      const chosen = { service_tier: 'flex' };
      const answer = { tools: [chosen], metadata: chosen, usage, user: 'a', echo: chosen };
      for (const text of [JSON.stringify(answer), frame({ response: answer, ...chosen })]) {
        for (let cut = 0; cut < text.indexOf('"usage"'); cut++) {
          assert.equal(tierOf(text.slice(cut)), null, text.slice(cut));
        }
      }
      const content = '","service_tier":"flex","a":"';
      assert.equal(tierOf(JSON.stringify({ choices: [{ content }], content, usage })), null);
    });
  });

  it('finds no usage in an answer that is cut off before the end of its counts', () => {
    const body =
      '{"id":"x","choices":[{}],"usage":{"prompt_tokens":3,"a":{"b":4},"completion_tokens":4}}';
    for (let end = 0; end < body.length - 1; end++) {
      assert.equal(readUsage(body.slice(0, end)), null, body.slice(0, end));
    }
  });

  it('never throws, and finds only whole numbers from 0', () => {
    const pieces = [
      '"usage"',
      ':',
      '{',
      '}',
      '"',
      '\\',
      '[',
      ',',
      '\n',
      'data: ',
      'null',
      '-1',
      '1.5',
    ];
    const names = [
      '"prompt_tokens"',
      '"completion_tokens"',
      '"billed_units"',
      '"cost"',
      '9e99',
      '7',
    ];
    const piece = fc.constantFrom(...pieces, ...names);
    fc.assert(
      fc.property(fc.array(fc.oneof(piece, fc.string()), { maxLength: 60 }), (pieces) => {
        const usage = readUsage(pieces.join(''));
        for (const count of usage === null ? [] : [usage.promptTokens, usage.completionTokens]) {
          assert.ok(Number.isSafeInteger(count) && count >= 0);
        }
      }),
      { numRuns: 2000 },
    );
  });

  it('finds the same however the answer was cut into chunks', () => {
    const usage = { prompt_tokens: 12, completion_tokens: 34 };
    const text = frame({ choices: [{ delta: { content: 'x'.repeat(9000) } }] }) + frame({ usage });
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 3000 }), { minLength: 1 }), (sizes) => {
        const tail = new Tail();
        const bytes = Buffer.from(text);
        for (let at = 0, index = 0; at < bytes.length; index++) {
          const size = sizes[index % sizes.length] ?? 1;
          tail.push(bytes.subarray(at, at + size));
          at += size;
        }
        assert.deepEqual(readUsage(tail.text()), reportOf(12, 34));
      }),
    );
  });
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

describe('an answer', () => {
  for (const [headers, may] of [
    [['content-type', 'application/json'], true],
    [['content-type', 'text/event-stream; charset=utf-8'], true],
    [['content-type', 'application/x-ndjson'], true],
    [[], true],
    [['content-type', 'application/json', 'content-encoding', 'gzip'], false],
    [['content-type', 'text/plain; charset=utf-8'], false],
    [['content-type', 'Text/VTT'], false],
    [['content-type', 'audio/mpeg'], false],
    [['content-type', 'image/png'], false],
    [['content-type', 'application/octet-stream'], false],
  ] as const) {
    it(`${may ? 'may' : 'cannot'} report usage with ${headers.join(' ')}`, () =>
      assert.equal(mayReportUsage(headers), may));
  }
});
