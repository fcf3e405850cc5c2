// Tests every resource as an infrastructure tool uses it: create, read by id, find by name, update
// the version that was read, delete.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { adminRoutes } from '../../../src/admin/routes.ts';
import { errorOf, member, testAdministrator } from '../../harness/admin/admin.ts';
import type { TestAnswer } from '../../harness/admin/admin.ts';
import { listedProvider } from '../../harness/upstream/model-list.ts';

type Resource = Readonly<{
  create: readonly [method: 'POST' | 'PUT', path: string, body: object];
  /**
   * Path for reading and deleting the record. Its parameter is the id of the record, or its key.
   */
  one: string;
  key?: 'name';
  /**
   * For a part without an update of its own, which has the version of its owner: updates the owner.
   */
  update: readonly [method: 'PATCH' | 'PUT' | 'DELETE', path: string, body?: object];
  /** Query of the list that returns only this record. */
  find?: string;
  /** The record after its deletion. If absent, it no longer exists. */
  remains?: object;
}>;

const described = { description: 'changed' };
const target = { model: 'base' };
const remote = 'https://remote.example.com/v1';
/** Permissions of the tool's own token. */
const carried = ['usage:read', 'key:create', 'key:revoke', 'config:write'] as const;

/** The test creates the records with the ids 1 and 2 that these paths use. */
const resources: Readonly<Record<string, Resource>> = {
  principal: {
    create: ['POST', '/admin/principals', { name: 'made' }],
    one: '/admin/principals/{id}',
    update: ['PATCH', '/admin/principals/{id}', { name: 'renamed' }],
    find: '/admin/principals?name=made',
  },
  key: {
    create: ['POST', '/admin/keys', { name: 'made', principal_id: 1 }],
    one: '/admin/keys/{id}',
    update: ['DELETE', '/admin/keys/{id}'],
    find: '/admin/keys?name=made&principal_id=1',
    remains: { disabled: true },
  },
  token: {
    create: ['POST', '/admin/tokens', { name: 'made', principal_id: 2, permissions: [...carried] }],
    one: '/admin/tokens/{id}',
    update: ['DELETE', '/admin/tokens/{id}'],
    find: '/admin/tokens?name=made&principal_id=2',
    remains: { revoked: true },
  },
  role: {
    create: ['POST', '/admin/roles', { name: 'made' }],
    one: '/admin/roles/{name}',
    key: 'name',
    update: ['PATCH', '/admin/roles/{name}', described],
    find: '/admin/roles?name=made',
  },
  provider: {
    create: ['POST', '/admin/providers', { name: 'made' }],
    one: '/admin/providers/{id}',
    update: ['PATCH', '/admin/providers/{id}', { name: 'renamed' }],
    find: '/admin/providers?name=made',
  },
  'provider model': {
    create: ['POST', '/admin/provider-models', { name: 'made', input_price_per_mtok: 5 }],
    one: '/admin/provider-models/{id}',
    update: ['PATCH', '/admin/provider-models/{id}', { input_price_per_mtok: 7 }],
    find: '/admin/provider-models?name=made',
  },
  backend: {
    create: ['POST', '/admin/provider-models/2/backends', { provider_id: 1 }],
    one: '/admin/backends/{id}',
    update: ['PATCH', '/admin/backends/{id}', { default_max_tokens: 100 }],
  },
  'frontend model': {
    create: ['POST', '/admin/frontend-models', { name: 'made' }],
    one: '/admin/frontend-models/{id}',
    update: ['PATCH', '/admin/frontend-models/{id}', described],
    find: '/admin/frontend-models?name=made',
  },
  rule: {
    create: ['POST', '/admin/frontend-models/1/rules', { name: 'made', targets: [] }],
    one: '/admin/rules/{id}',
    update: ['PATCH', '/admin/rules/{id}', { name: 'renamed', enabled: false }],
  },
  'rule target': {
    create: ['POST', '/admin/rules/1/targets', target],
    one: '/admin/rule-targets/{id}',
    update: ['PATCH', '/admin/frontend-models/1', { description: 'changed by a target' }],
  },
  'default target': {
    create: ['POST', '/admin/frontend-models/1/defaults', target],
    one: '/admin/frontend-model-defaults/{id}',
    update: ['PATCH', '/admin/frontend-models/1', { description: 'changed by a default' }],
  },
  pool: {
    create: ['POST', '/admin/model-pools', { name: 'made' }],
    one: '/admin/model-pools/{id}',
    update: ['PATCH', '/admin/model-pools/{id}', described],
    find: '/admin/model-pools?name=made',
  },
  'pool member': {
    create: ['POST', '/admin/model-pools/1/members', { ...target, weight: 3 }],
    one: '/admin/model-pool-members/{id}',
    update: ['PATCH', '/admin/model-pools/1', described],
  },
  'prompt class': {
    create: ['POST', '/admin/prompt-classes', { name: 'made' }],
    one: '/admin/prompt-classes/{id}',
    update: ['PATCH', '/admin/prompt-classes/{id}', described],
    find: '/admin/prompt-classes?name=made',
  },
  'prompt example': {
    create: ['POST', '/admin/prompt-classes/1/examples', { prompt: 'Sort this list' }],
    one: '/admin/prompt-classes/1/examples/{example_id}',
    update: ['PATCH', '/admin/prompt-classes/1', described],
    find: '/admin/prompt-classes/1/examples?id=1',
  },
  'MCP server': {
    create: ['POST', '/admin/mcp-servers', { name: 'made', url: remote }],
    one: '/admin/mcp-servers/{id}',
    update: ['PATCH', '/admin/mcp-servers/{id}', { enabled: false }],
    find: '/admin/mcp-servers?name=made',
  },
  'A2A agent': {
    create: ['POST', '/admin/a2a-agents', { name: 'made', url: remote }],
    one: '/admin/a2a-agents/{id}',
    update: ['PATCH', '/admin/a2a-agents/{id}', { enabled: false }],
    find: '/admin/a2a-agents?name=made',
  },
  webhook: {
    create: ['POST', '/admin/webhooks', { name: 'made', url: remote }],
    one: '/admin/webhooks/{id}',
    update: ['PATCH', '/admin/webhooks/{id}', { enabled: false }],
    find: '/admin/webhooks?name=made',
  },
  limits: {
    create: ['PUT', '/admin/principals/1/limits', { requests_per_min: 5 }],
    one: '/admin/principals/1/limits',
    update: ['PUT', '/admin/principals/1/limits', { requests_per_min: 6 }],
    find: '/admin/limits?principal_id=1',
  },
  budget: {
    create: ['PUT', '/admin/principals/1/budget', { tokens_total: 5, window: 'daily' }],
    one: '/admin/principals/1/budget',
    update: ['PUT', '/admin/principals/1/budget', { tokens_total: 6 }],
    find: '/admin/budgets?principal_id=1',
  },
};

/** Relations are part of other records. */
const walkedElsewhere = new Set([
  '/admin/principals/{id}/roles/{role}',
  '/admin/principals/{id}/identity',
  '/admin/principals/{id}/budget/increases/{increase}',
  '/admin/roles/{name}/permissions',
]);

const ok = (answer: TestAnswer): TestAnswer => {
  assert.ok(answer.status < 300, JSON.stringify(answer.body));
  return answer;
};

const etagOf = ({ headers }: TestAnswer): string => headers.get('etag') ?? '';

/** The record has these values in all fields that it shows. */
function assertShows(record: unknown, fields: object): void {
  assert.ok(typeof record === 'object' && record !== null);
  const shown = Object.keys(fields).filter((name) => name in record);
  const expected = shown.map((name) => [name, member(fields, name)]);
  assert.deepEqual(
    shown.map((name) => [name, member(record, name)]),
    expected,
  );
}

describe('an infrastructure tool', () => {
  it('creates, reads, finds, updates and deletes every resource with an admin token', async (t) => {
    const { ask, send: sendAsPerson } = await testAdministrator(t);
    const own = { name: 'tool', principal_id: 2, permissions: [...carried] };
    const token = String(
      member(ok(await sendAsPerson('POST', '/admin/tokens', own)).body, 'token'),
    );
    const send = (method: string, path: string, body?: unknown): Promise<TestAnswer> =>
      ask({ method, path, token, body });
    const { apiBase } = await listedProvider(t);
    const { apiBase: other } = await listedProvider(t);
    for (const [path, body] of [
      ['/admin/providers', { name: 'base', api_base: apiBase }],
      ['/admin/provider-models', { name: 'base' }],
      ['/admin/provider-models', { name: 'without a backend' }],
      ['/admin/frontend-models', { name: 'chat', rules: [{ targets: [] }] }],
      ['/admin/model-pools', { name: 'pool' }],
      ['/admin/prompt-classes', { name: 'base' }],
    ] as const) {
      ok(await send('POST', path, body));
    }

    for (const [name, { create, one, key, update, find, remains }] of Object.entries(resources)) {
      await t.test(name, async () => {
        const [method, path, given] = create;
        const body = name === 'provider' ? { ...given, api_base: other } : given;
        const made = ok(await send(method, path, body)).body;
        assert.ok(typeof made === 'object' && made !== null);
        const at = (template: string): string =>
          template.replace(/\{\w+\}/, () => String(member(made, key ?? 'id')));
        const edit = (verb: string, place: string, etag: string, change?: object) =>
          ask({
            method: verb,
            path: at(place),
            token,
            body: change,
            headers: { 'if-match': etag },
          });

        const read = ok(await send('GET', at(one)));
        assertShows(read.body, made);
        assertShows(read.body, given);
        if (find !== undefined) assert.deepEqual((await send('GET', find)).body, [read.body]);

        const [verb, place, change] = update;
        const updated = ok(await edit(verb, place, etagOf(read), change));
        const reread = ok(await send('GET', at(one)));
        assert.equal(etagOf(reread), etagOf(updated));
        assert.notEqual(etagOf(reread), etagOf(read));
        if (place === one) assertShows(reread.body, change ?? {});
        const stale = await edit(verb, place, etagOf(read), change);
        assert.deepEqual(errorOf(stale), [412, 'stale', 'if-match']);
        assert.deepEqual(errorOf(await edit('DELETE', one, etagOf(read))), [
          412,
          'stale',
          'if-match',
        ]);
        assert.deepEqual((await send('GET', at(one))).body, reread.body);

        ok(await edit('DELETE', one, etagOf(reread)));
        const last = await send('GET', at(one));
        if (remains === undefined) assert.deepEqual(errorOf(last), [404, 'absent', null]);
        else assertShows(last.body, remains);
      });
    }
  });

  it('walks every resource that can be deleted', () => {
    const walked = Object.values(resources).map(({ one }) => one.replace('/1/', '/{id}/'));
    const deletable = adminRoutes
      .filter(({ method, operation }) => method === 'DELETE' && !operation.endsWith('ByAlias'))
      .map(({ path }) => path)
      .filter((path) => !walkedElsewhere.has(path));
    assert.deepEqual(deletable.toSorted(), walked.toSorted());
  });
});
