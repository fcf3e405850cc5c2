// The response cache: what is answered from memory, what is stored, and within which bounds.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { entryBytesMax, ResponseCache } from '../../../src/gateway/cache/cache.ts';
import type { CacheBounds, CachedAnswer } from '../../../src/gateway/cache/cache.ts';
import { hashedBytesMax, cacheKeyOf } from '../../../src/gateway/cache/cache-key.ts';
import type { CacheKey, CacheableRequest } from '../../../src/gateway/cache/cache-key.ts';
import { routeAt } from '../../../src/gateway/routes.ts';
import { compileSnapshot } from '../../../src/snapshot/compile.ts';
import type { CompiledModel } from '../../../src/snapshot/compile/models.ts';
import { isRefusal } from '../../../src/lib/refusal.ts';
import { newCounts } from '../../../src/telemetry/metrics.ts';
import { givenSnapshot } from '../../harness/gateway/snapshot.ts';

function compiled(name: 'cached' | 'plain' | 'other'): CompiledModel {
  const backends = [{ apiBase: 'http://127.0.0.1:1' }];
  const models = {
    cached: { backends, cacheTtlSeconds: 60 },
    other: { backends, cacheTtlSeconds: 60 },
    plain: { backends },
  };
  const snapshot = compileSnapshot(givenSnapshot({ models }));
  assert.ok(!isRefusal(snapshot));
  const model = snapshot.models.get(name);
  assert.ok(model !== undefined);
  return model;
}

const model = compiled('cached');
const route = (path: string) => {
  const found = routeAt(path);
  assert.ok(found !== undefined);
  return found;
};
const question: CacheableRequest = {
  edition: 'one',
  proxied: route('/chat/completions'),
  model,
  isStream: false,
  body: Buffer.from('{"model":"cached"}'),
  headers: ['accept', '*/*', 'content-type', 'application/json', 'user-agent', 'a'],
};

const keyOf = (more: Partial<CacheableRequest> = {}): string | undefined =>
  cacheKeyOf({ ...question, ...more })?.key;

const place = (key: string, edition = 'one'): CacheKey => ({
  edition,
  key,
  model,
  ttlMs: 1000,
});

const answer = (bytes: number): CachedAnswer => ({
  status: 200,
  headers: [],
  body: Buffer.alloc(bytes),
  usage: null,
  providerId: model.backends[0]?.providerId ?? assert.fail(),
});

function open(bounds: Partial<CacheBounds> = {}) {
  const counts = newCounts().cache;
  const cache = new ResponseCache({ entriesMax: 10, bytesMax: 10_000_000, ...bounds }, counts);
  cache.serve('one');
  const has = (key: string, nowMs = 0): boolean => cache.find(place(key), nowMs) !== null;
  return { cache, counts, has };
}

describe('the key of a request', () => {
  it('depends on its route, its model and its body', () => {
    assert.equal(keyOf(), keyOf({ proxied: route('/v1/chat/completions') }));
    const others: Partial<CacheableRequest>[] = [
      { proxied: route('/completions') },
      { model: compiled('other') },
      { body: Buffer.from('{"model":"cached" }') },
      { body: Buffer.alloc(0) },
    ];
    const keys = new Set([keyOf(), ...others.map(keyOf)]);
    assert.equal(keys.size, others.length + 1);
  });

  it('includes a header only if its value differs from the default', () => {
    const same = [
      [],
      ['accept', 'application/json', 'accept-language', '*'],
      ['content-type', 'application/json; charset=utf-8'],
      ['user-agent', 'b', 'traceparent', 'c', 'idempotency-key', 'd', 'x-request-id', 'e'],
    ];
    for (const headers of same) assert.equal(keyOf({ headers }), keyOf(), headers.join());
    const others = [
      ['accept', 'text/plain'],
      ['accept-language', 'de'],
      ['content-type', 'text/plain'],
      ['anthropic-beta', 'a'],
      ['openai-organization', 'a'],
      ['openai-organization', 'b'],
    ].map((headers) => keyOf({ headers }));
    assert.equal(new Set([keyOf(), ...others]).size, others.length + 1);
  });

  it('does not exist for a stream, an oversized body, or a model without a time to live', () => {
    assert.equal(keyOf({ isStream: true }), undefined);
    assert.equal(keyOf({ model: compiled('plain') }), undefined);
    assert.equal(keyOf({ body: Buffer.alloc(hashedBytesMax + 1) }), undefined);
    assert.notEqual(keyOf({ body: Buffer.alloc(hashedBytesMax) }), undefined);
  });
});

describe('an answer', () => {
  it('is kept until its time to live is over', () => {
    const { cache, has, counts } = open();
    cache.store(place('a'), answer(1), 5000);
    assert.deepEqual([has('a', 5999), has('a', 6000), has('a', 5999)], [true, false, false]);
    assert.deepEqual(counts, { hit: 1, miss: 2, store: 1 });
    assert.deepEqual([cache.entries, cache.bytes], [0, 0]);
  });

  it('is replaced by a newer one, and counts once', () => {
    const { cache } = open();
    cache.store(place('a'), answer(1000), 0);
    cache.store(place('a'), answer(2), 0);
    assert.equal(cache.entries, 1);
    assert.ok(cache.bytes < 1000);
    assert.equal(cache.find(place('a'), 0)?.body.length, 2);
  });

  it('is dropped with the configuration that it was requested under', () => {
    const { cache, has } = open();
    cache.store(place('a'), answer(1), 0);
    cache.serve('one');
    assert.equal(has('a'), true);
    cache.serve('two');
    assert.deepEqual([cache.entries, cache.bytes], [0, 0]);
    cache.store(place('a'), answer(1), 0);
    assert.equal(cache.entries, 0);
    cache.store(place('a', 'two'), answer(1), 0);
    assert.equal(has('a'), false);
    assert.notEqual(cache.find(place('a', 'two'), 0), null);
  });
});

describe('a full cache', () => {
  it('drops the least recently used answers', () => {
    const { cache, has } = open({ entriesMax: 2 });
    cache.store(place('a'), answer(1), 0);
    cache.store(place('b'), answer(1), 0);
    assert.equal(has('a'), true);
    cache.store(place('c'), answer(1), 0);
    assert.deepEqual([has('b'), has('a'), has('c')], [false, true, true]);
  });

  it('drops expired answers first', () => {
    const { cache, has } = open({ entriesMax: 2 });
    cache.store(place('short'), answer(1), 0);
    cache.store(place('long'), answer(1), 900);
    assert.equal(has('short', 950), true);
    cache.store(place('new'), answer(1), 1500);
    assert.deepEqual([has('long', 1500), has('new', 1500)], [true, true]);
  });

  it('is bounded by bytes and by entries', () => {
    const { cache, has } = open({ bytesMax: 5000 });
    for (const key of ['a', 'b', 'c']) cache.store(place(key), answer(2000), 0);
    assert.ok(cache.bytes <= 5000);
    assert.deepEqual([has('a'), has('b'), has('c')], [false, true, true]);
    cache.store(place('d'), answer(5000), 0);
    assert.equal(has('d'), false);
    assert.equal(has('c'), true);
  });

  it('stores no answer above the maximum size, and none if its capacity is 0', () => {
    const roomy = open();
    roomy.cache.store(place('a'), answer(entryBytesMax), 0);
    assert.equal(roomy.cache.entries, 0);
    for (const bounds of [{ entriesMax: 0 }, { bytesMax: 0 }]) {
      const { cache } = open(bounds);
      cache.store(place('a'), answer(1), 0);
      assert.equal(cache.entries, 0);
    }
  });
});
