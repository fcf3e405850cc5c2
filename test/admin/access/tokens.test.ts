// Tests admin tokens over HTTP: limited to their principal's permissions, shown once, and refused
// after their expiry.

import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { describe, it } from 'node:test';
import type { TestContext } from 'node:test';

import { adminRoutes } from '../../../src/admin/routes.ts';
import { errorOf, member, proxyToken, testAdministrator } from '../../harness/admin/admin.ts';
import type { TestAnswer } from '../../harness/admin/admin.ts';
import { startFollowingGateway } from '../../harness/gateway/following-gateway.ts';
import { fourEyes, renameModel } from '../../harness/admin/four-eyes.ts';
import type { Person } from '../../harness/admin/four-eyes.ts';

const dayMs = 24 * 60 * 60 * 1000;

/** A service account with these verbs, and a token limited to `permissions`. */
async function started(
  t: Pick<TestContext, 'after'>,
  { held, permissions }: Readonly<{ held: readonly string[]; permissions: readonly string[] }>,
) {
  const clock = { now: Date.now() };
  const admin = await testAdministrator(t, { clock: () => clock.now });
  const { send, ask } = admin;
  await send('POST', '/admin/roles', { name: 'ci' });
  for (const verb of held) {
    await send('POST', '/admin/roles/ci/permissions', { verb, resource: '*' });
  }
  const made = await send('POST', '/admin/principals', { name: 'ci' });
  const principalId = Number(member(made.body, 'id'));
  await send('POST', `/admin/principals/${principalId}/roles`, { role: 'ci' });
  const body = { name: 'terraform', principal_id: principalId, permissions };
  const created = await send('POST', '/admin/tokens', body);
  assert.equal(created.status, 200, JSON.stringify(created.body));
  const token = String(member(created.body, 'token'));
  const path = `/admin/tokens/${String(member(created.body, 'id'))}`;
  const sendAs = (method: string, path: string, body?: unknown): Promise<TestAnswer> =>
    ask({ method, path, token, body });
  return { ...admin, clock, principalId, created, token, path, sendAs };
}

const reader = { held: ['usage:read', 'config:write'], permissions: ['usage:read'] } as const;
const writer = { held: ['config:write'], permissions: ['config:write'] } as const;

describe('an admin token', () => {
  it('is returned in plaintext once; neither it nor its verifier is stored or listed', async (t) => {
    const { send, plane, token, created, path } = await started(t, reader);
    assert.match(token, /^gwt-\w{49}$/);
    assert.equal(member(created.body, 'prefix'), token.slice(0, 12));
    const expiry = Date.parse(String(member(created.body, 'expires_at')));
    assert.ok(Math.abs(expiry - Date.now() - 90 * dayMs) < 60_000);
    const secret = new RegExp(`${token}|${hash('sha256', token)}`);
    for (const shown of ['/admin/tokens', path, '/admin/history/events', '/admin/audit']) {
      const { status, body } = await send('GET', shown);
      assert.equal(status, 200, shown);
      assert.doesNotMatch(JSON.stringify(body), secret, shown);
    }
    const { sql } = plane.db;
    const events: unknown[] = await plane.db.query(sql`select payload::text from es.events`);
    assert.doesNotMatch(JSON.stringify(events), secret);
    assert.match(JSON.stringify(events), /verifier_ref/);
    const snapshot = JSON.stringify(plane.publisher.current()?.snapshot);
    assert.doesNotMatch(snapshot, secret);
    assert.doesNotMatch(snapshot, /terraform/);
  });

  it('grants only its own permissions, not all those of the principal', async (t) => {
    const { sendAs, token } = await started(t, reader);
    assert.equal((await sendAs('GET', '/admin/principals')).status, 200);
    const refused = await sendAs('POST', '/admin/roles', { name: 'x' });
    assert.deepEqual(errorOf(refused), [403, 'forbidden', null]);
    const session = await sendAs('GET', '/session');
    assert.deepEqual(member(member(session.body, 'you'), 'permissions'), ['usage:read']);
    assert.equal(member(member(session.body, 'you'), 'name'), 'ci');
    assert.ok(token);
  });

  it('loses a permission when its principal loses it', async (t) => {
    const { send, sendAs } = await started(t, reader);
    const verb = { verb: 'usage:read', resource: '*' };
    assert.equal((await sendAs('GET', '/admin/roles')).status, 200);
    await send('DELETE', '/admin/roles/ci/permissions', verb);
    assert.deepEqual(errorOf(await sendAs('GET', '/admin/roles')), [403, 'forbidden', null]);
  });

  it('ends permanently when it is revoked, and its record is kept', async (t) => {
    const { send, sendAs, path } = await started(t, reader);
    for (const _time of ['first', 'second']) assert.equal((await send('DELETE', path)).status, 200);
    const after = await sendAs('GET', '/admin/roles');
    assert.deepEqual(errorOf(after), [401, 'unauthenticated', null]);
    assert.equal(member((await send('GET', path)).body, 'revoked'), true);
    assert.equal((await send('DELETE', '/admin/tokens/9999')).status, 404);
    assert.equal((await send('GET', '/admin/tokens/9999')).status, 404);
  });

  it('ends when it expires', async (t) => {
    const { sendAs, clock } = await started(t, reader);
    clock.now += 90 * dayMs - 1;
    assert.equal((await sendAs('GET', '/admin/roles')).status, 200);
    clock.now += 1;
    assert.equal((await sendAs('GET', '/admin/roles')).status, 401);
  });

  it('ends with its principal', async (t) => {
    const { send, sendAs, principalId } = await started(t, reader);
    assert.equal((await send('DELETE', `/admin/principals/${principalId}`)).status, 200);
    assert.equal((await sendAs('GET', '/admin/roles')).status, 401);
    assert.deepEqual((await send('GET', '/admin/tokens')).body, []);
  });

  it('stays revoked when a version in which it worked is restored', async (t) => {
    const { send, sendAs, path } = await started(t, reader);
    const { headers } = await send('POST', '/admin/roles', { name: 'later' });
    const version = String(headers.get('x-gw-snapshot-version'));
    await send('DELETE', path);
    const restored = await send('POST', `/admin/snapshots/${version}/restore`, { reason: 'test' });
    assert.equal(restored.status, 200, JSON.stringify(restored.body));
    assert.equal((await sendAs('GET', '/admin/roles')).status, 401);
    assert.equal(member((await send('GET', path)).body, 'revoked'), true);
  });

  it('says when it was last used', async (t) => {
    const { send, sendAs, path, clock } = await started(t, reader);
    assert.equal(member((await send('GET', path)).body, 'last_used_at'), null);
    await sendAs('GET', '/admin/roles');
    const usedAt = new Date(clock.now).toISOString();
    assert.equal(member((await send('GET', path)).body, 'last_used_at'), usedAt);
    const [listed] = [(await send('GET', '/admin/tokens')).body].flat();
    assert.equal(member(listed, 'last_used_at'), usedAt);
  });

  it('is named in the audit log for its changes', async (t) => {
    const { send, sendAs, principalId, path } = await started(t, writer);
    assert.equal((await sendAs('POST', '/admin/roles', { name: 'x' })).status, 200);
    const { body } = await send('GET', '/admin/audit?limit=1');
    assert.ok(Array.isArray(body));
    assert.equal(member(body[0], 'actor_id'), principalId);
    assert.equal(`/admin/tokens/${String(member(body[0], 'token_id'))}`, path);
    const { body: filtered } = await send('GET', '/admin/audit?actor_kind=admin_token');
    assert.equal(Array.isArray(filtered) ? filtered.length : 0, 1);
  });
});

describe('the creation of an admin token', () => {
  it('refuses permissions that the principal does not hold', async (t) => {
    const { send } = await testAdministrator(t);
    const token = { name: 't', principal_id: 1, permissions: ['config:write'] };
    const refused = await send('POST', '/admin/tokens', token);
    assert.deepEqual(errorOf(refused), [400, 'invalid', 'permissions']);
    assert.match(JSON.stringify(refused.body), /principal 1 does not hold config:write/);
    for (const permissions of [[], ['model:invoke'], ['usage:read', 'usage:read']]) {
      assert.equal((await send('POST', '/admin/tokens', { ...token, permissions })).status, 400);
    }
    const absent = await send('POST', '/admin/tokens', { ...token, principal_id: 99 });
    assert.deepEqual(errorOf(absent), [400, 'invalid', 'principal_id']);
  });

  it('refuses an expiry in the past or more than a year away', async (t) => {
    const { send, principalId, clock } = await started(t, writer);
    const token = { name: 't', principal_id: principalId, permissions: ['config:write'] };
    const create = (ms: number) =>
      send('POST', '/admin/tokens', {
        ...token,
        expires_at: new Date(clock.now + ms).toISOString(),
      });
    for (const ms of [-1_000, 366 * dayMs]) {
      assert.deepEqual(errorOf(await create(ms)), [400, 'invalid', 'expires_at']);
    }
    assert.equal((await create(365 * dayMs)).status, 200);
  });

  it('by a token cannot grant more permissions than that token has', async (t) => {
    const held = ['usage:read', 'config:write'];
    const { sendAs, principalId } = await started(t, { held, permissions: ['config:write'] });
    const create = (permissions: readonly string[]) =>
      sendAs('POST', '/admin/tokens', { name: 't', principal_id: principalId, permissions });
    assert.equal((await create(['config:write'])).status, 200);
    assert.deepEqual(errorOf(await create(['usage:read'])), [403, 'forbidden', 'permissions']);
  });
});

describe('an Idempotency-Key', () => {
  it('repeats a response only to the token that received it', async (t) => {
    const held = ['usage:read', 'config:write'];
    const { ask, send, token, principalId } = await started(t, { held, permissions: held });
    const narrow = { name: 'n', principal_id: principalId, permissions: ['config:write'] };
    const other = String(member((await send('POST', '/admin/tokens', narrow)).body, 'token'));
    const body = { name: 'wide', principal_id: principalId, permissions: ['usage:read'] };
    const create = (by: string) =>
      ask({
        method: 'POST',
        path: '/admin/tokens',
        token: by,
        body,
        headers: { 'idempotency-key': 'apply-1' },
      });
    const made = await create(token);
    assert.equal(made.status, 200);
    assert.deepEqual((await create(token)).body, made.body);
    assert.deepEqual(errorOf(await create(other)), [403, 'forbidden', 'permissions']);
  });
});

describe('a request with a bearer token', () => {
  it('is not refused for its origin, because browsers do not send tokens by themselves', async (t) => {
    const { ask, token } = await started(t, writer);
    const headers = { origin: 'https://ci.example', 'sec-fetch-site': 'cross-site' };
    const request = { method: 'POST', path: '/admin/roles', body: { name: 'x' }, headers };
    assert.equal((await ask({ ...request, token })).status, 200);
  });

  it('ignores a cookie in the same request', async (t) => {
    const { ask, cookie, token } = await started(t, reader);
    const wrong = `${token.slice(0, -1)}${token.endsWith('0') ? '1' : '0'}`;
    assert.equal((await ask({ path: '/admin/roles', cookie, token: wrong })).status, 401);
    const body = { name: 'x' };
    const narrow = await ask({ method: 'POST', path: '/admin/roles', cookie, token, body });
    assert.equal(narrow.status, 403);
  });

  it('is refused with an API key on routes for people, and with an admin token on all others', async (t) => {
    const { ask, send, token } = await started(t, writer);
    const made = await send('POST', '/admin/keys', { name: 'k', principal_id: 1 });
    const key = String(member(made.body, 'key'));
    const closed = adminRoutes.filter(({ permission }) => permission !== 'open');
    for (const { method, path: template, permission } of closed) {
      const isForMachines = permission === 'proxy_token' || permission === 'api_key';
      const path = template.replaceAll(/\{\w+\}/g, '1');
      for (const wrong of isForMachines ? [token] : [key, proxyToken]) {
        const refused = await ask({ method, path, token: wrong });
        assert.deepEqual(errorOf(refused), [401, 'unauthenticated', null], `${method} ${path}`);
        if (!isForMachines) assert.match(JSON.stringify(refused.body), /begins with gwt-/);
      }
    }
  });
});

it('the gateway refuses an admin token of a principal whose API key it takes', async (t) => {
  const held = ['config:write', 'model:invoke'];
  const admin = await started(t, { held, permissions: ['config:write'] });
  const { send, token, principalId } = admin;
  const made = await send('POST', '/admin/keys', { name: 'k', principal_id: principalId });
  const gateway = await startFollowingGateway(t, admin, { url: null });
  const statusOf = async (path: string, headers: Readonly<Record<string, string>>) => {
    const method = path === '/v1/models' ? 'GET' : 'POST';
    const body = method === 'GET' ? {} : { body: JSON.stringify({ model: 'none', messages: [] }) };
    const sent = { 'content-type': 'application/json', ...headers };
    const response = await fetch(gateway.url + path, { method, headers: sent, ...body });
    await response.arrayBuffer();
    return response.status;
  };
  const key = String(member(made.body, 'key'));
  assert.equal(await statusOf('/v1/models', { authorization: `Bearer ${key}` }), 200);
  assert.equal(await statusOf('/v1/messages', { 'x-api-key': key }), 404);
  for (const path of ['/v1/models', '/v1/chat/completions', '/v1/embeddings', '/v1/messages']) {
    assert.equal(await statusOf(path, { authorization: `Bearer ${token}` }), 401, path);
    assert.equal(await statusOf(path, { 'x-api-key': token }), 401, path);
  }
});

/** A token of a new administrator, created by `by`. */
async function tokenOfAnother(by: Person): Promise<string> {
  const made = await by('POST', '/admin/principals', { name: 'ci' });
  const principal_id = Number(member(made.body, 'id'));
  await by('POST', `/admin/principals/${principal_id}/roles`, { role: 'admin' });
  const permissions = ['usage:read', 'config:write'];
  const created = await by('POST', '/admin/tokens', { name: 'ci', principal_id, permissions });
  return String(member(created.body, 'token'));
}

describe('four eyes', () => {
  it('refuses an approval by a token', async (t) => {
    const { boss, ada, ask, draft, seen } = await fourEyes(t);
    const token = await tokenOfAnother(boss);
    const id = await draft(ada, [renameModel('b')]);
    const path = `/admin/change-requests/${id}/approve`;
    const refused = await ask({ method: 'POST', path, token, body: await seen(boss, id) });
    assert.deepEqual(errorOf(refused), [403, 'forbidden', null]);
    assert.match(JSON.stringify(refused.body), /admin token cannot approve/);
  });

  it('refuses an approval by the issuer of the token that drafted the change', async (t) => {
    const { boss, ada, ask, draft, approve } = await fourEyes(t);
    const token = await tokenOfAnother(boss);
    const program: Person = (method, path, body) => ask({ method, path, token, body });
    const id = await draft(program, [renameModel('b')]);
    assert.deepEqual(errorOf(await approve(boss, id)), [403, 'forbidden', null]);
    assert.equal((await approve(ada, id)).status, 200);
  });

  it('requires an approval to create a token, but not to revoke one', async (t) => {
    const { boss } = await fourEyes(t);
    const token = { name: 't', principal_id: 2, permissions: ['config:write'] };
    assert.equal((await boss('POST', '/admin/tokens', token)).status, 200);
    await boss('PUT', '/admin/change-policy', { kinds: ['access'] });
    const refused = await boss('POST', '/admin/tokens', token);
    assert.deepEqual(errorOf(refused), [403, 'approval_required', null]);
    assert.equal((await boss('DELETE', '/admin/tokens/1')).status, 200);
  });
});

it('with --strict-key-mint a token without config:write makes no key for a principal that may do more', async (t) => {
  const { send, ask } = await testAdministrator(t, { strictKeyMint: true });
  const create = async (permissions: readonly string[]) => {
    const made = await send('POST', '/admin/tokens', { name: 't', principal_id: 2, permissions });
    return String(member(made.body, 'token'));
  };
  const role = { verb: 'model:invoke', resource: 'model/special' };
  await send('POST', '/admin/roles/inference/permissions', role);
  await send('DELETE', '/admin/roles/admin/permissions', {
    verb: 'model:invoke',
    resource: 'model/*',
  });
  const mint = (token: string) =>
    ask({ method: 'POST', path: '/admin/keys', token, body: { name: 'k', principal_id: 1 } });
  assert.deepEqual(errorOf(await mint(await create(['key:create']))), [
    403,
    'forbidden',
    'principal_id',
  ]);
  assert.equal((await mint(await create(['key:create', 'config:write']))).status, 200);
});
