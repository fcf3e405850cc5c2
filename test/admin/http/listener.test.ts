// Tests the listener: TLS, credentials of machines, and an unreachable database.

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { describe, it } from 'node:test';

import { Client } from 'pg';
import { Agent, request } from 'undici';
import { z } from 'zod';

import { none, route, served } from '../../../src/admin/http/route.ts';
import {
  adminPassword,
  errorOf,
  member,
  testAdmin,
  testAdministrator,
} from '../../harness/admin/admin.ts';

const fixture = (name: string): Promise<string> =>
  readFile(join(import.meta.dirname, '../../fixtures/tls', name), 'utf8');

describe('with TLS', () => {
  it('the whole listener speaks HTTPS, without a warning, and cookies are Secure', async (t) => {
    const [cert, key] = await Promise.all([fixture('cert.pem'), fixture('key.pem')]);
    const { url, warnings, admin } = await testAdmin(t, { tls: { cert, key } });
    assert.match(url, /^https:/);
    assert.deepEqual(warnings, []);
    const dispatcher = new Agent({ connect: { ca: cert } });
    t.after(() => dispatcher.destroy());
    const logout = await request(`${url}/logout`, { method: 'POST', dispatcher });
    assert.equal(logout.statusCode, 200);
    assert.match(String(logout.headers['set-cookie']), /; Secure$/);
    assert.match(String(logout.headers['strict-transport-security']), /^max-age=\d+$/);
    await logout.body.dump();
    assert.ok(admin.needs.access.secureCookies);
  });
});

describe('the management UI', () => {
  it('returns a plain text 404 if it was not built', async (t) => {
    const { url, ask } = await testAdmin(t);
    for (const path of ['/', '/?x=1', '/ui', '/ui/', '/ui/providers/7', '/ui/assets/app.js']) {
      const answer = await fetch(url + path);
      assert.equal(answer.status, 404, path);
      assert.equal(answer.headers.get('content-type'), 'text/plain; charset=utf-8');
      assert.match(answer.headers.get('content-security-policy') ?? '', /default-src 'none'/);
      assert.equal(await answer.text(), 'UI not available\n');
      assert.equal((await ask({ method: 'HEAD', path })).status, 404);
      const wrong = await ask({ method: 'POST', path });
      assert.equal(wrong.status, 405);
      assert.equal(wrong.headers.get('allow'), 'GET, HEAD');
    }
    assert.deepEqual(errorOf(await ask({ path: '/uix' })), [404, 'absent', null]);
  });
});

describe('closing', () => {
  it('ends idle connections immediately, and cuts and counts open ones after the grace period', async (t) => {
    const { ask, admin, url } = await testAdmin(t);
    await ask({ path: '/healthz' });
    const came = once(admin.server.server, 'request');
    const socket = connect(Number(new URL(url).port), '127.0.0.1');
    socket.on('error', () => undefined);
    const head = ['POST /logout HTTP/1.1', 'host: a', 'content-type: application/json'];
    socket.write([...head, 'content-length: 9', '', '{'].join('\r\n'));
    await came;
    assert.equal(await admin.close(200), 1);
  });
});

describe('an API key', () => {
  const whoAmI = route({
    method: 'GET',
    path: '/who-am-i',
    operation: 'whoAmI',
    permission: 'api_key',
    summary: 'Whose key this is',
    refusals: [],
    params: none,
    query: none,
    body: none,
    response: z.object({ principal_id: z.int().nullable() }),
    handle: (_input, { caller }) => ({
      body: { principal_id: 'principalId' in caller ? caller.principalId : null },
    }),
  });

  it('is accepted on the routes for keys until it is revoked or expires', async (t) => {
    let now = Date.now();
    const moreRoutes = served([whoAmI], {});
    const { ask, send } = await testAdministrator(t, { moreRoutes, clock: () => now });
    const made = await send('POST', '/admin/keys', {
      name: 'k',
      principal_id: 1,
      expires_at: new Date(now + 1_000).toISOString(),
    });
    const token = String(member(made.body, 'key'));
    const path = '/who-am-i';
    assert.deepEqual((await ask({ path, token })).body, { principal_id: 1 });
    assert.equal((await ask({ path, token: `${token}x` })).status, 401);
    assert.equal((await ask({ path })).status, 401);
    now += 1_000;
    assert.equal((await ask({ path, token })).status, 401);
    now -= 1_000;
    await send('DELETE', `/admin/keys/${String(member(made.body, 'id'))}`);
    assert.equal((await ask({ path, token })).status, 401);
  });
});

describe('while the database is unavailable', () => {
  it('a mutation returns 503 with Retry-After within three seconds', async (t) => {
    const { send, databaseUrl } = await testAdministrator(t);
    const other = new Client({ connectionString: databaseUrl });
    await other.connect();
    try {
      await other.query('begin');
      await other.query('select es.lock_log()');
      const startedAt = performance.now();
      const answer = await send('POST', '/admin/roles', { name: 'late' });
      assert.ok(performance.now() - startedAt < 3_000);
      assert.deepEqual(errorOf(answer), [503, 'unavailable', null]);
      assert.match(answer.headers.get('retry-after') ?? '', /^\d+$/);
    } finally {
      await other.end();
    }
    assert.equal((await send('POST', '/admin/roles', { name: 'late' })).status, 200);
  });

  it('a login returns 503 too, and the snapshot is still served', async (t) => {
    const { ask, databaseUrl } = await testAdministrator(t);
    const other = new Client({ connectionString: databaseUrl });
    await other.connect();
    try {
      await other.query('begin');
      await other.query('lock table op.sessions in access exclusive mode');
      const body = { name: 'boss', password: adminPassword };
      const answer = await ask({ method: 'POST', path: '/login', body });
      assert.deepEqual(errorOf(answer), [503, 'unavailable', null]);
      assert.equal(
        (await ask({ path: '/snapshot', token: 'proxy-token-of-the-tests' })).status,
        200,
      );
    } finally {
      await other.end();
    }
  });
});
