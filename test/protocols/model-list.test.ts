// Tests the shapes of providers' model lists and the context lengths that they report.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { protocol as protocols } from '../../src/lib/vocabulary.ts';
import { protocolFacts } from '../../src/protocols/facts.ts';
import { readModelList } from '../../src/protocols/model-list.ts';

/** The protocols for which the body is an empty model list. */
const readAsEmpty = (body: string) =>
  protocols.options.filter((protocol) => readModelList(body, protocol)?.length === 0);

describe('the shapes of a model list', () => {
  for (const [body, ids] of [
    ['[{"id":"a"},{"id":"b"}]', ['a', 'b']],
    ['{"object":"list","data":null}', []],
    ['{"data":[]}', []],
    ['{"models":[{"name":"models/gemini-pro"}]}', ['gemini-pro']],
    ['{"publisherModels":[{"name":"publishers/google/models/g"}]}', ['g']],
    ['{"result":[{"id":"0f1e","name":"@cf/meta/llama"}]}', ['@cf/meta/llama']],
    ['{"data":[{"id":"a"},{"id":"a"},{"id":7},null]}', ['a']],
  ] as const) {
    it(`reads ${body}`, () =>
      assert.deepEqual(
        readModelList(body, 'openai')?.map(({ id }) => id),
        ids,
      ));
  }

  it('is none when the body is something else', () => {
    for (const body of ['', 'null', '{}', '{"data":{}}', '"text"']) {
      assert.equal(readModelList(body, 'openai'), null);
    }
  });

  it('is none for any protocol when no entry names a model', () => {
    const entries = ['[{"x":1}]', '["a"]', '[{"id":5}]', '[{"id":""}]', '[null]'];
    for (const protocol of protocols.options) {
      for (const list of entries) {
        for (const body of [list, `{"data":${list}}`, `{"models":${list}}`]) {
          assert.equal(readModelList(body, protocol), null, `${protocol} ${body}`);
        }
      }
      assert.equal(readModelList('[]', protocol), null, protocol);
      assert.equal(readModelList('{"data":null}', protocol), null, protocol);
    }
  });

  it('may be empty in the shape of its own protocol alone', () => {
    assert.deepEqual(readAsEmpty('{"data":[]}'), ['openai', 'anthropic']);
    assert.deepEqual(readAsEmpty('{"models":[]}'), ['gemini']);
  });
});

describe('the window of an entry', () => {
  for (const [entry, window] of [
    ['"max_model_len":4096', 4096],
    ['"context_length":8192', 8192],
    ['"max_model_len":4096,"context_length":8192', 4096],
    ['"inputTokenLimit":1048576', 1048576],
    ['"max_input_tokens":200000', 200000],
    ['"max_model_len":0', null],
    ['"max_model_len":"4096"', null],
    ['"owned_by":"vllm"', null],
  ] as const) {
    it(`is ${window} for ${entry}`, () => {
      const [served] = readModelList(`{"data":[{"id":"a",${entry}}]}`, 'openai') ?? [];
      assert.equal(served?.contextLength, window);
    });
  }
});

describe('the path of a model list', () => {
  for (const [protocol, basePath, path] of [
    ['openai', '/v1', 'models'],
    ['openai', '/openai/v1beta', 'models'],
    ['gemini', '/v1beta', 'models'],
    ['anthropic', '/v1', 'models'],
    ['anthropic', '/v1/', 'models'],
    ['anthropic', '', 'v1/models'],
    ['anthropic', '/proxy', 'v1/models'],
  ] as const) {
    it(`is ${path} below ${basePath || '/'} of ${protocol}`, () => {
      assert.equal(protocolFacts[protocol].modelList.pathBelow(basePath), path);
    });
  }
});
