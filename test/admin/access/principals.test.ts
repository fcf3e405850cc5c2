// Tests principals, their roles and passwords over HTTP (specification, "Principals, keys, roles").

import assert from 'node:assert/strict';
import { it } from 'node:test';

import { errorOf, member, testAdministrator } from '../../harness/admin/admin.ts';

it('a principal is created, listed, renamed and deleted', async (t) => {
  const { send } = await testAdministrator(t);
  const created = await send('POST', '/admin/principals', { name: 'ci', email: 'ci@a.example' });
  assert.equal(created.status, 200);
  const id = Number(member(created.body, 'id'));
  assert.deepEqual(
    [member(created.body, 'kind'), member(created.body, 'email'), member(created.body, 'roles')],
    ['service_account', 'ci@a.example', []],
  );
  const renamed = await send('PATCH', `/admin/principals/${id}`, { name: 'cd', email: null });
  assert.deepEqual([member(renamed.body, 'name'), member(renamed.body, 'email')], ['cd', null]);

  const listed = await send('GET', '/admin/principals');
  assert.ok(Array.isArray(listed.body));
  const found: unknown = listed.body.find((one) => member(one, 'id') === id);
  assert.deepEqual(found, { ...Object(renamed.body), version: 3 });
  assert.deepEqual((await send('DELETE', `/admin/principals/${id}`)).body, { id });
  const again = await send('DELETE', `/admin/principals/${id}`);
  assert.deepEqual(errorOf(again), [404, 'absent', null]);
});

it('every mutation returns the snapshot version that includes it', async (t) => {
  const { send, plane } = await testAdministrator(t);
  const { headers } = await send('POST', '/admin/principals', { name: 'ci' });
  const version = Number(headers.get('x-gw-snapshot-version'));
  assert.equal(version, plane.publisher.current()?.snapshot.version);
});

it('a name is unique across kinds of principals', async (t) => {
  const { send } = await testAdministrator(t);
  await send('POST', '/admin/principals', { name: 'ada', kind: 'user' });
  const again = await send('POST', '/admin/principals', { name: 'ada' });
  assert.deepEqual(errorOf(again), [409, 'conflict', 'name']);
});

it('the name of a user and every address are nowhere in the log', async (t) => {
  const { send, plane } = await testAdministrator(t);
  const body = { name: 'Ada Lovelace', kind: 'user', email: 'ada@a.example' };
  const created = await send('POST', '/admin/principals', body);
  assert.equal(member(created.body, 'name'), 'Ada Lovelace');
  const { sql } = plane.db;
  const rows: unknown[] = await plane.db.query(sql`select payload::text from es.events`);
  assert.doesNotMatch(JSON.stringify(rows), /Lovelace|ada@/);
});

it('a role is granted and granted again, revoked once, and unknown ones are named', async (t) => {
  const { send } = await testAdministrator(t);
  const { body } = await send('POST', '/admin/principals', { name: 'ci' });
  const path = `/admin/principals/${String(member(body, 'id'))}/roles`;
  for (const _time of ['first', 'second']) {
    const granted = await send('POST', path, { role: 'inference' });
    assert.deepEqual(member(granted.body, 'roles'), ['inference']);
  }
  assert.deepEqual(errorOf(await send('POST', path, { role: 'emperor' })), [
    400,
    'invalid',
    'role',
  ]);
  assert.deepEqual(member((await send('DELETE', `${path}/inference`)).body, 'roles'), []);
  assert.equal((await send('DELETE', `${path}/inference`)).status, 404);
  assert.equal((await send('POST', '/admin/principals/9999/roles', { role: 'admin' })).status, 404);
});

it('a password turns a service account into a user, and a weak one is refused', async (t) => {
  const { send, ask } = await testAdministrator(t);
  const { body } = await send('POST', '/admin/principals', { name: 'ci' });
  const path = `/admin/principals/${String(member(body, 'id'))}/password`;
  assert.deepEqual(errorOf(await send('PUT', path, { password: 'short' })), [
    400,
    'invalid',
    'password',
  ]);
  const set = await send('PUT', path, { password: 'long enough now' });
  assert.equal(member(set.body, 'kind'), 'user');
  const login = { name: 'ci', password: 'long enough now' };
  assert.equal((await ask({ method: 'POST', path: '/login', body: login })).status, 200);
  assert.equal(
    (await send('PUT', '/admin/principals/9999/password', { password: 'long enough now' })).status,
    404,
  );
});

it('deleting a principal deletes its keys', async (t) => {
  const { send } = await testAdministrator(t);
  const { body } = await send('POST', '/admin/principals', { name: 'ci' });
  const id = member(body, 'id');
  await send('POST', '/admin/keys', { name: 'k', principal_id: id });
  assert.match(JSON.stringify((await send('GET', '/admin/keys')).body), /"name":"k"/);
  await send('DELETE', `/admin/principals/${String(id)}`);
  assert.deepEqual((await send('GET', '/admin/keys')).body, []);
});
