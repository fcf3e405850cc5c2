// Tests the naming rule of providers that hosts register (specification, "Host-registration
// agent").

import assert from 'node:assert/strict';
import { it } from 'node:test';

import { portOf, providerName } from '../../src/agent/names.ts';
import type { NameParts } from '../../src/agent/names.ts';

const parts = (given: Partial<NameParts>): NameParts => ({
  first: 'host',
  node: null,
  model: 'm',
  port: 8000,
  ...given,
});

const names: readonly (readonly [string, Partial<NameParts>, string])[] = [
  ['host, model and port', { first: 'gpu1', model: 'qwen3-8b' }, 'gpu1-qwen3-8b-8000'],
  [
    'cluster, node, model and port',
    { first: 'c1', node: 'n7', model: 'llama' },
    'c1-n7-llama-8000',
  ],
  ['each part in lower case', { first: 'GPU1', model: 'Qwen3' }, 'gpu1-qwen3-8000'],
  [
    'a dash for each other character',
    { first: 'rack 3_a', model: 'Qwen/Qwen3:8B' },
    'rack-3-a-qwen-qwen3-8b-8000',
  ],
  ['dots kept', { first: 'gpu1.example', model: 'llama-3.1' }, 'gpu1.example-llama-3.1-8000'],
  ['one dash for a character beyond ASCII', { first: 'gpü', model: '模😀' }, 'gp-----8000'],
  ['no model', { model: null }, 'host-8000'],
  ['no cluster', { first: null, node: 'n7' }, 'n7-m-8000'],
  ['no cluster and no node', { first: null }, 'm-8000'],
  ['the port alone', { first: null, model: null }, '8000'],
  ['an empty part as one that is not known', { first: '', model: '' }, '8000'],
];

for (const [what, given, name] of names) {
  it(`a provider's name has ${what}`, () => assert.equal(providerName(parts(given)), name));
}

it('shortens the model of a name that is too long, never its port', () => {
  const name = providerName(parts({ model: 'x'.repeat(500) }));
  assert.equal(name.length, 200);
  assert.match(name, /^host-x+-8000$/);
  const long = providerName(parts({ first: 'y'.repeat(500), node: 'n' }));
  assert.equal(long.length <= 200, true);
  assert.match(long, /^y+-8000$/);
});

it('uses the default port of the scheme if an address has none', () => {
  assert.deepEqual(
    ['http://a/v1', 'https://a/v1', 'http://[::1]:9/v1', 'https://a:80/v1'].map(portOf),
    [80, 443, 9, 80],
  );
});
