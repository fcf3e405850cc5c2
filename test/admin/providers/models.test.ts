// Tests provider models, backends and the fallback model over HTTP.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { errorOf, member, testAdministrator } from '../../harness/admin/admin.ts';
import { listedProvider } from '../../harness/upstream/model-list.ts';

const bare = {
  id: 1,
  name: 'small',
  description: null,
  input_price_per_mtok: null,
  output_price_per_mtok: null,
  price_card: null,
  cache_ttl_seconds: null,
  context_length: null,
  drop_unsupported_tools: null,
  provider_id: null,
  provider_name: null,
  backends: [],
  closed: false,
};

describe('a price card', () => {
  const card = {
    cache_read: 300_000,
    tool_calls: { web_search: 10_000 },
    service_tiers: { batch: { percent: 50 } },
    context_tiers: [{ above_tokens: 200_000, input: 6_000_000, output: 22_500_000 }],
    fallbacks: { input_image: 'input' },
  };

  it('is created, read, replaced and cleared with its model', async (t) => {
    const { send } = await testAdministrator(t);
    const prices = { input_price_per_mtok: 3_000_000, price_card: card };
    const created = await send('POST', '/admin/models', { name: 'small', ...prices });
    assert.deepEqual(member(created.body, 'price_card'), card);
    const path = '/admin/models/1';
    const listed = await send('GET', '/admin/models');
    assert.ok(JSON.stringify(listed.body).includes(JSON.stringify(card.service_tiers)));
    const replaced = await send('PATCH', path, { price_card: { cache_read: 1 } });
    assert.deepEqual(member(replaced.body, 'price_card'), { cache_read: 1 });
    const kept = await send('PATCH', path, { output_price_per_mtok: 15_000_000 });
    assert.deepEqual(member(kept.body, 'price_card'), { cache_read: 1 });
    const cleared = await send('PATCH', path, { price_card: null });
    assert.equal(member(cleared.body, 'price_card'), null);
    assert.equal(member(cleared.body, 'input_price_per_mtok'), 3_000_000);
  });

  it('is refused with the field and its value', async (t) => {
    const { send } = await testAdministrator(t);
    await send('POST', '/admin/models', { name: 'small' });
    const messageOf = async (price_card: unknown) => {
      const { status, body } = await send('PATCH', '/admin/models/1', { price_card });
      assert.equal(status, 400);
      return String(member(member(body, 'error'), 'message'));
    };
    assert.match(await messageOf({ cache_raed: 1 }), /price_card.*cache_raed/);
    assert.match(
      await messageOf({ fallbacks: { cache_write_1h: 'cache_write_5m' } }),
      /price_card\.fallbacks\.cache_write_1h: must name a price of this card/,
    );
    const tiers = [{ above_tokens: 2 }, { above_tokens: 1 }];
    assert.match(await messageOf({ context_tiers: tiers }), /above_tokens: must be more than 2.*1/);
    assert.match(await messageOf({ currency: 'UDS' }), /price_card\.currency: .* was UDS/);
  });
});

describe('a model', () => {
  it('without a provider has no backends, under both names of the path', async (t) => {
    const { send } = await testAdministrator(t);
    const listed = [{ ...bare, version: 1 }];
    assert.deepEqual((await send('POST', '/admin/models', { name: 'small' })).body, listed[0]);
    assert.deepEqual((await send('GET', '/admin/models')).body, listed);
    assert.deepEqual((await send('GET', '/admin/provider-models')).body, listed);
    const again = await send('POST', '/admin/provider-models', { name: 'small' });
    assert.deepEqual(errorOf(again), [409, 'conflict', 'name']);
  });

  it('keeps absent fields, clears null ones, and refuses invalid values', async (t) => {
    const { send } = await testAdministrator(t);
    await send('POST', '/admin/models', { name: 'small', input_price_per_mtok: 3_000_000 });
    const path = '/admin/provider-models/1';
    const set = await send('PATCH', path, { context_length: 4096, cache_ttl_seconds: 60 });
    assert.deepEqual(set.body, {
      ...bare,
      version: 4,
      input_price_per_mtok: 3_000_000,
      context_length: 4096,
      cache_ttl_seconds: 60,
    });
    const cleared = await send('PATCH', path, { input_price_per_mtok: null, description: 'd' });
    assert.deepEqual(cleared.body, {
      ...bare,
      version: 6,
      context_length: 4096,
      cache_ttl_seconds: 60,
      description: 'd',
    });
    const flagged = await send('PATCH', path, { drop_unsupported_tools: true });
    assert.deepEqual(flagged.body, {
      ...bare,
      version: 7,
      context_length: 4096,
      cache_ttl_seconds: 60,
      description: 'd',
      drop_unsupported_tools: true,
    });
    for (const field of ['context_length', 'input_price_per_mtok', 'cache_ttl_seconds']) {
      const refused = await send('PATCH', path, { [field]: field.endsWith('mtok') ? -1 : 0 });
      assert.deepEqual(errorOf(refused), [400, 'invalid', field]);
    }
    assert.equal((await send('PATCH', '/admin/models/9', {})).status, 404);
    assert.deepEqual((await send('DELETE', path)).body, { id: 1 });
    assert.equal((await send('DELETE', path)).status, 404);
  });
});

describe('a backend', () => {
  it('is created once from an existing provider, with the id of its model', async (t) => {
    const { send } = await testAdministrator(t);
    const { apiBase } = await listedProvider(t);
    await send('POST', '/admin/providers', { name: 'engine', api_base: apiBase });
    await send('POST', '/admin/models', { name: 'small' });
    const attached = await send('POST', '/admin/models/1/backends', { provider_id: 1 });
    assert.deepEqual(attached.body, {
      id: 1,
      provider_model_id: 1,
      provider_id: 1,
      provider_name: 'engine',
      api_base: apiBase,
      protocol: 'openai',
      auth_header: 'authorization',
      auth_scheme: 'Bearer',
      credential_kind: 'static',
      has_upstream_api_key: false,
      upstream_model: 'small',
      default_max_tokens: null,
      admission_max_concurrent: null,
      admission_high_water: null,
      admission_max_queued: null,
      admission_max_wait_seconds: null,
      upstream_timeout_seconds: null,
    });
    const listed = await send('GET', '/admin/models');
    assert.ok(Array.isArray(listed.body));
    assert.deepEqual(member(listed.body[0], 'backends'), [attached.body]);
    const again = await send('POST', '/admin/models/1/backends', { provider_id: 1 });
    assert.deepEqual(errorOf(again), [409, 'conflict', null]);
    assert.deepEqual((await send('DELETE', '/admin/backends/1')).body, { id: 1 });
    assert.equal((await send('DELETE', '/admin/backends/1')).status, 404);
  });

  it('is created with its provider at once, or not at all', async (t) => {
    const { send } = await testAdministrator(t);
    const { apiBase } = await listedProvider(t);
    await send('POST', '/admin/providers', { name: 'Engine', api_base: apiBase });
    const whole = { name: 'qwen', provider_id: 1, upstream_model: 'Qwen/Qwen3' };
    const made = await send('POST', '/admin/provider-models', whole);
    assert.deepEqual([made.status, member(made.body, 'provider_name')], [200, 'Engine']);
    const lone = await send('POST', '/admin/provider-models', { name: 'a', upstream_model: 'b' });
    assert.deepEqual(errorOf(lone), [400, 'invalid', 'upstream_model']);
    const gone = await send('POST', '/admin/provider-models', { name: 'a', provider_id: 9 });
    assert.deepEqual(errorOf(gone), [400, 'invalid', 'provider_id']);
    const { body } = await send('GET', '/admin/provider-models');
    assert.equal(Array.isArray(body) ? body.length : null, 1);
  });

  it('is created from an endpoint, whose provider is found or created', async (t) => {
    const { send } = await testAdministrator(t);
    const { apiBase, seen } = await listedProvider(t, { key: 'k' });
    for (const name of ['one', 'two']) await send('POST', '/admin/models', { name });
    const endpoint = { api_base: apiBase, upstream_api_key: 'k', upstream_model: 'u' };
    const first = await send('POST', '/admin/models/1/backends', endpoint);
    const second = await send('POST', '/admin/models/2/backends', endpoint);
    assert.equal(member(first.body, 'provider_id'), member(second.body, 'provider_id'));
    assert.equal(seen.length, 1);
    const wrong = { ...endpoint, upstream_api_key: 'wrong' };
    await send('POST', '/admin/models', { name: 'three' });
    const refused = await send('POST', '/admin/models/3/backends', wrong);
    assert.deepEqual(errorOf(refused), [400, 'invalid', 'upstream_api_key']);
  });

  it('requires either a provider or an endpoint, and it must exist', async (t) => {
    const { send } = await testAdministrator(t);
    await send('POST', '/admin/models', { name: 'small' });
    const path = '/admin/models/1/backends';
    for (const extra of [
      { api_base: 'http://a.example' },
      { protocol: 'openai' },
      { auth_header: 'x-key' },
      { auth_scheme: '' },
      { upstream_api_key: 'k' },
    ]) {
      const refused = await send('POST', path, { provider_id: 1, ...extra });
      assert.deepEqual(errorOf(refused), [400, 'invalid', Object.keys(extra)[0]]);
    }
    assert.deepEqual(errorOf(await send('POST', path, {})), [400, 'invalid', 'provider_id']);
    const unknown = await send('POST', path, { provider_id: 7 });
    assert.deepEqual(errorOf(unknown), [400, 'invalid', 'provider_id']);
    assert.equal((await send('POST', '/admin/models/9/backends', { provider_id: 7 })).status, 404);
  });

  it('takes flow control in whole numbers, and null for the default', async (t) => {
    const { send } = await testAdministrator(t);
    const { apiBase } = await listedProvider(t);
    await send('POST', '/admin/models', { name: 'small' });
    assert.equal((await send('PATCH', '/admin/backends/1', {})).status, 404);
    await send('POST', '/admin/models/1/backends', { api_base: apiBase });
    const gate = { admission_max_concurrent: 8, admission_max_queued: 0 };
    const set = await send('PATCH', '/admin/backends/1', gate);
    assert.equal(member(set.body, 'admission_max_concurrent'), 8);
    const off = await send('PATCH', '/admin/backends/1', { admission_max_concurrent: null });
    assert.deepEqual(
      [member(off.body, 'admission_max_concurrent'), member(off.body, 'admission_max_queued')],
      [null, 0],
    );
    for (const value of [0, 1.5, -1, '8']) {
      const refused = await send('PATCH', '/admin/backends/1', { admission_max_concurrent: value });
      assert.deepEqual(errorOf(refused), [400, 'invalid', 'admission_max_concurrent']);
    }
  });

  it('has its own default for max_tokens; null clears it', async (t) => {
    const { send } = await testAdministrator(t);
    const { apiBase } = await listedProvider(t);
    await send('POST', '/admin/models', { name: 'small' });
    const attachment = { api_base: apiBase, default_max_tokens: 64 };
    await send('POST', '/admin/models/1/backends', attachment);
    for (const value of [128, null]) {
      const set = await send('PATCH', '/admin/backends/1', { default_max_tokens: value });
      assert.equal(member(set.body, 'default_max_tokens'), value);
      const listed = await send('GET', '/admin/models');
      assert.ok(Array.isArray(listed.body));
      assert.deepEqual(member(listed.body[0], 'backends'), [set.body]);
    }
    for (const value of [0, -1, 1.5, '8']) {
      const refused = await send('PATCH', '/admin/backends/1', { default_max_tokens: value });
      assert.deepEqual(errorOf(refused), [400, 'invalid', 'default_max_tokens']);
    }
  });
});

it('the fallback model is set, cleared, and cleared by the deletion of its model', async (t) => {
  const { send } = await testAdministrator(t);
  const path = '/admin/fallback-model';
  const unset = { model_id: null, model: null, id: null, name: null };
  assert.deepEqual((await send('GET', path)).body, unset);
  assert.deepEqual(errorOf(await send('PUT', path, { model_id: 9 })), [400, 'invalid', 'model_id']);
  await send('POST', '/admin/models', { name: 'small' });
  const set = await send('PUT', path, { model_id: 1 });
  assert.deepEqual(set.body, { model_id: 1, model: 'small', id: 1, name: 'small' });
  assert.deepEqual((await send('GET', path)).body, set.body);
  assert.deepEqual(errorOf(await send('PUT', path, {})), [400, 'invalid', 'model_id']);
  const both = await send('PUT', path, { model_id: 1, provider_model_id: 1 });
  assert.deepEqual(errorOf(both), [400, 'invalid', 'provider_model_id']);
  assert.deepEqual((await send('PUT', path, { provider_model_id: null })).body, unset);
  assert.deepEqual((await send('PUT', path, { provider_model_id: 1 })).body, set.body);
  await send('DELETE', '/admin/models/1');
  assert.deepEqual((await send('GET', path)).body, unset);
});
