// Tests pools and their members over HTTP.

import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { describe, it } from 'node:test';

import { snapshot } from '../../../src/snapshot/schema.ts';
import { errorOf, member, proxyToken, testAdministrator } from '../../harness/admin/admin.ts';

const one = { id: 1, provider_model_id: 1, model: 'small', weight: 1, position: 0 };
const two = { id: 2, provider_model_id: 2, model: 'large', weight: 3, position: 1 };

async function models(t: TestContext) {
  const started = await testAdministrator(t);
  for (const name of ['small', 'large']) await started.send('POST', '/admin/models', { name });
  const pool = async () => (await started.send('GET', '/admin/model-pools/1')).body;
  return { ...started, pool };
}

describe('a pool', () => {
  it('is created with members by name, listed, changed and deleted', async (t) => {
    const { send, pool } = await models(t);
    const members = ['small', { model: 'large', weight: 3 }];
    const created = await send('POST', '/admin/model-pools', { name: 'pair', members });
    const record = { id: 1, name: 'pair', description: null, policy: null, members: [one, two] };
    assert.deepEqual(created.body, { ...record, version: 2 });
    assert.deepEqual((await send('GET', '/admin/model-pools')).body, [{ ...record, version: 2 }]);
    const change = { name: 'couple', description: 'either', policy: 'least-loaded' };
    const changed = await send('PATCH', '/admin/model-pools/1', change);
    assert.deepEqual(changed.body, { ...record, ...change, version: 5 });
    const reset = { policy: null, description: null, members: [two, { ...one, position: 7 }] };
    const swapped = await send('PATCH', '/admin/model-pools/1', reset);
    assert.deepEqual(member(swapped.body, 'members'), [two, { ...one, position: 7 }]);
    assert.equal(member(swapped.body, 'policy'), null);
    assert.deepEqual(await pool(), swapped.body);
    assert.deepEqual((await send('DELETE', '/admin/model-pools/1')).body, { id: 1 });
    for (const method of ['GET', 'DELETE']) {
      assert.equal((await send(method, '/admin/model-pools/1')).status, 404);
    }
  });

  it('publishes a member of weight 0 as drained, where older proxies do not look', async (t) => {
    const { ask, send, pool } = await models(t);
    const published = async () =>
      snapshot.parse((await ask({ path: '/snapshot', token: proxyToken })).body);
    const members = ['small', { model: 'large', weight: 0 }];
    await send('POST', '/admin/model-pools', { name: 'pair', members });
    assert.deepEqual(member(await pool(), 'members'), [one, { ...two, weight: 0 }]);
    const { config } = await published();
    const [listed] = config.pools;
    assert.deepEqual(listed?.members, [{ model_id: 1, weight: 1 }]);
    assert.deepEqual(listed?.drained, [2]);
    await send('PATCH', '/admin/model-pools/1', { members: ['small', 'large'] });
    const again = (await published()).config.pools[0];
    assert.equal(again !== undefined && 'drained' in again, false);
  });

  it('is not deleted while a target uses it: the answer names the users', async (t) => {
    const { send } = await models(t);
    await send('POST', '/admin/model-pools', { name: 'pair' });
    await send('POST', '/admin/frontend-models', { name: 'house', rules: [{ targets: ['pair'] }] });
    await send('POST', '/admin/frontend-models', { name: 'annex', default_targets: ['pair'] });
    const refused = await send('DELETE', '/admin/model-pools/1');
    assert.deepEqual(errorOf(refused), [409, 'conflict', null]);
    const message = String(member(member(refused.body, 'error'), 'message'));
    assert.match(message, /pool pair is a target of house, annex/);
    await send('PATCH', '/admin/model-pools/1', { name: 'couple' });
    const { body } = await send('GET', '/admin/frontend-models/1');
    assert.match(JSON.stringify(body), /"model":"couple"/);
    for (const id of [1, 2]) await send('DELETE', `/admin/frontend-models/${id}`);
    assert.equal((await send('DELETE', '/admin/model-pools/1')).status, 200);
  });

  it('refuses invalid input with the name of the field', async (t) => {
    const { send } = await models(t);
    await send('POST', '/admin/frontend-models', { name: 'house' });
    const cases: readonly (readonly [object, readonly unknown[]])[] = [
      [{ name: 'p', policy: 'random' }, [400, 'invalid', 'policy']],
      [{ name: 'p', members: ['nothing'] }, [400, 'invalid', 'members.0.model']],
      [{ name: 'p', members: ['house'] }, [400, 'invalid', 'members.0.model']],
      [{ name: 'p', members: ['small', 'small'] }, [409, 'conflict', 'members.1.model']],
      [
        { name: 'p', members: [{ model: 'small', weight: -1 }] },
        [400, 'invalid', 'members.0.weight'],
      ],
      [
        { name: 'p', members: [{ provider_model_id: 9 }] },
        [400, 'invalid', 'members.0.provider_model_id'],
      ],
      [{ name: 'small' }, [409, 'conflict', 'name']],
      [{ name: '*' }, [400, 'invalid', 'name']],
      [{}, [400, 'invalid', 'name']],
    ];
    for (const [body, expected] of cases) {
      assert.deepEqual(errorOf(await send('POST', '/admin/model-pools', body)), expected);
    }
    assert.deepEqual((await send('GET', '/admin/model-pools')).body, []);
  });
});

describe('a member', () => {
  it('is added once per model, and removed by its own id, which is not reused', async (t) => {
    const { send, pool } = await models(t);
    await send('POST', '/admin/model-pools', { name: 'pair' });
    const path = '/admin/model-pools/1/members';
    assert.deepEqual((await send('POST', path, { provider_model_id: 1 })).body, one);
    const second = { provider_model_id: 2, weight: 3 };
    assert.deepEqual((await send('POST', path, second)).body, two);
    assert.deepEqual(errorOf(await send('POST', path, second)), [409, 'conflict', 'model']);
    assert.deepEqual((await send('DELETE', '/admin/model-pool-members/2')).body, { id: 2 });
    assert.equal((await send('DELETE', '/admin/model-pool-members/2')).status, 404);
    const again = await send('POST', path, { model: 'large' });
    assert.deepEqual(again.body, { ...two, id: 3, weight: 1 });
    assert.deepEqual(member(await pool(), 'members'), [one, again.body]);
    assert.equal(
      (await send('POST', '/admin/model-pools/9/members', { model: 'small' })).status,
      404,
    );
  });

  it('keeps the name of a deleted model, and finds it again', async (t) => {
    const { send, pool } = await models(t);
    await send('POST', '/admin/model-pools', { name: 'pair', members: ['small'] });
    await send('DELETE', '/admin/models/1');
    assert.deepEqual(member(await pool(), 'members'), [{ ...one, provider_model_id: null }]);
    await send('POST', '/admin/models', { name: 'small' });
    assert.deepEqual(member(await pool(), 'members'), [{ ...one, provider_model_id: 3 }]);
  });
});
