// Tests the methods that a 405 lists.

import assert from 'node:assert/strict';
import { it } from 'node:test';

import { createAllowedMethods, writtenOutPaths } from '../../../src/admin/http/allowed-methods.ts';

it('returns the methods of the most literal matching path, and null for an unknown one', () => {
  const allowed = createAllowedMethods([
    { method: 'DELETE', path: '/admin/keys/{id}' },
    { method: 'GET', path: '/admin/keys/{id}' },
    { method: 'POST', path: '/admin/keys/expire' },
    { method: 'GET', path: '/' },
    { method: 'GET', path: '/ui/*' },
    { method: 'GET', path: '/openapi.json' },
  ]);
  const cases = [
    ['/admin/keys/7', ['GET', 'HEAD', 'DELETE']],
    ['/admin/%6Beys/7?of=%zz', ['GET', 'HEAD', 'DELETE']],
    ['/admin/keys/7#%zz', ['GET', 'HEAD', 'DELETE']],
    ['/admin/keys/%zz', ['GET', 'HEAD', 'DELETE']],
    ['/%zz', null],
    ['/admin/keys/expire', ['POST']],
    ['/', ['GET', 'HEAD']],
    ['/ui/', ['GET', 'HEAD']],
    ['/ui/keys/7', ['GET', 'HEAD']],
    ['/uix', null],
    ['/openapi.json', ['GET', 'HEAD']],
    ['/openapixjson', null],
    ['/admin/keys', null],
    ['/admin/keys/7/more', null],
    ['/admin/keys/', null],
  ] as const;
  for (const [path, methods] of cases) assert.deepEqual(allowed(path), methods, path);
});

it('knows the written-out paths that a path with a parameter would take', () => {
  const routes = [
    { method: 'POST', path: '/admin/prompt-classes/evaluate' },
    { method: 'PATCH', path: '/admin/prompt-classes/{id}' },
    { method: 'GET', path: '/admin/prompt-classes' },
  ] as const;
  assert.deepEqual([...writtenOutPaths(routes, routes[1])], [[routes[0].path, ['POST']]]);
});
