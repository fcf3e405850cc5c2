// Tests declarative files over the admin API: plan, apply, export and what stays unchanged.

import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { describe, it } from 'node:test';

import { z } from 'zod';

import { errorOf, member } from '../../harness/admin/admin.ts';
import {
  declaring as started,
  hook,
  readPlan as read,
  signing,
} from '../../harness/admin/declared.ts';
import type { Planned } from '../../harness/admin/declared.ts';
import { fourEyes } from '../../harness/admin/four-eyes.ts';

const signs = ({ changes }: Planned): readonly string[] =>
  changes.map(({ action, list, name }) => `${action} ${list} ${name}`);

const everything = {
  providers: [
    { name: 'rack', api_base: 'http://rack:8000/v1/' },
    { name: 'cloud', catalogue_key: 'anthropic', upstream_api_key: 'a-secret-of-the-cloud' },
  ],
  models: [
    { name: 'small', provider: 'rack', context_length: 4096, admission_max_concurrent: 4 },
    { name: 'large', provider: 'cloud', upstream_model: 'c-1', default_max_tokens: 64 },
    { name: 'nowhere', input_price_per_mtok: 5 },
  ],
  pools: [
    { name: 'both', policy: 'round-robin', members: ['small', { model: 'large', weight: 2 }] },
  ],
  prompt_classes: [
    { name: 'rust', tier: 'refined', refines: ['code'] },
    { name: 'code', min_margin: 0.25 },
  ],
  frontend_models: [
    {
      name: 'chat',
      rules: [
        {
          name: 'Night',
          after: '22:00',
          principals: ['ci', 'Ada L.'],
          roles: ['readers'],
          targets: ['both'],
        },
        { class: 'rust', targets: ['large'] },
        { action: 'jump', jump_to: 'other', min_prompt_tokens: 5 },
      ],
      default_targets: ['small', 'both'],
    },
    { name: 'other', default_targets: ['both'] },
  ],
  roles: [{ name: 'readers', permissions: [{ verb: 'model:invoke', resource: 'model/small' }] }],
  principals: [
    {
      name: 'ci',
      roles: ['readers'],
      limits: { tokens_per_min: 7 },
      budget: {
        tokens_total: 9,
        calendar: { unit: 'week', time_zone: 'Asia/Kolkata' },
        alert_at_percent: [50, 90],
      },
    },
    { name: 'Ada L.', kind: 'user', roles: ['operator'] },
  ],
  keys: [{ name: 'laptop', principal: 'ci', key_sha256: hash('sha256', 'a key') }],
  mcp_servers: [{ name: 'files', url: 'http://files/mcp', upstream_api_key: 'a-secret-of-files' }],
  a2a_agents: [{ name: 'helper', url: 'http://helper/' }],
  webhooks: [
    { name: 'alerts', url: hook, secret: signing, types: ['log_alarm', 'backend_down'] },
    { name: 'pager', format: 'pagerduty', routing_key: 'a-secret-of-pagerduty' },
  ],
  settings: { fallback_model: 'small' },
};

describe('an apply', () => {
  it('creates every kind of resource in one change, and a second apply has no effect', async (t) => {
    const { plan, apply, exported, send, plane, position } = await started(t);
    const before = position();
    assert.equal(read(await plan(everything)).changes.length, 19);
    assert.equal(position(), before);
    const answer = await apply(everything, { reason: 'commit 3f1c2aa' });
    assert.equal(read(answer).changes.length, 19);
    assert.equal(answer.headers.get('x-gw-snapshot-version'), String(plane.store.state().version));
    const [command] = z
      .array(z.object({ command: z.string(), reason: z.string(), event_count: z.int() }))
      .parse((await send('GET', '/admin/history/commands?limit=1')).body);
    assert.deepEqual([command?.command, command?.reason], ['ApplyConfiguration', 'commit 3f1c2aa']);
    assert.equal(command?.event_count, position() - before);
    const after = position();
    assert.deepEqual(read(await apply(everything)).changes, []);
    assert.deepEqual(read(await plan(await exported())).changes, []);
    assert.equal(position(), after);
    const later = JSON.parse(JSON.stringify(everything).replace('22:00', '23:00'));
    const [change] = read(await plan(later)).changes;
    const shown = JSON.stringify(change?.fields);
    assert.match(shown, /"before":.*"after":"22:00".*"after":.*"after":"23:00"/);
  });

  it('shows no secret in a plan, a response, an export or an event', async (t) => {
    const { plan, apply, send, exported } = await started(t);
    const texts = [await plan(everything), await apply(everything), await exported()];
    const events = await send('GET', '/admin/history/events?limit=200');
    const all = JSON.stringify([texts, events.body]);
    assert.doesNotMatch(all, /a-secret-of|whsec/);
    assert.match(all, /"upstream_api_key":"held"/);
  });

  it('deletes resources removed from the files, and keeps those made by hand', async (t) => {
    const { plan, apply, send } = await started(t);
    await send('POST', '/admin/models', { name: 'by hand' });
    await apply({ models: [{ name: 'a' }, { name: 'b' }] });
    const less = { models: [{ name: 'b' }] };
    const shown = read(await plan(less));
    assert.deepEqual(signs(shown), ['delete models a']);
    assert.ok(shown.unmanaged.some(({ list, name }) => list === 'models' && name === 'by hand'));
    await apply(less);
    assert.deepEqual(signs(read(await plan(less, { prune: true }))), ['delete models by hand']);
  });

  it('clears a field removed from the files, and keeps one that they never set', async (t) => {
    const { plan, apply, send } = await started(t);
    await apply({ models: [{ name: 'a', context_length: 5 }] });
    await send('PATCH', '/admin/models/1', { cache_ttl_seconds: 60 });
    assert.deepEqual(read(await plan({ models: [{ name: 'a', context_length: 5 }] })).changes, []);
    const [change] = read(await apply({ models: [{ name: 'a' }] })).changes;
    assert.deepEqual(change?.fields, [{ field: 'context_length', before: 5, after: null }]);
    const { body } = await send('GET', '/admin/models/1');
    assert.deepEqual(
      [member(body, 'context_length'), member(body, 'cache_ttl_seconds')],
      [null, 60],
    );
  });

  it('names who changed a resource since the last apply, and reverts the change', async (t) => {
    const { plan, apply, send } = await started(t);
    const files = { models: [{ name: 'a', description: 'ours' }, { name: 'b' }] };
    await apply(files);
    await send('PATCH', '/admin/models/1', { name: 'renamed', description: 'mine' });
    await send('DELETE', '/admin/models/2');
    const { changes } = read(await plan(files));
    assert.deepEqual(
      changes.map(({ action, name, id, drift }) => [action, name, id, drift]),
      [
        ['update', 'a', 1, { type: 'ModelDescribed', actor: 'boss' }],
        ['create', 'b', null, { type: 'ModelDeleted', actor: 'boss' }],
      ],
    );
    assert.deepEqual(changes[0]?.fields, [
      { field: 'name', before: 'renamed', after: 'a' },
      { field: 'description', before: 'mine', after: 'ours' },
    ]);
    await apply(files);
    assert.deepEqual(read(await plan(files)).changes, []);
    assert.equal(member((await send('GET', '/admin/models/1')).body, 'name'), 'a');
  });

  it('gives the name of a deleted resource to one of another list', async (t) => {
    const { plan, apply, exported, position } = await started(t);
    const frontend = { name: 'f', default_targets: ['x'] };
    const asModel = {
      models: [{ name: 'm' }, { name: 'x' }],
      pools: [],
      frontend_models: [frontend],
    };
    const pool = { name: 'x', members: ['m'] };
    const asPool = { models: [{ name: 'm' }], pools: [pool], frontend_models: [frontend] };
    const asFrontend = { models: [{ name: 'm' }], pools: [], frontend_models: [{ name: 'x' }] };
    assert.equal((await apply(asModel)).status, 200);

    assert.deepEqual(signs(read(await apply(asPool))), [
      'create pools x',
      'update frontend_models f',
      'delete models x',
    ]);
    assert.deepEqual(signs(read(await plan(asPool))), []);
    const { frontend_models: routed } = await exported();
    assert.deepEqual(member(member(routed, '0'), 'default_targets'), ['x']);

    const before = position();
    const refused = await apply(asModel);
    assert.match(JSON.stringify(refused.body), /pool x is a target of f/);
    assert.equal(position(), before);

    assert.equal((await apply({ ...asPool, frontend_models: [] })).status, 200);
    assert.deepEqual(signs(read(await apply(asFrontend))), [
      'create frontend_models x',
      'delete pools x',
    ]);
    assert.deepEqual(signs(read(await apply(asPool))), [
      'create pools x',
      'create frontend_models f',
      'delete frontend_models x',
    ]);
  });

  it('renames a resource by its previous name in the files, and keeps its id', async (t) => {
    const { apply } = await started(t);
    await apply({ models: [{ name: 'a' }] });
    const [change] = read(await apply({ models: [{ name: 'b', was: 'a' }] })).changes;
    assert.deepEqual([change?.action, change?.id], ['update', 1]);
    assert.deepEqual(read(await apply({ models: [{ name: 'b', was: 'a' }] })).changes, []);
  });

  it('applies exactly the named plan, or nothing', async (t) => {
    const { plan, apply, send, position } = await started(t);
    const files = { models: [{ name: 'a', context_length: 5 }] };
    const { plan: digest } = read(await plan(files));
    await send('POST', '/admin/roles', { name: 'elsewhere' });
    read(await apply(files, { plan: digest }));
    const { plan: next } = read(await plan({ models: [{ name: 'a', context_length: 6 }] }));
    await send('PATCH', '/admin/models/1', { context_length: 7 });
    const before = position();
    const stale = await apply({ models: [{ name: 'a', context_length: 6 }] }, { plan: next });
    assert.deepEqual(errorOf(stale), [409, 'conflict', 'plan']);
    assert.equal(position(), before);
  });
});

describe('declarative files that are refused', () => {
  it('change nothing, and the refusal names the place', async (t) => {
    const { apply, position } = await started(t);
    const before = position();
    const refused: readonly (readonly [object, string])[] = [
      [{ models: [{ name: 'a' }, { name: 'b', provider: 'gone' }] }, 'resources.models.1.provider'],
      [{ models: [{ name: 'a' }, { name: 'a' }] }, 'resources.models.1'],
      [{ models: [{ name: 'a', colour: 1 }] }, 'resources.models.0.colour'],
      [{ pools: [{ name: 'p', members: ['gone'] }] }, 'resources.pools.0.members.0.model'],
      [{ providers: [{ name: 'p' }] }, 'resources.providers.0.api_base'],
      [
        { providers: [{ name: 'p', api_base: 'http://p', upstream_api_key: 'held' }] },
        'resources.providers.0.upstream_api_key',
      ],
      [
        { frontend_models: [{ name: 'f', rules: [{ action: 'jump', jump_to: 'gone' }] }] },
        'resources.frontend_models.0.jump_to',
      ],
      [{ settings: { fallback_model: 'gone' } }, 'resources.settings.0'],
    ];
    for (const [resources, param] of refused) {
      const [, , named] = errorOf(await apply({ ...resources }));
      assert.equal(named, param, JSON.stringify(resources));
    }
    assert.equal(position(), before);
  });

  it('cannot refer to a resource that the same apply deletes', async (t) => {
    const { apply, position } = await started(t);
    await apply({ models: [{ name: 'a' }, { name: 'b' }] });
    const before = position();
    for (const files of [
      { frontend_models: [{ name: 'f', default_targets: ['a'] }] },
      { pools: [{ name: 'p', members: ['a'] }] },
      { settings: { fallback_model: 'a' } },
    ]) {
      const refused = await apply({ models: [{ name: 'b' }], ...files });
      assert.equal(refused.status, 409, JSON.stringify(refused.body));
      assert.match(JSON.stringify(refused.body), /refers to a resource that this apply deletes/);
    }
    assert.equal(position(), before);
  });

  it('cannot name a resource of another set', async (t) => {
    const { apply, plan } = await started(t);
    await apply({ models: [{ name: 'a' }] }, { set: 'platform' });
    const refused = await apply({ models: [{ name: 'a' }] }, { set: 'apps' });
    assert.deepEqual(errorOf(refused), [409, 'conflict', 'resources.models.0']);
    assert.match(JSON.stringify(refused.body), /a is managed by the set platform/);
    const pruned = read(await plan({ models: [] }, { set: 'apps', prune: true }));
    assert.deepEqual(
      [pruned.changes, pruned.unmanaged.map(({ list }) => list)],
      [[], ['roles', 'roles', 'roles', 'principals', 'principals']],
    );
  });
});

const keyOfCi = (name: string) => ({ name, principal: 'ci', key_sha256: hash('sha256', name) });

it('a key that was revoked stays so, and one that left the files is revoked', async (t) => {
  const { apply, plan, send, plane } = await started(t);
  const files = { principals: [{ name: 'ci' }], keys: [keyOfCi('one'), keyOfCi('two')] };
  await apply(files);
  await send('DELETE', '/admin/keys/1');
  const shown = read(await plan(files));
  assert.deepEqual(shown.changes, []);
  assert.deepEqual(shown.warnings, [
    'key ci/one was revoked and stays revoked; remove it from the files',
  ]);
  await apply({ principals: [{ name: 'ci' }] });
  const keys = [...plane.store.state().api_key.byId.values()];
  assert.deepEqual(
    keys.map(({ disabled }) => disabled),
    [true, true],
  );
});

const providerWith = (upstream_api_key?: string | null) => ({
  providers: [{ name: 'p', api_base: 'http://p/v1', upstream_api_key }],
});

it('a credential is replaced when the files give another, and kept when they say held', async (t) => {
  const { apply, plan, plane } = await started(t);
  await apply(providerWith('one'));
  const held = () => plane.store.state().provider.byId.get(1)?.credential;
  const first = held();
  for (const same of [providerWith('one'), providerWith('held'), providerWith()]) {
    assert.deepEqual(read(await plan(same)).changes, []);
  }
  const [change] = read(await apply(providerWith('two'))).changes;
  assert.deepEqual(change?.fields, [
    { field: 'upstream_api_key', before: 'held', after: 'another credential' },
  ]);
  assert.notEqual(held()?.ref, first?.ref);
  const moved = { providers: [{ name: 'p', api_base: 'http://elsewhere/v1' }] };
  assert.deepEqual(errorOf(await apply(moved)), [400, 'invalid', 'resources.providers.0.api_base']);
  await apply(providerWith(null));
  assert.equal(held(), null);
});

it('under a change policy, an apply is drafted, approved and then made', async (t) => {
  const { ada, boss, plane, approve } = await fourEyes(t);
  assert.equal((await boss('PUT', '/admin/change-policy', { kinds: ['models'] })).status, 200);
  const body = { resources: { models: [{ name: 'b' }] }, reason: 'commit 1' };
  const path = '/admin/configuration/apply';
  assert.deepEqual(errorOf(await ada('POST', path, body)).slice(0, 2), [403, 'approval_required']);
  const calls = [{ method: 'POST', path, body }];
  const draft = { title: 'gw apply', calls, reason: 'commit 1' };
  const id = Number(member((await ada('POST', '/admin/change-requests', draft)).body, 'id'));
  assert.equal((await approve(boss, id)).status, 200);
  const applied = await ada('POST', `/admin/change-requests/${id}/apply`, {});
  assert.equal(applied.status, 200, JSON.stringify(applied.body));
  assert.equal(plane.store.state().model.byId.get(2)?.name, 'b');
  const again = await ada('POST', '/admin/configuration/plan', { resources: body.resources });
  assert.deepEqual(read(again).changes, []);
});
