// Tests that a compiled snapshot decides who may call what, and drops only the broken parts.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { isRefusal } from '../../src/lib/refusal.ts';
import { compileSnapshot } from '../../src/snapshot/compile.ts';
import { mayInvoke } from '../../src/snapshot/compile/callers.ts';
import { snapshotOverlay } from '../../src/snapshot/schema.ts';
import { pricesAt } from '../../src/usage/price-versions.ts';
import { givenSnapshot } from '../harness/gateway/snapshot.ts';
import type { GivenSnapshot } from '../harness/gateway/snapshot.ts';

function compile(options: Parameters<typeof givenSnapshot>[0]) {
  const compiled = compileSnapshot(givenSnapshot(options));
  assert.ok(!isRefusal(compiled));
  return compiled;
}

const backends = [{ apiBase: 'http://one/v1' }];
const models = { 'qwen-a': { backends }, 'qwen-b': { backends }, other: { backends } };

const reachOf = (resources: readonly string[]) => {
  const compiled = compile({ models, keys: { key: { grants: resources } } });
  const [caller] = compiled.callers.values();
  assert.ok(caller !== undefined);
  return [...compiled.models.values()].flatMap((model) =>
    mayInvoke(caller, model) ? [model.name] : [],
  );
};

it('applies the base prices of a file until its scheduled card begins', () => {
  const priceCard = { per_request: 5, effective_from: '2030-01-01T00:00:00.000Z' };
  const { models } = compile({ models: { small: { backends, prices: [1, 2], priceCard } } });
  const prices = models.get('small')?.prices ?? [];
  const startMs = Date.parse(priceCard.effective_from);
  assert.equal(pricesAt(prices, startMs - 1)?.card, null);
  assert.deepEqual(pricesAt(prices, startMs)?.card, priceCard);
});

/** A model whose provider uses a key file, with its entry in the overlay. */
function serviceAccount(overlay: Record<string, readonly unknown[]>) {
  const given = givenSnapshot({
    models: { a: { backends: [{ apiBase: 'http://one/v1', credential: 'a key file' }] } },
  });
  const providers = given.config.providers.map((provider) => ({
    ...provider,
    credential_kind: 'cloud_service_account' as const,
  }));
  const compiled = compileSnapshot({
    ...given,
    config: { ...given.config, providers },
    overlay: snapshotOverlay.parse({ seq: 1, ...overlay }),
  });
  assert.ok(!isRefusal(compiled));
  return { backend: compiled.models.get('a')?.backends[0], dropped: compiled.dropped };
}

/** The models that a key with these grants may invoke if `one` was learned from a host. */
function reachOfLearned(resources: readonly string[], options: Partial<GivenSnapshot> = {}) {
  const snapshot = givenSnapshot({
    models: { one: { backends }, two: { backends } },
    keys: { key: { grants: resources } },
    ...options,
  });
  const all = snapshot.config.models.map((model) =>
    model.name === 'one' ? { ...model, learned: true as const } : model,
  );
  const compiled = compileSnapshot({ ...snapshot, config: { ...snapshot.config, models: all } });
  assert.ok(!isRefusal(compiled));
  const [caller] = compiled.callers.values();
  assert.ok(caller !== undefined);
  return [...compiled.models.values()].flatMap((model) =>
    mayInvoke(caller, model) ? [model.name] : [],
  );
}

const identity = (credential: string, version: number) =>
  compile({
    version,
    models: { a: { backends: [{ apiBase: 'http://one/v1', credential }] } },
  }).models.get('a')?.backends[0]?.identity;

describe('compileSnapshot', () => {
  it('grants a model by name, by prefix and by the star', () => {
    assert.deepEqual(reachOf(['model/other']), ['other']);
    assert.deepEqual(reachOf(['model/qwen*']), ['qwen-a', 'qwen-b']);
    assert.deepEqual(reachOf(['model/*']), ['qwen-a', 'qwen-b', 'other']);
    assert.deepEqual(reachOf(['model/absent', 'other', 'mcp/*']), []);
  });

  it('opens a learned model by its exact name, and by wildcards once something points at it', () => {
    assert.deepEqual(reachOfLearned(['model/*']), ['two']);
    assert.deepEqual(reachOfLearned(['model/o*', 'model/t*']), ['two']);
    assert.deepEqual(reachOfLearned(['model/one']), ['one']);
    assert.deepEqual(reachOfLearned(['model/*', 'model/one']), ['one', 'two']);
    const pointing: Partial<GivenSnapshot>[] = [
      { frontendModels: { chat: { defaults: ['one'] } } },
      { frontendModels: { chat: { rules: [{ targets: ['one'] }], defaults: ['two'] } } },
      { pools: { chat: { members: { one: 1 } } } },
      { fallback: 'one' },
    ];
    for (const options of pointing) {
      assert.deepEqual(reachOfLearned(['model/*'], options), ['one', 'two']);
    }
  });

  it('keeps grants apart beyond the bits of one word', () => {
    const many = Object.fromEntries(Array.from({ length: 100 }, (_, i) => [`m${i}`, { backends }]));
    const compiled = compile({
      models: many,
      keys: { key: { grants: ['model/m31', 'model/m64'] } },
    });
    const [caller] = compiled.callers.values();
    assert.ok(caller !== undefined);
    const reach = [...compiled.models.values()].filter((model) => mayInvoke(caller, model));
    assert.deepEqual(
      reach.map(({ name }) => name),
      ['m31', 'm64'],
    );
  });

  it('drops a backend alone when its credential is missing', () => {
    const snapshot = givenSnapshot({
      models: { a: { backends: [{ apiBase: 'http://one/v1', credential: 'x' }, ...backends] } },
    });
    const compiled = compileSnapshot({ ...snapshot, secrets: {} });
    assert.ok(!isRefusal(compiled));
    assert.equal(compiled.models.get('a')?.backends.length, 1);
    assert.equal(compiled.dropped.length, 1);
  });

  it('sends the access token of a service account, under one identity for all of its tokens', () => {
    const [one, two] = ['token-1', 'token-2'].map((token) =>
      serviceAccount({ tokens: [{ provider_id: 1, token }] }),
    );
    assert.deepEqual(one?.backend?.credentialHeaders, ['authorization', 'Bearer token-1']);
    assert.deepEqual(two?.backend?.credentialHeaders, ['authorization', 'Bearer token-2']);
    assert.equal(one?.backend?.identity, two?.backend?.identity);
  });

  it('drops the backends of a provider that the overlay drops, with its reason', () => {
    const dropped_providers = [{ provider_id: 1, reason: 'no token' }];
    const { backend, dropped } = serviceAccount({ dropped_providers });
    assert.equal(backend, undefined);
    assert.deepEqual(dropped, ['model a: provider provider-1 is out of routing: no token']);
  });

  it('never sends a key file, even where a snapshot holds it', () => {
    const { backend, dropped } = serviceAccount({});
    assert.equal(backend, undefined);
    assert.deepEqual(dropped, ['model a: the credential of provider provider-1 is missing']);
  });

  it('drops a key alone when its verifier is corrupt', () => {
    const snapshot = givenSnapshot({ models, keys: { one: {}, two: {} } });
    const compiled = compileSnapshot({
      ...snapshot,
      secrets: { ...snapshot.secrets, 'key-1': 'nonsense' },
    });
    assert.ok(!isRefusal(compiled));
    assert.equal(compiled.callers.size, 1);
  });

  it('refuses a schema that it does not know', () => {
    assert.ok(isRefusal(compileSnapshot({ ...givenSnapshot({ models }), schema: 99 })));
  });

  it('gives an endpoint that did not change the same identity in the next version', () => {
    assert.equal(identity('x', 1), identity('x', 2));
    assert.notEqual(identity('x', 1), identity('y', 1));
  });
});
