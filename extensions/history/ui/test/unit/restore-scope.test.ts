// Tests which records a restore includes, in the address and for the server, and the suggestions that make it possible.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { readScope, scopeBody, scopeQuery, wayAround, without } from '../../restore-scope.ts';
import type { Scope } from '../../restore-scope.ts';

const all: Scope = { kind: 'all', streams: [] };
const alone = (...streams: string[]): Scope => ({ kind: 'only', streams });
const needs = (...names: (string | null)[]) => names.map((name) => ({ needs: name }));
const except = (...streams: string[]): Scope => ({ kind: 'except', streams });

describe('what is restored of a moment', () => {
  it('is read from the address, each entity once, and is everything where none is named', () => {
    const cases: readonly [query: string, scope: Scope][] = [
      ['only=model-7,provider-1,model-7', alone('model-7', 'provider-1')],
      ['except=model-7', except('model-7')],
      ['only=everything', all],
      ['except=', all],
      ['', all],
      ['only=model-1&except=model-2', alone('model-1')],
    ];
    for (const [query, scope] of cases) {
      assert.deepEqual(readScope(Object.fromEntries(new URLSearchParams(query))), scope);
    }
  });

  it('is told to the server and kept in the address by the same word', () => {
    assert.deepEqual([scopeBody(all), scopeQuery(all)], [{}, {}]);
    assert.deepEqual(scopeBody(except('model-7', 'role-1')), { except: ['model-7', 'role-1'] });
    for (const scope of [all, alone('model-7'), except('model-7', 'role-1')]) {
      assert.deepEqual(readScope(scopeQuery(scope)), scope);
    }
  });

  it('is less by what is left out, and never everything because nothing is left', () => {
    const left = new Set(['model-7']);
    assert.deepEqual(without(all, left), except('model-7'));
    assert.deepEqual(without(except('role-1'), left), except('role-1', 'model-7'));
    assert.deepEqual(without(alone('role-1', 'model-7'), left), alone('role-1'));
    assert.equal(without(alone('model-7'), left), null);
  });
});

describe('what stands in the way of a restore', () => {
  it('comes back with what is restored alone', () => {
    assert.deepEqual(wayAround(alone('model-7'), needs('provider-1', 'provider-1')), {
      back: ['provider-1'],
      stay: [],
      scope: alone('model-7', 'provider-1'),
    });
  });

  it('comes back if it was to stay, and stays if what stays needs it', () => {
    assert.deepEqual(wayAround(except('provider-1', 'model-7'), needs('provider-1', 'role-2')), {
      back: ['provider-1'],
      stay: ['role-2'],
      scope: except('model-7', 'role-2'),
    });
    assert.deepEqual(wayAround(except('provider-1'), needs('provider-1'))?.scope, all);
  });

  it('stays there where no other choice of entities would help', () => {
    assert.equal(wayAround(alone('model-7'), needs('provider-1', null)), null);
    assert.equal(wayAround(all, needs('provider-1')), null);
    assert.equal(wayAround(alone('model-7'), []), null);
  });
});
