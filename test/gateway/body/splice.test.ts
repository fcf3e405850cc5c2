// Only the model's name and include_usage change on the way to the upstream; all other bytes are
// kept.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import * as fc from 'fast-check';

import { isPeekRefusal, peek } from '../../../src/gateway/body/peek.ts';
import { spliceBody } from '../../../src/gateway/body/splice.ts';

function spliced(text: string, model: string, includeUsage: boolean): string {
  const body = Buffer.from(text);
  const peeked = peek(body);
  assert.ok(!isPeekRefusal(peeked));
  const pieces = spliceBody(body, peeked, {
    model,
    modelJson: Buffer.from(JSON.stringify(model)),
    includeUsage,
  });
  return Buffer.concat(pieces).toString();
}

describe('spliceBody', () => {
  it('changes the name and the option, and nothing else that JSON.parse could see', () => {
    const body = fc.record(
      {
        messages: fc.jsonValue(),
        stream: fc.boolean(),
        stream_options: fc.constantFrom(null, {}, { include_usage: false }, { a: 1 }),
        model: fc.string({ minLength: 1 }),
        tail: fc.jsonValue(),
      },
      { requiredKeys: ['model', 'messages'] },
    );
    fc.assert(
      fc.property(body, fc.string(), fc.boolean(), (value, model, includeUsage) => {
        const before = JSON.parse(JSON.stringify(value));
        const after = JSON.parse(spliced(JSON.stringify(value, null, 1), model, includeUsage));
        const options =
          includeUsage && before.stream === true
            ? { stream_options: { ...before.stream_options, include_usage: true } }
            : {};
        assert.deepEqual(after, { ...before, ...options, model });
      }),
    );
  });

  it('keeps every byte outside its two spans', () => {
    const text = ' {"x" : 1.0e5, "model":"a" ,"big":12345678901234567890,"stream":true}\n';
    assert.equal(
      spliced(text, 'b/c', true),
      ' {"stream_options":{"include_usage":true},' +
        '"x" : 1.0e5, "model":"b/c" ,"big":12345678901234567890,"stream":true}\n',
    );
    const asked = '{"stream_options": {"include_usage" : false , "k":0},"stream":true,"model":"a"}';
    assert.equal(spliced(asked, 'a', true), asked.replace('false', 'true'));
  });

  it('answers the very same bytes when nothing changes', () => {
    const body = Buffer.from('{"model":"a","stream":true,"stream_options":{"include_usage":true}}');
    const peeked = peek(body);
    assert.ok(!isPeekRefusal(peeked));
    const name = { model: 'a', modelJson: Buffer.from('"a"') };
    assert.deepEqual(spliceBody(body, peeked, { ...name, includeUsage: true }), [body]);
    const plain = Buffer.from('{"model":"a","stream":false}');
    const plainPeeked = peek(plain);
    assert.ok(!isPeekRefusal(plainPeeked));
    assert.deepEqual(spliceBody(plain, plainPeeked, { ...name, includeUsage: true }), [plain]);
  });
});
