// Tests API keys and roles over HTTP.

import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { describe, it } from 'node:test';

import { errorOf, member, testAdministrator } from '../../harness/admin/admin.ts';
import { reported, reportUsage } from '../../harness/admin/usage.ts';

const use = (number: number, keyId: number, at: number) =>
  reported(number, { key_id: keyId, model_id: null, at: new Date(at).toISOString() });

describe('a key', () => {
  it('is returned in plaintext once; only its verifier reaches the snapshot', async (t) => {
    const { send, plane } = await testAdministrator(t);
    const made = await send('POST', '/admin/keys', {
      name: 'ci',
      principal_id: 1,
      expires_at: '2030-01-02T03:04:05Z',
    });
    const key = String(member(made.body, 'key'));
    assert.match(key, /^gw-\w{49}$/);
    assert.deepEqual(member(made.body, 'prefix'), key.slice(0, 12));

    const listed = await send('GET', '/admin/keys');
    const text = JSON.stringify(listed.body);
    assert.doesNotMatch(text, new RegExp(`${key}|${hash('sha256', key)}`));
    assert.match(text, /"principal":"bootstrap"/);
    assert.match(text, /"expires_at":"2030-01-02T03:04:05.000Z"/);
    const secrets = Object.values(plane.publisher.current()?.snapshot.secrets ?? {});
    assert.ok(secrets.includes(hash('sha256', key)));
    const { sql } = plane.db;
    const events: unknown[] = await plane.db.query(sql`select payload::text from es.events`);
    assert.doesNotMatch(JSON.stringify(events), new RegExp(`${key}|${hash('sha256', key)}`));
  });

  it('is revoked permanently, and its record is kept', async (t) => {
    const { send, plane } = await testAdministrator(t);
    const { body } = await send('POST', '/admin/keys', { name: 'ci', principal_id: 1 });
    const path = `/admin/keys/${String(member(body, 'id'))}`;
    for (const _time of ['first', 'second']) assert.equal((await send('DELETE', path)).status, 200);
    const listed = await send('GET', '/admin/keys');
    assert.ok(Array.isArray(listed.body));
    assert.deepEqual(
      listed.body.map((key) => member(key, 'disabled')),
      [true],
    );
    assert.deepEqual(plane.publisher.current()?.snapshot.config.api_keys, []);
    assert.equal((await send('DELETE', '/admin/keys/9999')).status, 404);
  });

  it('shows when it was last used, as far as reported', async (t) => {
    const started = await testAdministrator(t);
    const { send } = started;
    const openedAt = Date.now();
    for (const name of ['used', 'ahead', 'never']) {
      await send('POST', '/admin/keys', { name, principal_id: 1 });
    }
    const newest = openedAt - 60_000;
    const times = [newest - 5_000, newest, newest - 9_000];
    await reportUsage(
      started,
      times.map((time, index) => use(index, 1, time)),
    );
    await reportUsage(started, [use(7, 1, newest - 7_000), use(8, 2, openedAt + 3_600_000)]);
    const { body } = await send('GET', '/admin/keys');
    assert.ok(Array.isArray(body));
    const [used, ahead, never] = body.map((key) => member(key, 'last_used_at'));
    assert.equal(used, new Date(newest).toISOString());
    assert.ok(Date.parse(String(ahead)) < openedAt + 3_600_000);
    assert.equal(never, null);
  });

  it('requires an existing principal and a valid time', async (t) => {
    const { send } = await testAdministrator(t);
    const key = { name: 'ci', principal_id: 1 };
    const unknown = await send('POST', '/admin/keys', { ...key, principal_id: 99 });
    assert.deepEqual(errorOf(unknown), [400, 'invalid', 'principal_id']);
    const badTime = await send('POST', '/admin/keys', { ...key, expires_at: 'tomorrow' });
    assert.deepEqual(errorOf(badTime), [400, 'invalid', 'expires_at']);
    const past = await send('POST', '/admin/keys', {
      ...key,
      expires_at: '2020-01-01T01:00:00+01:00',
    });
    assert.deepEqual(errorOf(past), [400, 'invalid', 'expires_at']);
    assert.match(JSON.stringify(past.body), /expires_at 2020-01-01T00:00:00.000Z is in the past/);
    assert.deepEqual((await send('GET', '/admin/keys')).body, []);
  });
});

describe('with --strict-key-mint', () => {
  it('a holder of key:create cannot create keys for a principal with more permissions', async (t) => {
    const { ask, login, send } = await testAdministrator(t, { strictKeyMint: true });
    await send('POST', '/admin/roles', { name: 'minter' });
    await send('POST', '/admin/roles/minter/permissions', { verb: 'key:create', resource: '*' });
    const cookie = await login('minter', ['minter']);
    const plain = await send('POST', '/admin/principals', { name: 'plain' });
    const create = (principal_id: unknown, by = cookie) =>
      ask({ method: 'POST', path: '/admin/keys', cookie: by, body: { name: 'k', principal_id } });
    assert.equal((await create(member(plain.body, 'id'))).status, 200);
    // The first principal may run inference; the second is the administrator.
    for (const id of [1, 2]) {
      assert.deepEqual(errorOf(await create(id)), [403, 'forbidden', 'principal_id']);
    }
    assert.equal((await send('POST', '/admin/keys', { name: 'k', principal_id: 1 })).status, 200);
  });

  it('is off by default: a holder of key:create can create keys for any principal', async (t) => {
    const { ask, login, send } = await testAdministrator(t);
    await send('POST', '/admin/roles', { name: 'minter' });
    await send('POST', '/admin/roles/minter/permissions', { verb: 'key:create', resource: '*' });
    const cookie = await login('minter', ['minter']);
    const body = { name: 'k', principal_id: 1 };
    assert.equal((await ask({ method: 'POST', path: '/admin/keys', cookie, body })).status, 200);
  });
});

describe('a role', () => {
  it('is created, renamed for its holders, and not deleted while a principal has it', async (t) => {
    const { send } = await testAdministrator(t);
    const made = await send('POST', '/admin/roles', { name: 'reader', description: 'may look' });
    assert.deepEqual(member(made.body, 'permissions'), []);
    assert.equal((await send('POST', '/admin/roles', { name: 'reader' })).status, 409);
    await send('POST', '/admin/principals/1/roles', { role: 'reader' });
    const renamed = await send('PATCH', '/admin/roles/reader', { name: 'viewer' });
    assert.deepEqual(
      [member(renamed.body, 'id'), member(renamed.body, 'description')],
      [member(made.body, 'id'), 'may look'],
    );
    assert.equal((await send('DELETE', '/admin/roles/viewer')).status, 409);
    await send('DELETE', '/admin/principals/1/roles/viewer');
    assert.deepEqual((await send('DELETE', '/admin/roles/viewer')).body, {
      id: member(made.body, 'id'),
    });
    assert.equal((await send('DELETE', '/admin/roles/viewer')).status, 404);
  });

  it('accepts only known permissions, with a resource that fits the verb', async (t) => {
    const { send } = await testAdministrator(t);
    await send('POST', '/admin/roles', { name: 'caller' });
    const path = '/admin/roles/caller/permissions';
    const invoke = { verb: 'model:invoke', resource: 'model/small' };
    for (const _time of ['first', 'second']) {
      const granted = await send('POST', path, invoke);
      assert.deepEqual(member(granted.body, 'permissions'), [invoke]);
    }
    const unknown = await send('POST', path, { verb: 'model:eat' });
    assert.deepEqual(errorOf(unknown), [400, 'invalid', 'verb']);
    const bare = await send('POST', path, { verb: 'model:invoke' });
    assert.deepEqual(errorOf(bare), [400, 'invalid', 'resource']);
    const revoked = await send('DELETE', path, invoke);
    assert.deepEqual(member(revoked.body, 'permissions'), []);
    assert.equal((await send('DELETE', path, invoke)).status, 404);
  });

  it('of the built-in ones gives what the specification says', async (t) => {
    const { send } = await testAdministrator(t);
    const { body } = await send('GET', '/admin/roles');
    assert.ok(Array.isArray(body));
    assert.deepEqual(
      body.map((role) => member(role, 'name')),
      ['inference', 'operator', 'admin'],
    );
  });
});
