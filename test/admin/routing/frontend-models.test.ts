// Tests frontend models, targets and defaults over HTTP.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { errorOf, member, testAdministrator } from '../../harness/admin/admin.ts';
import { seededServer } from '../../harness/admin/seeded-server.ts';
import { bareRule, onModel } from '../../harness/admin/rule-records.ts';

describe('a frontend model', () => {
  it('is created, listed, read, changed and deleted, under both names of the path', async (t) => {
    const { send } = await testAdministrator(t);
    const made = { name: 'house', description: 'for all', max_model_len: 8192 };
    const record = { id: 1, ...made, rules: [], default_targets: [], version: 1 };
    assert.deepEqual((await send('POST', '/admin/virtual-models', made)).body, record);
    for (const family of ['frontend-models', 'virtual-models']) {
      assert.deepEqual((await send('GET', `/admin/${family}/1`)).body, record);
      const { body } = await send('GET', `/admin/${family}`);
      assert.deepEqual(body, [record]);
    }
    const change = { name: 'home', description: null, max_model_len: null };
    const changed = await send('PATCH', '/admin/virtual-models/1', change);
    assert.deepEqual(changed.body, { ...record, ...change, version: 4 });
    assert.deepEqual((await send('DELETE', '/admin/frontend-models/1')).body, { id: 1 });
    for (const method of ['GET', 'DELETE']) {
      assert.equal((await send(method, '/admin/frontend-models/1')).status, 404);
    }
  });

  it('is created with its rules, their targets by name, and its defaults', async (t) => {
    const { send, one } = await seededServer(t);
    const created = await send('POST', '/admin/frontend-models', {
      name: 'whole',
      rules: [
        { action: 'deny', deny_status: 413, min_prompt_tokens: 9000 },
        { targets: ['pair', { model: 'large' }], roles: ['inference'] },
        { action: 'jump', jump_to: 1 },
      ],
      default_targets: ['small'],
    });
    assert.equal(created.status, 200);
    assert.deepEqual(member(created.body, 'rules'), [
      { ...bareRule, action: 'deny', deny_status: 413, min_prompt_tokens: 9000 },
      {
        ...bareRule,
        id: 2,
        position: 1,
        roles: ['inference'],
        targets: [
          { id: 1, provider_model_id: null, model_pool_id: 1, model: 'pair', position: 0 },
          onModel(2, 2, 'large', 1),
        ],
      },
      { ...bareRule, id: 3, position: 2, action: 'jump', jump_to: 1 },
    ]);
    assert.deepEqual(member(created.body, 'default_targets'), [onModel(3, 1, 'small', 0)]);
    assert.deepEqual((await send('GET', '/admin/frontend-models/2')).body, created.body);
    assert.deepEqual(member(await one(), 'rules'), []);
  });

  it('takes the name of a provider model', async (t) => {
    const { send } = await seededServer(t);
    const given = { name: 'small', default_targets: ['small'] };
    const { status, body } = await send('POST', '/admin/frontend-models', given);
    assert.equal(status, 200, JSON.stringify(body));
    const routed = await send('POST', '/admin/routing/dry-run', { model: 'small' });
    assert.match(JSON.stringify(routed.body), /"default"/);
    assert.equal((await send('PATCH', '/admin/frontend-models/1', { name: 'large' })).status, 200);
  });

  it('refuses a name that is taken, and one with a star', async (t) => {
    const { send } = await seededServer(t);
    const held = {
      '/admin/frontend-models': ['pair', 'house'],
      '/admin/model-pools': ['small', 'pair', 'house'],
      '/admin/models': ['small', 'pair'],
    };
    await send('POST', '/admin/frontend-models', { name: 'annex' });
    await send('POST', '/admin/model-pools', { name: 'trio' });
    for (const [path, names] of Object.entries(held)) {
      for (const name of names) {
        assert.deepEqual(errorOf(await send('POST', path, { name })), [409, 'conflict', 'name']);
      }
      assert.deepEqual(errorOf(await send('POST', path, { name: 'a*' })), [400, 'invalid', 'name']);
      const renamed = await send('PATCH', `${path}/2`, { name: names[0] });
      assert.deepEqual(errorOf(renamed), [409, 'conflict', 'name']);
    }
    for (const max_model_len of [0, -1, 1.5, '8']) {
      const refused = await send('PATCH', '/admin/frontend-models/1', { max_model_len });
      assert.deepEqual(errorOf(refused), [400, 'invalid', 'max_model_len']);
    }
  });
});

describe('a target', () => {
  it('is added by id or by name at its position, and removed by its own id', async (t) => {
    const { send, rules } = await seededServer(t);
    await send('POST', '/admin/frontend-models/1/rules', {});
    const path = '/admin/rules/1/targets';
    const first = await send('POST', path, { provider_model_id: 2, position: 5 });
    assert.deepEqual(first.body, onModel(1, 2, 'large', 5));
    const pool = { id: 2, provider_model_id: null, model_pool_id: 1, model: 'pair', position: 1 };
    const second = await send('POST', path, { model_pool_id: 1, position: 1 });
    assert.deepEqual(second.body, pool);
    const third = await send('POST', path, { model: 'small' });
    assert.deepEqual(third.body, onModel(3, 1, 'small', 6));
    assert.deepEqual(member((await rules())[0], 'targets'), [pool, first.body, third.body]);
    const cases: readonly (readonly [unknown, readonly unknown[]])[] = [
      [{ provider_model_id: 2 }, [409, 'conflict', 'model']],
      [{ model: 'nothing' }, [400, 'invalid', 'model']],
      [{ provider_model_id: 9 }, [400, 'invalid', 'provider_model_id']],
      [{}, [400, 'invalid', 'model']],
      [{ model: 'small', weight: 1 }, [400, 'invalid', 'weight']],
    ];
    for (const [body, expected] of cases) {
      assert.deepEqual(errorOf(await send('POST', path, body)), expected);
    }
    assert.equal((await send('DELETE', '/admin/rule-targets/1')).status, 200);
    assert.equal((await send('DELETE', '/admin/rule-targets/1')).status, 404);
    assert.deepEqual(member((await rules())[0], 'targets'), [pool, third.body]);
    assert.equal((await send('POST', '/admin/rules/9/targets', { model: 'small' })).status, 404);
  });

  it('of the defaults has an id of the same series, and a route of its own', async (t) => {
    const { send, one } = await seededServer(t);
    await send('POST', '/admin/frontend-models/1/rules', { targets: ['small'] });
    const added = await send('POST', '/admin/virtual-models/1/defaults', { model: 'large' });
    assert.deepEqual(added.body, onModel(2, 2, 'large', 0));
    assert.deepEqual(member(await one(), 'default_targets'), [added.body]);
    assert.equal((await send('DELETE', '/admin/rule-targets/2')).status, 404);
    assert.equal((await send('DELETE', '/admin/frontend-model-defaults/1')).status, 404);
    assert.equal((await send('DELETE', '/admin/frontend-model-defaults/2')).status, 200);
    assert.deepEqual(member(await one(), 'default_targets'), []);
  });

  it('follows a rename, keeps the name of a deleted model, and finds it again', async (t) => {
    const { send, one } = await seededServer(t);
    const path = '/admin/frontend-models/1';
    await send('PATCH', path, { default_targets: ['small', 'large'] });
    await send('PATCH', '/admin/models/1', { name: 'tiny' });
    await send('DELETE', '/admin/models/1');
    const gone = { ...onModel(1, 1, 'tiny', 0), provider_model_id: null };
    const large = onModel(2, 2, 'large', 1);
    assert.deepEqual(member(await one(), 'default_targets'), [gone, large]);
    const sentBack = await send('PATCH', path, { default_targets: [large, gone].toReversed() });
    assert.deepEqual(member(sentBack.body, 'default_targets'), [gone, large]);
    await send('POST', '/admin/models', { name: 'tiny' });
    assert.deepEqual(member(await one(), 'default_targets'), [onModel(1, 3, 'tiny', 0), large]);
  });
});

it('a change of a rule increments the version of its frontend model, for If-Match', async (t) => {
  const { ask, send, cookie } = await seededServer(t);
  const created = await send('POST', '/admin/frontend-models/1/rules', {});
  assert.equal(created.headers.get('etag'), '"2"');
  const change = (ifMatch: string) =>
    ask({
      method: 'PATCH',
      path: '/admin/rules/1',
      cookie,
      body: { tag: ifMatch },
      headers: { 'if-match': ifMatch },
    });
  assert.equal((await change('"1"')).status, 412);
  assert.equal((await change('"2"')).headers.get('etag'), '"3"');
});
