// Tests If-Match: an edit is refused if the entity has changed since the named version. Clients get
// the version from the ETag of a response and from `version` in a list.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { TestContext } from 'node:test';

import { errorOf, member, testAdministrator } from '../../harness/admin/admin.ts';
import type { TestAnswer } from '../../harness/admin/admin.ts';

async function started(t: TestContext) {
  const admin = await testAdministrator(t);
  const { ask, cookie } = admin;
  const edit = (path: string, body: unknown, ifMatch: string): Promise<TestAnswer> =>
    ask({ method: 'PATCH', path, cookie, body, headers: { 'if-match': ifMatch } });
  return { ...admin, edit };
}

const etagOf = ({ headers }: TestAnswer): string => headers.get('etag') ?? '';

function versionIn({ body }: TestAnswer, name: string, field = 'name'): unknown {
  assert.ok(Array.isArray(body));
  return member(
    body.find((record) => member(record, field) === name),
    'version',
  );
}

describe('an edit', () => {
  it('of the current version is made, and of an older one is a 412 that changes nothing', async (t) => {
    const { send, edit } = await started(t);
    await send('POST', '/admin/roles', { name: 'auditor' });
    const version = versionIn(await send('GET', '/admin/roles'), 'auditor');
    const first = await edit('/admin/roles/auditor', { description: 'a' }, `"${String(version)}"`);
    assert.equal(first.status, 200);
    const stale = await edit('/admin/roles/auditor', { description: 'b' }, `"${String(version)}"`);
    assert.deepEqual(errorOf(stale), [412, 'stale', 'if-match']);
    assert.equal(versionIn(await send('GET', '/admin/roles'), 'auditor'), 2);
    const next = await edit('/admin/roles/auditor', { description: 'b' }, etagOf(first));
    assert.equal(next.status, 200);
    assert.equal(etagOf(next), '"3"');
  });

  it('that renames an entity returns its version under the new name', async (t) => {
    const { send, edit } = await started(t);
    await send('POST', '/admin/roles', { name: 'auditor' });
    const renamed = await edit('/admin/roles/auditor', { name: 'reader' }, '"1"');
    assert.equal(etagOf(renamed), '"2"');
    assert.equal((await edit('/admin/roles/reader', { description: 'a' }, '"2"')).status, 200);
  });

  it('of an id that is written with leading zeros is refused', async (t) => {
    const { send, edit } = await started(t);
    await send('PATCH', '/admin/principals/1', { email: 'first@example.com' });
    const stale = await edit('/admin/principals/01', { email: 'second@example.com' }, '"1"');
    assert.deepEqual(errorOf(stale), [400, 'invalid', 'id']);
    const listed = await send('GET', '/admin/principals?limit=1');
    assert.match(JSON.stringify(listed.body), /first@example.com/);
  });

  it('accepts a list of versions and a star, but no weak version', async (t) => {
    const { send, edit } = await started(t);
    await send('POST', '/admin/models', { name: 'm' });
    const cases = [
      ['"9", "1"', 200],
      ['*', 200],
      ['W/"3"', 412],
      ['"9"', 412],
      ['3', 400],
      ['"a"', 412],
      ['', 400],
    ] as const;
    for (const [ifMatch, status] of cases) {
      const answer = await edit('/admin/models/1', { description: ifMatch }, ifMatch);
      assert.equal(answer.status, status, ifMatch);
    }
  });

  it('of a missing entity is a 404, and If-Match on a path without an entity is a 400', async (t) => {
    const { ask, edit, cookie } = await started(t);
    assert.equal((await edit('/admin/models/99', { description: 'a' }, '"1"')).status, 404);
    const create = { method: 'POST', path: '/admin/models', cookie, body: { name: 'm' } };
    const refused = await ask({ ...create, headers: { 'if-match': '*' } });
    assert.deepEqual(errorOf(refused), [400, 'invalid', 'if-match']);
  });

  it('of one version by two concurrent callers succeeds for one', async (t) => {
    const { send, edit } = await started(t);
    await send('POST', '/admin/models', { name: 'm' });
    const statuses = await Promise.all(
      ['a', 'b', 'c', 'd'].map(async (description) => {
        const { status } = await edit('/admin/models/1', { description }, '"1"');
        return status;
      }),
    );
    assert.deepEqual(
      statuses.toSorted((a, b) => a - b),
      [200, 412, 412, 412],
    );
  });

  it('that is repeated with its key answers as before, although the version has moved', async (t) => {
    const { ask, cookie, send } = await started(t);
    await send('POST', '/admin/models', { name: 'm' });
    const request = {
      method: 'PATCH',
      path: '/admin/models/1',
      cookie,
      body: { description: 'a' },
      headers: { 'if-match': '"1"', 'idempotency-key': 'k' },
    };
    const first = await ask(request);
    const again = await ask(request);
    assert.deepEqual([again.status, again.body, etagOf(again)], [200, first.body, '"2"']);
  });

  it('below an entity is an edit of that entity', async (t) => {
    const { ask, cookie, send } = await started(t);
    const version = versionIn(await send('GET', '/admin/principals'), 'bootstrap');
    const grant = (ifMatch: string): Promise<TestAnswer> =>
      ask({
        method: 'POST',
        path: '/admin/principals/1/roles',
        cookie,
        body: { role: 'operator' },
        headers: { 'if-match': ifMatch },
      });
    const granted = await grant(`"${String(version)}"`);
    assert.equal(granted.status, 200);
    assert.equal((await grant(`"${String(version)}"`)).status, 412);
    assert.equal((await grant(etagOf(granted))).status, 200);
  });
});

describe('a version', () => {
  it('is in every record of every list of entities', async (t) => {
    const { send } = await started(t);
    await send('POST', '/admin/models', { name: 'bootstrap' });
    await send('POST', '/admin/keys', { name: 'bootstrap', principal_id: 1 });
    for (const path of ['/admin/principals', '/admin/models', '/admin/provider-models']) {
      assert.equal(typeof versionIn(await send('GET', path), 'bootstrap'), 'number', path);
    }
    assert.equal(versionIn(await send('GET', '/admin/keys'), 'bootstrap'), 1);
  });

  it('is in the answer and the ETag of every creation, read and update', async (t) => {
    const { send } = await started(t);
    const made = [
      ['/admin/principals', { name: 'p' }, { name: 'q' }],
      ['/admin/roles', { name: 'r' }, { description: 'd' }],
      ['/admin/models', { name: 'm' }, { description: 'd' }],
      ['/admin/frontend-models', { name: 'f' }, { description: 'd' }],
      ['/admin/model-pools', { name: 'l' }, { description: 'd' }],
      ['/admin/prompt-classes', { name: 'c' }, { description: 'd' }],
      ['/admin/mcp-servers', { name: 's', url: 'http://127.0.0.1:9' }, { enabled: false }],
      ['/admin/a2a-agents', { name: 'a', url: 'http://127.0.0.1:9' }, { enabled: false }],
    ] as const;
    for (const [path, body, change] of made) {
      const created = await send('POST', path, body);
      assert.deepEqual([member(created.body, 'version'), etagOf(created)], [1, '"1"'], path);
      const key = path === '/admin/roles' ? 'name' : 'id';
      const one = `${path}/${String(member(created.body, key))}`;
      const read = await send('GET', one);
      assert.deepEqual([member(read.body, 'version'), etagOf(read)], [1, '"1"'], path);
      const changed = await send('PATCH', one, change);
      assert.equal(etagOf(changed), '"2"', path);
      if (changed.status === 200) assert.equal(member(changed.body, 'version'), 2, path);
    }
  });

  it('of limits and budgets is that of their principal', async (t) => {
    const { send } = await started(t);
    await send('POST', '/admin/principals', { name: 'p' });
    const { body } = await send('GET', '/admin/principals?name=p');
    assert.ok(Array.isArray(body));
    const id = String(member(body[0], 'id'));
    const set = await send('PUT', `/admin/principals/${id}/limits`, { tokens_per_min: 5 });
    const read = await send('GET', `/admin/principals/${id}/limits`);
    const listed = await send('GET', '/admin/limits');
    assert.deepEqual(
      [
        etagOf(set),
        etagOf(read),
        member(read.body, 'version'),
        versionIn(listed, 'p', 'principal'),
      ],
      ['"2"', '"2"', 2, 2],
    );
  });

  it('is the ETag of a single entity that is read', async (t) => {
    const { ask, cookie } = await started(t);
    const path = '/admin/fallback-model';
    const read = await ask({ path, cookie });
    assert.match(etagOf(read), /^"\d+"$/);
    const headers = { 'if-match': etagOf(read) };
    const set = { method: 'PUT', path, cookie, body: { model_id: null }, headers };
    assert.equal((await ask(set)).status, 200);
  });
});
