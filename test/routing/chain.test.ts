// A chain is the targets in order with pools expanded in place, then the fallback, less what the
// caller may not invoke (Gateway rules 2 to 4).

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { poolPolicy } from '../../src/lib/vocabulary.ts';
import { routing } from '../harness/gateway/routing.ts';
import type { RoutingOptions } from '../harness/gateway/routing.ts';

const allowed = (...names: readonly string[]) => ({
  keys: { key: { grants: names.map((name) => `model/${name}`) } },
});

function chain(
  what: string,
  rules: string,
  request: string,
  answer: string,
  options?: RoutingOptions,
) {
  it(what, () => assert.equal(routing(rules, options).ask(request), answer));
}

describe('a provider model that was named', () => {
  const models = { a: {}, b: {}, idle: { backends: [] } };
  chain('is its own chain', '', 'a', 'a | concrete', { models });
  chain('is followed by the fallback', '', 'a', 'a (b) | concrete', { models, fallback: 'b' });
  chain('is not followed by itself', '', 'a', 'a | concrete', { models, fallback: 'a' });
  chain('that nothing serves is absent', '', 'idle', '404 | concrete', { models });
  const fallback = { models, fallback: 'b' };
  chain('that nothing serves has its fallback', '', 'idle', '(b) | concrete', fallback);
  chain('that is unknown has none', '', 'c', '404 |', fallback);
  chain('is dropped without a grant', '', 'a', '403 a | concrete', { models, ...allowed('b') });
  const onlyB = { ...fallback, ...allowed('b') };
  chain('without a grant leaves the fallback', '', 'a', '(b) | concrete', onlyB);
  const onlyA = { ...fallback, ...allowed('a') };
  chain('is not widened to a fallback without a grant', '', 'a', 'a | concrete', onlyA);
  chain('keeps its place whatever its window', '', 'a prompt=99', 'a (b) | concrete', {
    models: { ...models, a: { contextLength: 10 } },
    fallback: 'b',
  });
});

describe('a model out of rotation', () => {
  const backends = [{ apiBase: 'http://one.test/v1', isOut: true }] as const;
  const models = { a: { backends }, b: {}, idle: { backends: [] } };
  const pools = { p: { members: { idle: 1, a: 1 } } };
  chain('is known, and cannot be reached', '', 'a', '502 a | concrete', { models });
  chain('has its fallback', '', 'a', '(b) | concrete', { models, fallback: 'b' });
  chain('may be the fallback', '', 'idle', '502 a | concrete', { models, fallback: 'a' });
  chain('is passed over', 'm: -> a, b', 'm', 'b | rule:0', { models });
  chain('is all there is of targets', 'm: -> idle, a', 'm', '502 a | rule:0', { models });
  chain('is all there is of a pool', 'm: -> p', 'm', '502 a | rule:0', { models, pools });
  chain('is passed over in a pool', 'm: -> p, b', 'm', 'b | rule:0', { models, pools });
  chain('needs a grant all the same', '', 'a', '403 a | concrete', { models, ...allowed('b') });
  chain('counts before what has no grant', 'm: -> b, a', 'm', '502 a | rule:0', {
    models,
    ...allowed('a'),
  });
});

describe('the targets of a rule', () => {
  chain('are tried in order', 'm: -> a, b, c', 'm', 'a b c | rule:0');
  chain('are each tried once', 'm: -> a, b, a', 'm', 'a b | rule:0');
  chain('are followed by the fallback', 'm: -> a, b', 'm', 'a b (c) | rule:0', {
    models: { c: {} },
    fallback: 'c',
  });
  chain('may hold the fallback, which is not tried twice', 'm: -> b, a', 'm', 'b a | rule:0', {
    fallback: 'b',
  });
  chain('drop what has no grant', 'm: -> a, b, c', 'm', 'a c | rule:0', allowed('a', 'c'));
  chain('are refused when none has one', 'm: -> a, b', 'm', '403 a | rule:0', allowed('c'));
});

describe('a pool', () => {
  const pools = { p: { policy: 'round-robin', members: { a: 1, b: 1, c: 1 } } } as const;
  chain('expands in place', 'm: -> x, p, y', 'm', 'x a b c y | rule:0', { pools });
  chain('repeats no candidate', 'm: -> b, p', 'm', 'b a c | rule:0', { pools });
  chain('drops a member without a grant', 'm: -> p', 'm', 'b c | rule:0', {
    pools,
    ...allowed('b', 'c'),
  });
  chain('of which no member may be invoked is refused', 'm: -> p', 'm', '403 a | rule:0', {
    pools,
    ...allowed('x'),
  });
  chain('without members yields no candidate', 'm: -> p, x', 'm', 'x | rule:0', {
    pools: { p: { members: {} } },
  });
  it('begins with the member that its policy chooses, and keeps the order of the others', () => {
    const asked = routing('m: -> p', { pools });
    assert.deepEqual(
      [1, 2, 3, 4].map(() => asked.ask('m')),
      ['a b c | rule:0', 'b a c | rule:0', 'c a b | rule:0', 'a b c | rule:0'],
    );
  });
  for (const policy of [null, ...poolPolicy.options]) {
    const drained = {
      p: { ...(policy === null ? {} : { policy }), members: { a: 0, b: 1, c: 0 } },
    };
    const by = policy ?? 'weights';
    chain(`tries members of weight 0 last, by ${by}`, 'm: -> p, x', 'm', 'b a c x | rule:0', {
      pools: drained,
    });
    it(`gives members of weight 0 no first place, by ${by}`, () => {
      const members = { a: 1, b: 0, c: 1 };
      const asked = routing('m: -> p', { pools: { p: { ...drained.p, members } } });
      const firsts = Array.from(
        { length: 60 },
        (_, conversation) => asked.ask(`m conversation=${conversation}`)[0],
      );
      assert.deepEqual(new Set(firsts), new Set(['a', 'c']));
    });
    it(`of drained members alone uses them, by ${by}`, () => {
      const members = { a: 0, b: 0 };
      const asked = routing('m: -> p', { pools: { p: { ...drained.p, members } } });
      assert.match(asked.ask('m'), /^(?:a b|b a) \| rule:0$/);
    });
  }
  it('cannot be requested by name', () => {
    assert.equal(routing('m: -> p', { pools }).ask('p'), '404 |');
  });
});

describe('a candidate', () => {
  const later = Date.parse('2026-11-21T12:00:01Z');
  const down = { restsUntilMs: later };
  chain(
    'that cannot be reached now is tried after those that can',
    'm: -> a, b, c',
    'm',
    'b c a | rule:0',
    {
      loads: { a: down },
    },
  );
  chain('is last in order when all are down', 'm: -> a, b', 'm', 'a b | rule:0', {
    loads: { a: down, b: down },
  });
  const small = { models: { a: { contextLength: 100 }, c: { contextLength: 109 } } };
  chain(
    'whose window is too small goes last',
    'm: -> a, b, c',
    'm prompt=60 max=50',
    'b a c | rule:0',
    small,
  );
  chain(
    'keeps its place when it fits',
    'm: -> a, b, c',
    'm prompt=60 max=40',
    'a b c | rule:0',
    small,
  );
  chain(
    'needs no room for an answer of no stated length',
    'm: -> a, b',
    'm prompt=100',
    'a b | rule:0',
    small,
  );
  chain('too small is tried after the fallback', 'm: -> a', 'm prompt=101', '(b) a | rule:0', {
    models: { ...small.models, b: {} },
    fallback: 'b',
  });
  chain('too small is tried after one that is down', 'm: -> a, b', 'm prompt=101', 'b a | rule:0', {
    ...small,
    loads: { b: down },
  });
});
