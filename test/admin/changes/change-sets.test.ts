// Tests that several calls are previewed and made together or not at all, by the rules of each.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { TestContext } from 'node:test';

import { z } from 'zod';

import { adminRoutes } from '../../../src/admin/routes.ts';
import { isProposable } from '../../../src/admin/changes/proposal.ts';
import { errorOf, member, testAdministrator } from '../../harness/admin/admin.ts';
import { listedProvider } from '../../harness/upstream/model-list.ts';

const changeSchema = z.object({
  calls: z.array(z.object({ event_count: z.int() })),
  event_count: z.int(),
  events: z.array(z.object({ stream: z.string(), type: z.string() })),
  diff: z.array(z.object({ kind: z.string(), id: z.int(), change: z.string() })),
});

type ProposedCall = Readonly<{ method: string; path: string; body?: unknown }>;

async function started(t: TestContext) {
  const admin = await testAdministrator(t);
  const { ask, cookie, plane } = admin;
  const at =
    (action: string, headers: Record<string, string> = {}) =>
    (body: object) =>
      ask({ method: 'POST', path: `/admin/change-sets/${action}`, cookie, body, headers });
  const preview = at('preview');
  const apply = (calls: readonly ProposedCall[], headers: Record<string, string> = {}) =>
    at('apply', headers)({ calls, reason: 'CHG-1' });
  const position = (): number => plane.store.state().position;
  return { ...admin, preview, apply, position };
}

const post = (path: string, body: unknown): ProposedCall => ({ method: 'POST', path, body });

const twoModels = [
  post('/admin/models', { name: 'a' }),
  post('/admin/model-pools', { name: 'p', members: [{ model: 'a' }] }),
  { method: 'PATCH', path: '/admin/provider-models/1', body: { name: 'b' } },
] as const;

const revoke = (id: number) => ({ method: 'DELETE', path: `/admin/keys/${id}` });

describe('a set of calls', () => {
  it('is shown as one change, each call on what those before it made, and nothing is written', async (t) => {
    const { preview, position } = await started(t);
    const before = position();
    const answer = await preview({ calls: twoModels, dry_run: { model: 'b' } });
    assert.equal(answer.status, 200, JSON.stringify(answer.body));
    const shown = changeSchema.parse(answer.body);
    assert.deepEqual(
      shown.events.map(({ stream, type }) => `${stream} ${type}`),
      [
        'model-1 ModelCreated',
        'pool-1 PoolCreated',
        'pool-1 PoolMembersSet',
        'model-1 ModelRenamed',
      ],
    );
    assert.deepEqual(
      shown.calls.map((one) => one.event_count),
      [1, 2, 1],
    );
    assert.deepEqual(
      shown.diff.map(({ kind, id, change }) => [kind, id, change]),
      [
        ['model', 1, 'created'],
        ['pool', 1, 'created'],
      ],
    );
    assert.equal(member(member(answer.body, 'dry_run'), 'model'), 'b');
    assert.equal(position(), before);
  });

  it('is made in one transaction, with one row of history and one version', async (t) => {
    const { apply, send, position, plane } = await started(t);
    const before = position();
    const answer = await apply(twoModels);
    assert.equal(answer.status, 200, JSON.stringify(answer.body));
    assert.equal(position(), before + 4);
    assert.equal(answer.headers.get('x-gw-snapshot-version'), String(plane.store.state().version));
    const [command] = z
      .array(z.object({ command: z.string(), reason: z.string(), event_count: z.int() }))
      .parse((await send('GET', '/admin/history/commands?limit=1')).body);
    assert.deepEqual(command, { command: 'ApplyChanges', reason: 'CHG-1', event_count: 4 });
    const models = await send('GET', '/admin/models');
    assert.match(JSON.stringify(models.body), /"name":"b"/);
  });

  it('of which one cannot be made changes nothing, and names that one', async (t) => {
    const { apply, preview, position } = await started(t);
    const before = position();
    const taken = [...twoModels, post('/admin/model-pools', { name: 'b' })];
    const refused = await apply(taken);
    assert.deepEqual(errorOf(refused), [409, 'conflict', 'calls.3.name']);
    assert.match(JSON.stringify(refused.body), /calls\.3: model b exists/);
    const absent = [...twoModels, { method: 'DELETE', path: '/admin/models/9' }];
    assert.deepEqual(errorOf(await preview({ calls: absent })), [404, 'absent', 'calls.3']);
    const unknown = [post('/admin/models', { name: 'a', colour: 'red' })];
    assert.deepEqual(errorOf(await apply(unknown)), [400, 'invalid', 'calls.0.colour']);
    assert.equal(position(), before);
  });

  it('is refused when the configuration is not the one that was shown', async (t) => {
    const { apply, preview, send } = await started(t);
    const shown = await preview({ calls: twoModels });
    await send('POST', '/admin/models', { name: 'between' });
    const stale = await apply(twoModels, { 'if-match': shown.headers.get('etag') ?? '' });
    assert.deepEqual(errorOf(stale), [412, 'stale', 'if-match']);
  });

  it('needs a reason, and is made once for an Idempotency-Key', async (t) => {
    const { ask, cookie, apply, position } = await started(t);
    const path = '/admin/change-sets/apply';
    const silent = await ask({ method: 'POST', path, cookie, body: { calls: twoModels } });
    assert.deepEqual(errorOf(silent), [400, 'invalid', 'reason']);
    const first = await apply(twoModels, { 'idempotency-key': 'once' });
    assert.equal(first.status, 200, JSON.stringify(first.body));
    const made = position();
    const again = await apply(twoModels, { 'idempotency-key': 'once' });
    assert.deepEqual([again.status, again.body, position()], [200, first.body, made]);
  });

  it('keeps its secrets in the vault, and shows none of them', async (t) => {
    const { apply, preview, plane } = await started(t);
    const { apiBase } = await listedProvider(t);
    const key = 'sk-never-to-be-shown';
    const calls = [
      post('/admin/providers', { name: 'rack', api_base: apiBase, upstream_api_key: key }),
      post('/admin/principals', { name: 'ada', kind: 'user', email: 'ada@example.com' }),
    ];
    const shown = await preview({ calls });
    const made = await apply(calls);
    for (const answer of [shown, made]) {
      assert.equal(answer.status, 200, JSON.stringify(answer.body));
      assert.doesNotMatch(JSON.stringify(member(answer.body, 'events')), /sk-never|ada@|"ada"/);
    }
    const ref = plane.store.state().provider.byId.get(1)?.credential?.ref ?? '';
    assert.equal((await plane.vault.reveal(plane.db, [ref])).get(ref), key);
  });

  it('holds no key, no restore, no other set and nothing that is not of the configuration', async (t) => {
    const { preview } = await started(t);
    const refused = [
      post('/admin/keys', { name: 'k', principal_id: 1 }),
      post('/admin/sessions/revoke-all', {}),
      post('/admin/snapshots/1/restore', { reason: 'x' }),
      post('/admin/change-sets/apply', { calls: twoModels }),
      post('/admin/models?limit=1', { name: 'a' }),
      { method: 'PUT', path: '/admin/models/1' },
    ];
    for (const one of refused) {
      const answer = await preview({ calls: [one] });
      assert.deepEqual(errorOf(answer), [400, 'invalid', 'calls.0.path'], one.path);
    }
    const mutations = adminRoutes.filter(isProposable);
    const others = mutations.filter(({ permission }) => permission !== 'config:write');
    assert.deepEqual(
      others.map(({ operation }) => operation),
      ['revokeKey'],
    );
  });

  it('revokes keys together or not at all, and only for a caller who may revoke each', async (t) => {
    const { apply, ask, login, send, plane } = await started(t);
    for (const name of ['a', 'b']) await send('POST', '/admin/keys', { name, principal_id: 1 });
    const disabled = () =>
      [...plane.store.state().api_key.byId.values()].map((key) => key.disabled);
    assert.deepEqual(errorOf(await apply([revoke(1), revoke(9)])), [404, 'absent', 'calls.1']);
    await send('POST', '/admin/roles', { name: 'writer' });
    await send('POST', '/admin/roles/writer/permissions', { verb: 'config:write', resource: '*' });
    const cookie = await login('ada', ['writer']);
    const body = { calls: [revoke(1)], reason: 'CHG-1' };
    const path = '/admin/change-sets/apply';
    const refused = await ask({ method: 'POST', path, cookie, body });
    assert.deepEqual(errorOf(refused), [403, 'forbidden', 'calls.0']);
    assert.deepEqual(disabled(), [false, false]);
    assert.equal((await apply([revoke(1), revoke(2)])).status, 200);
    assert.deepEqual(disabled(), [true, true]);
  });
});
