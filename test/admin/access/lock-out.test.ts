// Tests that the admin API protects the last administrator from accidental removal.

import assert from 'node:assert/strict';
import { it } from 'node:test';

import { errorOf, member, testAdministrator } from '../../harness/admin/admin.ts';

const verb = { verb: 'config:write', resource: '*' };

it('refuses every change that leaves no principal with config:write who can sign in', async (t) => {
  const { send, plane } = await testAdministrator(t);
  // Has config:write but cannot sign in.
  await send('POST', '/admin/principals', { name: 'ci' });
  await send('POST', '/admin/principals/3/roles', { role: 'admin' });
  const before = await send('POST', '/admin/roles', { name: 'before' });
  const version = plane.publisher.current()?.snapshot.version;
  assert.equal(before.status, 200);
  const calls = [
    { method: 'DELETE', path: '/admin/principals/2/roles/admin' },
    { method: 'DELETE', path: '/admin/roles/admin/permissions', body: verb },
    { method: 'DELETE', path: '/admin/principals/2' },
  ];
  for (const { method, path, body } of calls) {
    const refused = await send(method, path, body);
    assert.deepEqual(errorOf(refused), [409, 'conflict', 'force'], path);
    assert.match(JSON.stringify(refused.body), /no principal that can sign in.*\?force=true/);
  }
  const set = { calls, reason: 'test' };
  const asOne = await send('POST', '/admin/change-sets/apply', {
    ...set,
    calls: calls.slice(0, 1),
  });
  assert.deepEqual(errorOf(asOne), [409, 'conflict', 'force']);
  const restored = await send('POST', '/admin/snapshots/1/restore', { reason: 'test' });
  assert.deepEqual(errorOf(restored), [409, 'conflict', 'force']);
  assert.equal(plane.publisher.current()?.snapshot.version, version, 'nothing was changed');
});

it('removes one of two administrators, and the last one only with force', async (t) => {
  const { send, login } = await testAdministrator(t);
  await login('ada', ['admin']);
  assert.equal((await send('DELETE', '/admin/principals/3')).status, 200);
  assert.equal((await send('DELETE', '/admin/principals/2?force=false')).status, 409);
  assert.deepEqual(errorOf(await send('DELETE', '/admin/principals/2?force=yes')), [
    400,
    'invalid',
    'force',
  ]);
  const forced = await send('DELETE', '/admin/principals/2?force=true');
  assert.equal(forced.status, 200);
  assert.equal(member(forced.body, 'id'), 2);
});

it('force is an unknown field of requests that change nothing', async (t) => {
  const { send } = await testAdministrator(t);
  assert.equal((await send('GET', '/admin/roles?force=true')).status, 400);
});
