// A chain is the named model and the fallback, less what the caller may not invoke.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { isRefusal } from '../../src/lib/refusal.ts';
import { resolveChain } from '../../src/routing/chain.ts';
import { compileSnapshot } from '../../src/snapshot/compile.ts';
import { givenSnapshot } from '../harness/snapshot.ts';

const backends = [{ apiBase: 'http://one/v1' }];

function resolve(name: string, grants: readonly string[], fallback?: string): unknown {
  const compiled = compileSnapshot(
    givenSnapshot({
      models: { a: { backends }, b: { backends }, empty: { backends: [] } },
      keys: { key: { grants } },
      ...(fallback === undefined ? {} : { fallback }),
    }),
  );
  assert.ok(!isRefusal(compiled));
  const [caller] = compiled.callers.values();
  assert.ok(caller !== undefined);
  const resolution = resolveChain(compiled, caller, name);
  return resolution.kind === 'chain'
    ? resolution.candidates.map(({ model, route }) => `${model.name} ${route}`)
    : resolution.kind;
}

describe('resolveChain', () => {
  it('is the named model, then the fallback', () => {
    assert.deepEqual(resolve('a', ['model/*']), ['a concrete']);
    assert.deepEqual(resolve('a', ['model/*'], 'b'), ['a concrete', 'b default']);
    assert.deepEqual(resolve('a', ['model/*'], 'a'), ['a concrete']);
  });

  it('drops a candidate without a grant and is never widened', () => {
    assert.deepEqual(resolve('a', ['model/a'], 'b'), ['a concrete']);
    assert.deepEqual(resolve('a', ['model/b'], 'b'), ['b default']);
    assert.equal(resolve('a', ['model/empty'], 'b'), 'denied');
  });

  it('drops a model that nothing serves', () => {
    assert.equal(resolve('empty', ['model/*']), 'absent');
    assert.deepEqual(resolve('empty', ['model/*'], 'b'), ['b default']);
  });

  it('knows nothing of a name that is not in the snapshot, whatever the fallback', () => {
    assert.equal(resolve('unknown', ['model/*'], 'b'), 'absent');
  });
});
