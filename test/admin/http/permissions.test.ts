// Tests every route without a session, with an invalid one, and without the permission
// (Authentication rules 2 and 3).

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import type { Permission } from '../../../src/admin/http/authorise.ts';
import type { Route } from '../../../src/admin/http/route.ts';
import { adminRoutes } from '../../../src/admin/routes.ts';
import { errorOf, proxyToken, testAdmin } from '../../harness/admin/admin.ts';

const path = (route: Route): string =>
  route.path.replaceAll(/\{(\w+)\}/g, (_all, name) => (name === 'id' ? '999999' : 'nothing'));

const personal: ReadonlySet<Permission> = new Set([
  'session',
  'usage:read',
  'key:create',
  'key:revoke',
  'config:write',
]);

it('every route under /admin requires the permission from the specification', () => {
  for (const route of adminRoutes.filter(({ path }) => path.startsWith('/admin'))) {
    assert.equal(route.permission, specified(route), `${route.method} ${route.path}`);
  }
});

function specified({ method, path }: Route): Permission {
  if (method === 'GET') return 'usage:read';
  if (method === 'POST' && path === '/admin/keys') return 'key:create';
  if (method === 'DELETE' && path === '/admin/keys/{id}') return 'key:revoke';
  if (method === 'POST' && path === '/admin/providers/register') return 'api_key';
  return 'config:write';
}

describe('without permission', () => {
  it('no cookie is 401, a bad cookie is 401, a session without the permission is 403', async (t) => {
    const { ask, login } = await testAdmin(t);
    const cookie = await login('nobody', []);
    for (const route of adminRoutes.filter(({ permission }) => personal.has(permission))) {
      const { method } = route;
      const name = `${method} ${route.path}`;
      const request = { method, path: path(route) };
      assert.equal((await ask(request)).status, 401, name);
      assert.equal((await ask({ ...request, cookie: 'no-such-session' })).status, 401, name);
      assert.equal((await ask({ ...request, cookie })).status, 403, name);
    }
  });

  it('each permission opens its own routes and no other', async (t) => {
    const started = await testAdmin(t);
    await rolesOfOneVerb(started);
    for (const verb of ['usage:read', 'key:create', 'key:revoke', 'config:write'] as const) {
      const cookie = await started.login(`holder of ${verb}`, [verb]);
      for (const route of endingLast(adminRoutes)) {
        const { status } = await started.ask({ method: route.method, path: path(route), cookie });
        const name = `${verb} on ${route.method} ${route.path}`;
        assert.equal(status === 403, route.permission !== verb, `${name} is ${status}`);
      }
    }
  });

  it('the routes for proxies take the proxy token and nothing else', async (t) => {
    const { ask, login } = await testAdmin(t);
    const cookie = await login('boss', ['admin']);
    for (const route of adminRoutes.filter(({ permission }) => permission === 'proxy_token')) {
      const request = { method: route.method, path: route.path };
      assert.equal((await ask(request)).status, 401);
      assert.equal((await ask({ ...request, cookie })).status, 401);
      assert.equal((await ask({ ...request, token: 'wrong' })).status, 401);
      assert.equal((await ask({ ...request, headers: { authorization: 'Bearer ' } })).status, 401);
      assert.notEqual((await ask({ ...request, token: proxyToken })).status, 401);
    }
  });
});

it('another site cannot make a browser change anything, with any session', async (t) => {
  const { ask, login } = await testAdmin(t);
  const cookie = await login('boss', ['admin']);
  const forged = [
    { 'sec-fetch-site': 'cross-site' },
    { 'sec-fetch-site': 'same-site', origin: 'http://127.0.0.1:9' },
    { origin: 'https://evil.example' },
  ];
  const open = adminRoutes.filter(({ permission }) => permission === 'open');
  for (const route of [...open, ...endingLast(adminRoutes)]) {
    const { method } = route;
    if (method === 'GET') continue;
    for (const headers of forged) {
      const answer = await ask({ method, path: path(route), cookie, headers });
      assert.deepEqual(errorOf(answer), [403, 'forbidden', null], `${method} ${route.path}`);
    }
  }
  assert.equal((await ask({ path: '/admin/roles', cookie })).status, 200);
});

/** The routes for people. The route that ends the session comes last. */
const endingLast = (routes: readonly Route[]): readonly Route[] =>
  routes
    .filter(({ permission }) => personal.has(permission))
    .toSorted((a, b) => Number(endsSessions(a)) - Number(endsSessions(b)));
const endsSessions = ({ operation }: Route): boolean => operation === 'revokeAllSessions';

/** Roles with a single permission, named after it. */
async function rolesOfOneVerb({ plane }: Awaited<ReturnType<typeof testAdmin>>): Promise<void> {
  const context = {
    actor: { kind: 'cli', principal_id: null },
    action: 'CLI',
    target: 'test',
    requestId: 'test',
    reason: null,
  } as const;
  for (const verb of ['usage:read', 'key:create', 'key:revoke', 'config:write'] as const) {
    await plane.execute(
      { command: { type: 'CreateRole', name: verb, description: null } },
      context,
    );
    const granted = { type: 'GrantPermission', role: verb, verb, resource: '*' } as const;
    await plane.execute({ command: granted }, context);
  }
}
