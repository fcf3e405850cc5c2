// Tests MCP servers and A2A agents over HTTP with the same examples (specification, "Other
// records").

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { errorOf, member, testAdministrator } from '../../harness/admin/admin.ts';

const url = 'http://127.0.0.1:9/rpc';

const families = [
  { path: '/admin/mcp-servers', own: { transport: 'http' }, other: { transport: 'sse' } },
  {
    path: '/admin/a2a-agents',
    own: { protocol_version: '0.3' },
    other: { protocol_version: '1.0' },
  },
] as const;

for (const { path, own, other } of families) {
  describe(path, () => {
    it('creates with 201 and defaults, and never returns a credential', async (t) => {
      const { send, plane } = await testAdministrator(t);
      const body = { name: 'search', url, upstream_api_key: 'tool-secret' };
      const made = await send('POST', path, body);
      assert.equal(made.status, 201);
      const record = {
        id: 1,
        name: 'search',
        url,
        description: null,
        auth_header: 'authorization',
        auth_scheme: 'Bearer',
        enabled: true,
        has_upstream_api_key: true,
        credential_set: true,
        ...own,
      };
      assert.deepEqual(made.body, { ...record, version: 1 });
      const listed = await send('GET', path);
      assert.deepEqual(withoutVersion(listed.body), [record]);
      assert.doesNotMatch(JSON.stringify(listed.body), /tool-secret/);
      const snapshot = JSON.stringify(plane.publisher.current()?.snapshot);
      assert.doesNotMatch(snapshot, /tool-secret|search/, 'the gateway serves none');
    });

    it('updates and deletes with 204 and no body, and 404 if it does not exist', async (t) => {
      const { send } = await testAdministrator(t);
      await send('POST', path, { name: 'search', url });
      const change = {
        name: 'find',
        description: 'finds',
        enabled: false,
        auth_scheme: '',
        ...other,
      };
      const changed = await send('PATCH', `${path}/1`, { ...change, auth_header: 'X-Api-Key' });
      assert.deepEqual([changed.status, changed.body], [204, null]);
      assert.match(changed.headers.get('x-gw-snapshot-version') ?? '', /^\d+$/);
      const shown = { ...change, auth_scheme: null, auth_header: 'x-api-key' };
      const expected = { id: 1, url, ...shown, has_upstream_api_key: false, credential_set: false };
      assert.deepEqual(withoutVersion((await send('GET', path)).body), [expected]);
      assert.equal((await send('PATCH', `${path}/9`, change)).status, 404);
      const deleted = await send('DELETE', `${path}/1`);
      assert.deepEqual([deleted.status, deleted.body], [204, null]);
      assert.equal((await send('DELETE', `${path}/1`)).status, 404);
      assert.deepEqual((await send('GET', path)).body, []);
    });

    it('keeps a credential that is not sent, and clears it for an empty one', async (t) => {
      const { send } = await testAdministrator(t);
      await send('POST', path, { name: 'search', url, upstream_api_key: 'tool-secret' });
      const isSet = async () => {
        const { body } = await send('GET', path);
        assert.ok(Array.isArray(body));
        return member(body[0], 'has_upstream_api_key');
      };
      const patch = async (body: object) => (await send('PATCH', `${path}/1`, body)).status;
      assert.equal(await patch({ description: 'finds' }), 204);
      assert.equal(await isSet(), true);
      assert.equal(await patch({ upstream_api_key: '' }), 204);
      assert.equal(await isSet(), false);
      assert.equal(await patch({ upstream_api_key: 'another' }), 204);
      assert.equal(await isSet(), true);
      assert.equal(await patch({ upstream_api_key: null }), 204);
      assert.equal(await isSet(), false);
    });

    it('sends the credential to a different origin only with confirmation', async (t) => {
      const { send } = await testAdministrator(t);
      await send('POST', path, { name: 'search', url, upstream_api_key: 'tool-secret' });
      const there = { url: 'http://127.0.0.2:9/rpc' };
      const refused = await send('PATCH', `${path}/1`, there);
      assert.deepEqual(errorOf(refused), [400, 'invalid', 'url']);
      const kept = await send('PATCH', `${path}/1`, { ...there, keep_credential: true });
      assert.equal(kept.status, 204);
    });

    it('refuses a name that is taken with 409', async (t) => {
      const { send } = await testAdministrator(t);
      await send('POST', path, { name: 'search', url });
      await send('POST', path, { name: 'files', url });
      const conflict = [409, 'conflict', 'name'];
      assert.deepEqual(errorOf(await send('POST', path, { name: 'search', url })), conflict);
      assert.deepEqual(errorOf(await send('PATCH', `${path}/2`, { name: 'search' })), conflict);
    });

    const [ownField = ''] = Object.keys(own);
    const refused: readonly (readonly [string, object, string])[] = [
      ['no name', { url }, 'name'],
      ['a name that is not a part of a path', { name: 'a/b', url }, 'name'],
      ['no address', { name: 'a' }, 'url'],
      ['no URL', { name: 'a', url: 'here' }, 'url'],
      ['another scheme', { name: 'a', url: 'file:///etc/passwd' }, 'url'],
      ['a password in the address', { name: 'a', url: 'http://me:pw@127.0.0.1/' }, 'url'],
      ['an address of cloud metadata', { name: 'a', url: 'http://169.254.169.254/' }, 'url'],
      ['the same, spelt otherwise', { name: 'a', url: 'http://[::ffff:a9fe:a9fe]/' }, 'url'],
      ['a header that frames', { name: 'a', url, auth_header: 'Host' }, 'auth_header'],
      [
        'a credential of two lines',
        { name: 'a', url, upstream_api_key: 'a\nb' },
        'upstream_api_key',
      ],
      ['another kind', { name: 'a', url, [ownField]: 'stdio' }, ownField],
      ['an unknown field', { name: 'a', url, api_key: 'x' }, 'api_key'],
    ];
    it('refuses what is malformed, naming the field', async (t) => {
      const { send } = await testAdministrator(t);
      for (const [what, body, param] of refused) {
        assert.deepEqual(errorOf(await send('POST', path, body)), [400, 'invalid', param], what);
      }
      assert.deepEqual((await send('GET', path)).body, []);
    });

    it("checks the address against the operator's allow and deny lists", async (t) => {
      const egress = { allow: [], deny: ['127.0.0.0/8'] };
      const { send } = await testAdministrator(t, { egress });
      const refused = await send('POST', path, { name: 'a', url });
      assert.deepEqual(errorOf(refused), [400, 'invalid', 'url']);
      assert.equal((await send('POST', path, { name: 'a', url: 'http://10.0.0.1/' })).status, 201);
    });
  });
}

/** The version of a row is covered by another test. */
function withoutVersion(body: unknown): unknown {
  assert.ok(Array.isArray(body));
  return body.map((row: object) =>
    Object.fromEntries(Object.entries(row).filter(([name]) => name !== 'version')),
  );
}
