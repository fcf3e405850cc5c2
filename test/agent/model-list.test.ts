// Tests what is read from a model list: the model that names the provider, and the engine.

import assert from 'node:assert/strict';
import { it } from 'node:test';

import { readServed } from '../../src/agent/model-list.ts';

const list = (...data: readonly unknown[]): string => JSON.stringify({ object: 'list', data });

const cases: readonly (readonly [string, string, ReturnType<typeof readServed>])[] = [
  [
    'of vLLM',
    list({ id: 'Qwen/Qwen3-8B', owned_by: 'vllm', root: 'Qwen/Qwen3-8B', parent: null }),
    { model: 'Qwen/Qwen3-8B', engine: 'vllm' },
  ],
  ['of SGLang', list({ id: 'llama', owned_by: 'sglang' }), { model: 'llama', engine: 'sglang' }],
  [
    'of llama.cpp',
    list({ id: '/models/q.gguf', owned_by: 'llamacpp', meta: { n_ctx_train: 4096 } }),
    { model: '/models/q.gguf', engine: 'llama.cpp' },
  ],
  [
    'of a server that says a person made its model',
    list({ id: 'llama3:8b', owned_by: 'library' }),
    { model: 'llama3:8b', engine: null },
  ],
  [
    'with adapters, by the model that is none',
    list(
      { id: 'adapter', owned_by: 'vllm', parent: 'base' },
      { id: 'base', owned_by: 'vllm', parent: null },
    ),
    { model: 'base', engine: 'vllm' },
  ],
  [
    'in whatever order, by the first of the alphabet',
    list({ id: 'z' }, { id: 'b' }, { id: 'c' }),
    { model: 'b', engine: null },
  ],
  ['without models', list(), { model: null, engine: null }],
  ['with invalid entries', list(null, 3, { id: '' }, {}), { model: null, engine: null }],
  ['that is an array', '[]', null],
  ['whose data is not an array', '{"data":{}}', null],
  ['that is not JSON', '<html>', null],
];

for (const [what, text, served] of cases) {
  it(`a model list ${what}`, () => assert.deepEqual(readServed(text), served));
}
