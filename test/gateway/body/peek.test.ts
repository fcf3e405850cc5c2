// The one pass over a body sees what JSON.parse sees, and refuses what two readers could see
// differently.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import * as fc from 'fast-check';

import { isPeekRefusal, peek } from '../../../src/gateway/body/peek.ts';
import type { Peeked, PeekRefusal } from '../../../src/gateway/body/peek.ts';

const peekText = (text: string): Peeked | PeekRefusal => peek(Buffer.from(text));

function accepted(text: string): Peeked {
  const result = peekText(text);
  assert.ok(!isPeekRefusal(result), `refused: ${JSON.stringify(result)}`);
  return result;
}

function refused(text: string): PeekRefusal {
  const result = peekText(text);
  assert.ok(isPeekRefusal(result), `accepted: ${text}`);
  return result;
}

const runs = Number(process.env['GW_TEST_BODIES'] ?? 5000);

const padded = (padding: string, value: unknown) =>
  JSON.stringify(value, null, padding === '' ? undefined : padding);

/** Any JSON, with strings long enough for each way of skipping them. */
const anyJson = fc.oneof(
  fc.jsonValue({ maxDepth: 4 }),
  fc.string({ unit: 'binary', maxLength: 300 }),
  fc.string({ unit: fc.constantFrom('"', '\\', 'a', 'é', '\n'), maxLength: 300 }),
);
const chatBody = fc.record(
  {
    temperature: fc.double({ noDefaultInfinity: true, noNaN: true }),
    messages: anyJson,
    model: fc.string({ unit: 'binary', minLength: 1, maxLength: 20 }),
    stream: fc.boolean(),
    max_tokens: fc.nat(),
    tools: anyJson,
    stream_options: fc.constantFrom(null, {}, { include_usage: false }, { other: [1] }),
  },
  { requiredKeys: ['model'] },
);

const deep = (open: string, close: string) =>
  `{"model":"a","x":${open.repeat(100_000)}1${close.repeat(100_000)}}`;

describe('peek', () => {
  it('sees the routing keys that JSON.parse sees, in whatever layout', () => {
    fc.assert(
      fc.property(chatBody, fc.constantFrom('', ' ', '\t', '\r\n '), (body, padding) => {
        const text = padded(padding, body);
        fc.pre(Buffer.from(text).toString() === text);
        const seen = accepted(text);
        const parsed = JSON.parse(text);
        assert.equal(seen.model, parsed.model);
        assert.equal(seen.isStream, parsed.stream ?? false);
        assert.equal(seen.maxTokens, parsed.max_tokens ?? null);
        const bytes = Buffer.from(text);
        const { start, end } = seen.modelSpan;
        assert.equal(JSON.parse(bytes.toString('utf8', start, end)), parsed.model);
        // Another name in the very span changes the model and nothing else.
        const renamed = [bytes.subarray(0, start), Buffer.from('"other"'), bytes.subarray(end)];
        const reparsed = JSON.parse(Buffer.concat(renamed).toString());
        assert.deepEqual(reparsed, { ...parsed, model: 'other' });
      }),
      { numRuns: runs },
    );
  });

  it('accepts a damaged body exactly when JSON.parse does', () => {
    // Escapes and control characters inside strings are left to the upstream, so no damage of
    // that kind.
    const damage = fc.constantFrom(...'{}[],:"0123456789-+.eEtrufalsn '.split(''));
    const simple = fc.record({
      model: fc.constant('m'),
      x: fc.jsonValue({ maxDepth: 3, stringUnit: fc.constantFrom('a', '{', ']', ',', ' ') }),
    });
    fc.assert(
      fc.property(simple, fc.nat(), fc.nat(2), damage, (body, where, removed, added) => {
        const text = JSON.stringify(body);
        const at = where % text.length;
        const damaged = text.slice(0, at) + added + text.slice(at + removed);
        const keys = damaged.match(/"model"/g) ?? [];
        fc.pre(keys.length === 1);
        const result = peekText(damaged);
        let parsed: unknown;
        try {
          parsed = JSON.parse(damaged);
        } catch {
          assert.ok(isPeekRefusal(result), `accepted ${damaged}`);
          return;
        }
        const hasModel =
          typeof parsed === 'object' && parsed !== null && 'model' in parsed && !('n' in parsed);
        fc.pre(hasModel);
        assert.equal(
          isPeekRefusal(result) ? undefined : result.model,
          typeof parsed === 'object' && parsed !== null && 'model' in parsed && parsed.model !== ''
            ? parsed.model
            : undefined,
        );
      }),
      { numRuns: runs },
    );
  });

  it('refuses a routing key that is given twice, escaped or in another case', () => {
    const ambiguous = [
      '{"model":"a","model":"b"}',
      '{"model":"a","mod\\u0065l":"b"}',
      '{"mod\\u0065l":"b"}',
      '{"model":"a","Model":"b"}',
      '{"model":"a","stream":true,"\u017Ftream":false}',
      '{"model":"a","max_to\u212Aens":1}',
      '{"model":"a","n":1,"N":2}',
      '{"model":"a","stream":true,"stream_options":{"include_usage":true,"include_usage":false}}',
    ];
    for (const text of ambiguous) assert.equal(refused(text).ambiguous, true, text);
  });

  it('ignores similar keys outside the top level', () => {
    assert.equal(accepted('{"model":"a","messages":[{"model":"b","Model":"c"}]}').model, 'a');
    assert.equal(accepted('{"model":"a","models":[],"user":"x","user":"y"}').model, 'a');
  });

  it('refuses a body that is not a JSON object', () => {
    const malformed = [
      '',
      '[]',
      '"model"',
      '{',
      '{"model":"a"',
      '{"model":"a"}x',
      '{"model":"a",}',
    ];
    malformed.push('\uFEFF{"model":"a"}', "{'model':'a'}", '{"model":"a"//\n}', '{"model":tru}');
    for (const text of malformed) refused(text);
    assert.ok(isPeekRefusal(peek(Buffer.from([0x7b, 0x22, 0xc3, 0x22, 0x7d]))));
  });

  it('refuses nesting beyond its bound, whatever its kind', () => {
    refused(deep('[', ']'));
    refused(deep('{"a":', '}'));
  });

  it('names the field whose value has the wrong type, and the value', () => {
    for (const [text, param, message] of [
      ['{"messages":[]}', 'model', 'model must be a non-empty string, not null'],
      ['{"model":""}', 'model', 'model must be a non-empty string, not ""'],
      ['{"model":7}', 'model', 'model must be a non-empty string, not 7'],
      ['{"model":"a","stream":"true"}', 'stream', 'stream must be true or false, not "true"'],
      ['{"model":"a","stream":1}', 'stream', 'stream must be true or false, not 1'],
      [
        '{"model":"a","max_tokens":"9"}',
        'max_tokens',
        'max_tokens must be a whole number, not "9"',
      ],
      [
        '{"model":"a","max_tokens":1.5}',
        'max_tokens',
        'max_tokens must be a whole number, not 1.5',
      ],
      ['{"model":"a","n":[ 1 ]}', 'n', 'n must be a whole number, not [ 1 ]'],
      [
        '{"model":"a","stream_options":[]}',
        'stream_options',
        'stream_options must be an object, not []',
      ],
    ] as const) {
      assert.deepEqual(refused(text), { ambiguous: false, message, param });
    }
    const long = refused(`{"model":"a","n":"${'ü'.repeat(5000)}"}`);
    assert.ok(long.message.length < 150, 'of a long value as much as a message holds');
  });

  it('reads the newest spelling of the generation length', () => {
    assert.equal(accepted('{"model":"a","max_completion_tokens":5,"max_tokens":9}').maxTokens, 5);
    assert.equal(accepted('{"model":"a","max_output_tokens":7,"max_tokens":null}').maxTokens, 7);
    assert.equal(accepted('{"model":"a","max_tokens":-1}').maxTokens, null);
  });

  it('decodes an escaped name', () => {
    assert.equal(accepted('{"model":"a\\u002fb\\n"}').model, 'a/b\n');
  });

  it('counts four bytes a token, rounded up, and none inside data: URLs', () => {
    const plain = '{"model":"a","x":"hello"}';
    assert.equal(accepted(plain).promptEstimate, Math.ceil(plain.length / 4));
    const url = `data:image/png;base64,${'A'.repeat(4000)}`;
    const image = JSON.stringify({ model: 'a', x: { url } });
    const rest = Math.ceil((image.length - url.length) / 4);
    assert.equal(accepted(image).promptEstimate, rest);
    const text = JSON.stringify({ model: 'a', x: 'data: one, two and three' });
    assert.equal(accepted(text).promptEstimate, Math.ceil(text.length / 4));
  });

  it('counts no media in plain base64, and text that stands where media do', () => {
    const data = 'iVBORw0KGgo/'.repeat(100);
    const media = JSON.stringify({ model: 'a', x: [{ source: { type: 'base64', data } }] });
    const rest = Math.ceil((media.length - data.length) / 4);
    assert.equal(accepted(media).promptEstimate, rest);
    const words = 'Once upon a time '.repeat(100);
    for (const text of [
      JSON.stringify({ model: 'a', x: { data: words } }),
      JSON.stringify({ model: 'a', x: { text: data } }),
      JSON.stringify({ model: 'a', x: { data: [data] } }),
    ]) {
      assert.equal(accepted(text).promptEstimate, Math.ceil(text.length / 4));
    }
  });
});
