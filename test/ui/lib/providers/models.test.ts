// Tests the logic of the models screen.

import assert from 'node:assert/strict';
import { it } from 'node:test';

import {
  attachBody,
  blankAttach,
  flowForm,
  flowText,
} from '../../../../ui/lib/providers/backend-draft.ts';
import { modelForm } from '../../../../ui/lib/providers/model-draft.ts';
import type { ModelDraft } from '../../../../ui/lib/providers/model-draft.ts';
import { readPrice } from '../../../../ui/lib/saves/typed.ts';
import { healthOf, modelStatesOf, usesOf } from '../../../../ui/lib/providers/model-use.ts';

const model = {
  name: 'gpt-nano',
  description: 'Small',
  input_price_per_mtok: 250_000,
  output_price_per_mtok: null,
  context_length: 8_192,
  cache_ttl_seconds: 60,
  drop_unsupported_tools: null,
  price_card: { cache_read: 25_000 },
};

it('reads a price in dollars; 0 is a price, and an empty field is unpriced', () => {
  assert.deepEqual(
    ['0.25', '$3', '1,000', '0', '0.00', '', ' ', '0.0000001', '-1', 'free', '9007199255'].map(
      readPrice,
    ),
    [250_000, 3_000_000, 1_000_000_000, 0, 0, null, null, ...Array<undefined>(4).fill(undefined)],
  );
});

it('sends an emptied field as null, and omits untouched fields', () => {
  const draft = modelForm.write(model);
  assert.deepEqual(modelForm.change(draft, model), { body: {} });
  assert.deepEqual(
    modelForm.change(
      { ...draft, input_price_per_mtok: '', cache_ttl_seconds: '', description: '' },
      model,
    ),
    { body: { description: null, input_price_per_mtok: null, cache_ttl_seconds: null } },
  );
  const record = { ...model, id: 7, version: 3 };
  assert.deepEqual(modelForm.change({ ...draft, output_price_per_mtok: '0' }, record), {
    body: { output_price_per_mtok: 0 },
  });
});

const wrongIn = (change: Partial<ModelDraft>): string | null => {
  const read = modelForm.read({ ...modelForm.blank, name: 'm', ...change });
  return 'wrong' in read ? read.wrong.field : null;
};

it('reports an invalid value at its field', () => {
  assert.equal(wrongIn({}), null);
  assert.equal(wrongIn({ input_price_per_mtok: 'much' }), 'input_price_per_mtok');
  assert.equal(wrongIn({ output_price_per_mtok: '1e3' }), 'output_price_per_mtok');
  assert.equal(wrongIn({ context_length: '0' }), 'context_length');
  assert.equal(wrongIn({ cache_ttl_seconds: '1.5' }), 'cache_ttl_seconds');
  assert.equal(wrongIn({ 'price_card.cache_read': 'cheap' }), 'price_card.cache_read');
});

it('a model is attached to a provider, or to an endpoint with its fields', () => {
  const draft = { ...blankAttach, api_base: ' https://engine.example/v1 ', auth_scheme: '' };
  assert.deepEqual(attachBody({ ...draft, provider_id: '3', upstream_model: ' gpt ' }), {
    provider_id: 3,
    upstream_model: 'gpt',
  });
  assert.deepEqual(attachBody(draft), {
    api_base: 'https://engine.example/v1',
    protocol: 'openai',
    auth_header: 'authorization',
    auth_scheme: null,
  });
});

const flow = {
  admission_max_concurrent: 16,
  admission_high_water: null,
  admission_max_queued: 8,
  admission_max_wait_seconds: null,
  upstream_timeout_seconds: 60,
  default_max_tokens: null,
};

it('flow control can have a queue of 0, and an empty field resets to the default', () => {
  const draft = flowForm.write(flow);
  assert.deepEqual(flowForm.change(draft, flow), { body: {} });
  assert.deepEqual(
    flowForm.change({ ...draft, admission_max_queued: '0', upstream_timeout_seconds: '' }, flow),
    { body: { admission_max_queued: 0, upstream_timeout_seconds: null } },
  );
  const refused = flowForm.change({ ...draft, admission_max_concurrent: '0' }, flow);
  assert.equal('wrong' in refused ? refused.wrong.field : null, 'admission_max_concurrent');
  assert.equal(flowText(flow), '16 concurrent, 8 queued');
  assert.equal(flowText({ ...flow, admission_max_queued: null }), '16 concurrent, 64 queued');
  assert.equal(flowText({ ...flow, admission_max_concurrent: null }), 'off');
});

const target = (provider_model_id: number | null, model_pool_id: number | null = null) => ({
  provider_model_id,
  model_pool_id,
});

it('a frontend model that uses a model by rule, default or pool is listed once', () => {
  const uses = usesOf(
    [
      {
        id: 1,
        name: 'chat',
        rules: [{ targets: [target(7)] }, { targets: [target(null, 4)] }],
        default_targets: [target(7)],
      },
      { id: 2, name: 'search', rules: [], default_targets: [target(8), target(null)] },
    ],
    [{ id: 4, name: 'pool', members: [{ provider_model_id: 7 }, { provider_model_id: 9 }] }],
  );
  assert.deepEqual(uses.get(7), {
    frontendModels: [{ id: 1, name: 'chat' }],
    pools: [{ id: 4, name: 'pool' }],
  });
  assert.deepEqual(uses.get(8)?.frontendModels, [{ id: 2, name: 'search' }]);
  assert.deepEqual(uses.get(9)?.frontendModels, [{ id: 1, name: 'chat' }]);
  assert.equal(uses.get(10), undefined);
});

it('health combines what replicas see, by address and upstream name', () => {
  const backend = { api_base: 'https://engine.example/v1', upstream_model: 'm' };
  const seen = (...healthy: readonly boolean[]) =>
    healthy.map((one) => ({ api_base: backend.api_base, model: 'm', healthy: one }));
  assert.equal(healthOf(null, seen(true)).word, 'no provider');
  const other = { ...backend, upstream_model: 'other' };
  assert.equal(healthOf(other, seen(true)).word, 'not reported');
  assert.equal(healthOf(backend, seen(true, true)).word, 'healthy');
  assert.equal(healthOf(backend, seen(false, false)).word, 'down');
  assert.equal(healthOf(backend, seen(true, false)).word, 'down on 1 of 2 replicas');
});

it('a model is listed under each missing part', () => {
  const health = { tone: 'warn', word: 'no provider' } as const;
  assert.deepEqual(modelStatesOf({ ...model, health }), ['unpriced', 'no provider']);
  const priced = { input_price_per_mtok: 0, output_price_per_mtok: 0 };
  assert.deepEqual(modelStatesOf({ ...priced, health: { tone: 'bad', word: 'down' } }), ['down']);
});
