// Tests that files and the admin API apply the same rules to names, texts and parts of an endpoint.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { readDocument } from '../../../src/snapshot/file/document.ts';
import { issueText, readSource } from '../../../src/snapshot/file/source.ts';

/** JSON is YAML, and can escape invisible characters. */
function errorsOf(file: object): readonly string[] {
  const parameters = { model: 'q', api_base: 'http://e/v1' };
  const whole = { model_list: [{ model_name: 'm', litellm_params: parameters }], ...file };
  return readDocument(readSource(JSON.stringify(whole), {}), {
    environment: {},
    masterKey: null,
  }).errors.map(issueText);
}

const models = (name: string, change: object = {}) => ({
  model_list: [
    { model_name: name, litellm_params: { model: 'q', api_base: 'http://e/v1', ...change } },
  ],
});
const key = (change: object) => ({ auth: { keys: [{ key: 'k', ...change }] } });
const rule = (change: object) => ({
  gw: { frontend_models: [{ name: 'f', rules: [{ targets: ['m'], ...change }] }] },
});
const promptClass = (change: object) => ({ gw: { prompt_classes: [{ name: 'c', ...change }] } });
const manyHeaders = Object.fromEntries(Array.from({ length: 21 }, (_, at) => [`x-${at}`, 'v']));

const refused: readonly (readonly [what: string, file: object, RegExp])[] = [
  ['a control character in a name', models('a\u0000b'), /^model_list\[0\]\.model_name: must not c/],
  ['a turn of direction in a name', models('a\u202Eb'), /model_name: must not contain control/],
  ['a blank at the end of a name', models('a '), /model_name: must not begin or end with a blank/],
  [
    'a name that is not composed',
    models('e\u0301'),
    /model_name: must be in Unicode normal form C/,
  ],
  ['a name that is too long', models('a'.repeat(201)), /model_name/],
  ['an upstream name with a line break', models('a', { model: 'a\nb' }), /litellm_params\.model/],
  [
    'an auth header that frames a message',
    models('a', { auth_header: 'Host' }),
    /auth_header: is a/,
  ],
  [
    'an auth scheme of two words',
    models('a', { auth_scheme: 'Bearer x' }),
    /auth_scheme: must be one/,
  ],
  [
    'an address that is too long',
    models('a', { api_base: `http://${'e'.repeat(2_000)}` }),
    /api_base/,
  ],
  [
    'a key whose role would have too long a name',
    key({ name: 'k'.repeat(194) }),
    /keys\[0\]\.name/,
  ],
  [
    'a time that no calendar has',
    key({ expires_at: '0000-01-01T00:00:00Z' }),
    /expires_at: must be/,
  ],
  ['a time beyond the last year', key({ expires_at: '9999-12-31T23:59:59-15:59' }), /expires_at/],
  ['an alias that is a wildcard', { router_settings: { model_group_alias: { '*': 'm' } } }, /\*/],
  [
    'a role that is a step in a path',
    { gw: { roles: [{ name: '..' }] } },
    /must not be \. or \.\./,
  ],
  ['a condition on a credential', rule({ headers: { 'X-Api-Key': 's' } }), /contains a credential/],
  [
    'more conditions on headers than may be',
    rule({ headers: manyHeaders }),
    /at most 20 headers are allowed/,
  ],
  ['a tag that breaks the line', rule({ tag: 'a\nb' }), /tag: must not contain control characters/],
  ['an empty message', rule({ deny_message: '' }), /deny_message/],
  ['a blank example', promptClass({ examples: [' '] }), /examples\[0\]: must not be blank/],
  ['an example that is too long', promptClass({ examples: ['x'.repeat(8_001)] }), /examples\[0\]/],
  [
    'a label of an example that is too long',
    promptClass({ examples: [{ prompt: 'a', label: 'x'.repeat(101) }] }),
    /examples\[0\]\.label/,
  ],
  ['half a surrogate pair in an example', promptClass({ examples: ['\uD800'] }), /well-formed/],
];

describe('a file is refused for', () => {
  for (const [what, file, message] of refused) {
    it(what, () => {
      const errors = errorsOf(file);
      assert.match(errors.join('\n'), message);
    });
  }
});

it('a description may run over several lines, which are one', () => {
  const source = `
model_list:
  - model_name: m
    litellm_params: { model: q, api_base: http://e/v1 }
    model_info:
      description: |
        large
          and slow
`;
  const { document } = readDocument(readSource(source, {}), { environment: {}, masterKey: null });
  assert.equal(document?.entries[0]?.facts.description, 'large and slow');
});
