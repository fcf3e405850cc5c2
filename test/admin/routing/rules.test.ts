// Tests the rules of frontend models over HTTP.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { snapshot } from '../../../src/snapshot/schema.ts';
import { errorOf, member, proxyToken } from '../../harness/admin/admin.ts';
import { seededServer } from '../../harness/admin/seeded-server.ts';
import { bareRule, onModel } from '../../harness/admin/rule-records.ts';

describe('a rule', () => {
  const all = {
    principals: [1],
    roles: ['inference', 'admin'],
    min_prompt_tokens: 0,
    max_prompt_tokens: 10,
    min_max_tokens: 1,
    max_max_tokens: 1,
    stream: true,
    headers: { 'x-tier': 'gold', 'x-empty': '' },
    min_budget_used_percent: 0,
    max_budget_used_percent: 100,
    max_inflight_per_backend: 8,
    min_request_cost_micros: 5,
    max_request_cost_micros: 500,
    after: '22:00',
    before: '06:30',
    days: [1, 7],
    utc_offset_minutes: -330,
  };

  it('has its conditions as own fields, and is returned as in lists', async (t) => {
    const { send, rules } = await seededServer(t);
    const path = '/admin/virtual-models/1/rules';
    const created = await send('POST', path, { ...all, tag: 'night', targets: ['small'] });
    const record = {
      ...bareRule,
      ...all,
      roles: ['inference', 'admin'],
      tag: 'night',
      targets: [onModel(1, 1, 'small', 0)],
    };
    assert.deepEqual(created.body, { ...record, frontend_model_id: 1 });
    assert.deepEqual(await rules(), [record]);
  });

  it('has its conditions as own fields in the snapshot too, with ids and without deleted entities', async (t) => {
    const { send, ask } = await seededServer(t);
    const targets = ['pair', 'small', 'large'];
    const headers = { 'X-Tier': 'gold' };
    await send('POST', '/admin/frontend-models/1/rules', { ...all, headers, targets });
    await send('DELETE', '/admin/models/1');
    const published = snapshot.parse((await ask({ path: '/snapshot', token: proxyToken })).body);
    const [rule] = published.config.frontend_models[0]?.rules ?? [];
    assert.deepEqual(rule?.targets, [
      { model_id: null, pool_id: 1 },
      { model_id: 2, pool_id: null },
    ]);
    const { roles, headers: held, after_minute, before_minute, days } = rule.conditions;
    assert.deepEqual(
      [roles, held, after_minute, before_minute, days],
      [[1, 3], { 'x-tier': 'gold' }, 1320, 390, [1, 7]],
    );
    assert.deepEqual(published.config.pools[0]?.members, [{ model_id: 2, weight: 1 }]);
  });

  it('that is disabled keeps its position and is not published, and a rename changes no snapshot', async (t) => {
    const { send, ask, rules } = await seededServer(t);
    const path = '/admin/frontend-models/1/rules';
    await send('POST', path, { name: 'Streams', stream: true, targets: ['small'] });
    await send('POST', path, { name: 'The rest', targets: ['large'] });
    const published = async () => {
      const answer = await ask({ path: '/snapshot', token: proxyToken });
      const { config, config_hash: hash } = snapshot.parse(answer.body);
      return { hash, rules: config.frontend_models[0]?.rules };
    };
    const dryRun = async () =>
      (await send('POST', '/admin/routing/dry-run', { model: 'house', streaming: true })).body;
    const before = await published();
    assert.equal(before.rules?.length, 2);
    assert.deepEqual(Object.keys(before.rules[0] ?? {}).toSorted(), [
      'action',
      'conditions',
      'deny_message',
      'deny_status',
      'id',
      'jump_to',
      'position',
      'tag',
      'targets',
    ]);
    const disabled = await send('PATCH', '/admin/rules/1', { enabled: false });
    assert.equal(member(disabled.body, 'enabled'), false);
    assert.deepEqual(
      (await published()).rules?.map(({ id, position }) => [id, position]),
      [[2, 1]],
    );
    // The index in x-gw-route counts the published rules.
    assert.deepEqual(
      [member(await dryRun(), 'reason'), member(await dryRun(), 'rule_id')],
      ['rule:0', 2],
    );
    assert.deepEqual(
      (await rules()).map((rule) => [member(rule, 'name'), member(rule, 'enabled')]),
      [
        ['Streams', false],
        ['The rest', true],
      ],
    );
    await send('PATCH', '/admin/rules/1', { enabled: true });
    await send('PATCH', '/admin/rules/1', { name: 'Streaming' });
    assert.deepEqual(await published(), before);
  });

  it('that was disabled is enabled again by a restore, with the name it had', async (t) => {
    const { send, ask, cookie, rules } = await seededServer(t);
    const path = '/admin/frontend-models/1/rules';
    const made = await send('POST', path, { name: 'Streams', stream: true, targets: ['small'] });
    const version = made.headers.get('x-gw-snapshot-version');
    const before = await rules();
    await send('PATCH', '/admin/rules/1', { enabled: false, name: null });
    const then = await send('GET', `/admin/frontend-models/1?as_of=${String(version)}`);
    assert.deepEqual(member(then.body, 'rules'), before);
    const restored = await ask({
      method: 'POST',
      path: `/admin/snapshots/${String(version)}/restore`,
      cookie,
      headers: { 'x-gw-reason': 'it was right' },
      body: { only: ['frontend_model-1'] },
    });
    assert.equal(restored.status, 200, JSON.stringify(restored.body));
    assert.deepEqual(await rules(), before);
  });

  it('keeps what a change does not name; null clears', async (t) => {
    const { send, rules } = await seededServer(t);
    await send('POST', '/admin/frontend-models/1/rules', { ...all, targets: ['small'] });
    const nothing = Object.fromEntries(Object.keys(all).map((name) => [name, null]));
    const tagged = await send('PATCH', '/admin/rules/1', { tag: 'x', stream: false });
    assert.deepEqual(
      ['tag', 'stream', 'after', 'days'].map((name) => member(tagged.body, name)),
      ['x', false, '22:00', [1, 7]],
    );
    const cleared = await send('PATCH', '/admin/rules/1', { ...nothing, tag: null, targets: [] });
    assert.deepEqual(cleared.body, { ...bareRule, frontend_model_id: 1 });
    assert.deepEqual(await rules(), [bareRule]);
    assert.deepEqual((await send('DELETE', '/admin/rules/1')).body, { id: 1 });
    assert.equal((await send('PATCH', '/admin/rules/1', {})).status, 404);
    assert.equal((await send('DELETE', '/admin/rules/1')).status, 404);
    assert.equal((await send('POST', '/admin/frontend-models/9/rules', {})).status, 404);
  });

  const malformed: readonly (readonly [object, string, RegExp])[] = [
    [{ after: '25:00' }, 'after', /was "25:00"/],
    [{ before: '24:00' }, 'before', /was "24:00"/],
    [{ after: '7:00' }, 'after', /was "7:00"/],
    [{ after: '07:60' }, 'after', /was "07:60"/],
    [{ after: 700 }, 'after', /must be text/],
    [{ days: [8] }, 'days.0', /was 8/],
    [{ days: [1, 0] }, 'days.1', /was 0/],
    [{ days: 1 }, 'days', /must be a list/],
    [{ min_budget_used_percent: 101 }, 'min_budget_used_percent', /was 101/],
    [{ max_budget_used_percent: -1 }, 'max_budget_used_percent', /was -1/],
    [{ min_budget_used_percent: 0.5 }, 'min_budget_used_percent', /was 0.5/],
    [{ min_prompt_tokens: 2, max_prompt_tokens: 1 }, 'min_prompt_tokens', /2 is above .* 1/],
    [{ min_max_tokens: 2, max_max_tokens: 1 }, 'min_max_tokens', /2 is above .* 1/],
    [{ min_prompt_tokens: -1 }, 'min_prompt_tokens', /was -1/],
    [{ max_inflight_per_backend: -1 }, 'max_inflight_per_backend', /was -1/],
    [{ min_request_cost_micros: 9, max_request_cost_micros: 1 }, 'min_request_cost_micros', /9/],
    [{ utc_offset_minutes: 1441 }, 'utc_offset_minutes', /was 1441/],
    [{ stream: 'yes' }, 'stream', /must be true or false/],
    [{ headers: { 'x y': '1' } }, 'headers.x y', /was "x y"/],
    [{ headers: { 'x-tier': 1 } }, 'headers.x-tier', /must be text/],
    [{ headers: { 'x-a': '1', 'X-A': '2' } }, 'headers.X-A', /twice/],
    [{ headers: { authorization: 'Bearer k' } }, 'headers.authorization', /credential/],
    [{ roles: ['nobody'] }, 'roles', /role nobody does not exist/],
    [{ principals: [99] }, 'principals', /99 does not exist/],
    [{ class: 'code' }, 'class', /class code does not exist/],
    [{ action: 'drop' }, 'action', /was "drop"/],
    [{ action: 'deny', deny_status: 500 }, 'deny_status', /was 500/],
    [{ action: 'deny', deny_status: 399 }, 'deny_status', /was 399/],
    [{ action: 'deny', deny_status: 403, targets: ['small'] }, 'targets', /for action route/],
    [{ deny_status: 403 }, 'deny_status', /403 is for action deny, not route/],
    [{ action: 'jump' }, 'jump_to', /jump_to is needed/],
    [{ action: 'jump', jump_to: 1 }, 'jump_to', /1 is the frontend model of the rule itself/],
    [{ action: 'jump', jump_to: 9 }, 'jump_to', /9 does not exist/],
    [{ jump_to: 1 }, 'jump_to', /1 is for action jump, not route/],
    [{ match_condition: { stream: true } }, 'match_condition', /not a known field/],
    [{ position: -1 }, 'position', /was -1/],
    [{ targets: ['nothing'] }, 'targets.0.model', /nothing is neither/],
    [{ targets: ['house'] }, 'targets.0.model', /house is a frontend model/],
    [{ targets: [{ model: 'small', weight: 2 }] }, 'targets.0.weight', /not a known field/],
    [{ targets: ['small', { provider_model_id: 9 }] }, 'targets.1.provider_model_id', /9/],
    [{ targets: [{ provider_model_id: 1, model_pool_id: 1 }] }, 'targets.0.model_pool_id', /comb/],
    [
      { targets: [{ provider_model_id: 1, model: 'large' }] },
      'targets.0.model',
      /has the name small/,
    ],
    [{ targets: [{}] }, 'targets.0.model', /is needed/],
  ];

  it('that is malformed is refused with the field and its value', async (t) => {
    const { send, rules } = await seededServer(t);
    for (const [body, param, message] of malformed) {
      const refused = await send('POST', '/admin/frontend-models/1/rules', body);
      const name = JSON.stringify(body);
      assert.deepEqual(errorOf(refused), [400, 'invalid', param], name);
      assert.match(String(member(member(refused.body, 'error'), 'message')), message, name);
    }
    assert.deepEqual(await rules(), []);
  });

  it('refuses a position that is taken, and appends a rule without a position', async (t) => {
    const { send, rules } = await seededServer(t);
    const path = '/admin/frontend-models/1/rules';
    await send('POST', path, { position: 5, tag: 'five' });
    await send('POST', path, { tag: 'six' });
    await send('POST', path, { position: 0, tag: 'none' });
    assert.deepEqual(errorOf(await send('POST', path, { position: 6 })), [
      409,
      'conflict',
      'position',
    ]);
    assert.deepEqual(errorOf(await send('PATCH', '/admin/rules/1', { position: 6 })), [
      409,
      'conflict',
      'position',
    ]);
    assert.deepEqual(
      (await rules()).map((rule) => [member(rule, 'position'), member(rule, 'tag')]),
      [
        [0, 'none'],
        [5, 'five'],
        [6, 'six'],
      ],
    );
  });

  it('cannot jump in a loop, which the refusal names; a deleted destination is kept', async (t) => {
    const { send, rules } = await seededServer(t);
    for (const name of ['annex', 'cellar']) await send('POST', '/admin/frontend-models', { name });
    const jump = (from: number, jump_to: number) =>
      send('POST', `/admin/frontend-models/${from}/rules`, { action: 'jump', jump_to });
    assert.equal((await jump(1, 2)).status, 200);
    assert.equal((await jump(2, 3)).status, 200);
    const refused = await jump(3, 1);
    assert.deepEqual(errorOf(refused), [400, 'invalid', 'jump_to']);
    const message = String(member(member(refused.body, 'error'), 'message'));
    assert.match(message, /the loop cellar > house > annex > cellar$/);
    await send('DELETE', '/admin/frontend-models/2');
    assert.deepEqual(
      (await rules()).map((rule) => member(rule, 'jump_to')),
      [2],
    );
    assert.equal((await send('PATCH', '/admin/rules/1', { tag: 'x' })).status, 200);
    assert.equal((await jump(3, 1)).status, 200);
  });

  it('keeps a deleted role, principal or class as its condition, and can be sent back', async (t) => {
    const { send, rules } = await seededServer(t);
    await send('POST', '/admin/roles', { name: 'testers' });
    await send('POST', '/admin/principals', { name: 'ci' });
    await send('POST', '/admin/prompt-classes', { name: 'code' });
    const principals = await send('GET', '/admin/principals');
    assert.ok(Array.isArray(principals.body));
    const id = principals.body
      .filter((one) => member(one, 'name') === 'ci')
      .map((one) => member(one, 'id'))[0];
    const asks = { roles: ['testers'], principals: [id], class: 'code' };
    const path = '/admin/frontend-models/1/rules';
    const created = await send('POST', path, asks);
    assert.deepEqual(member(created.body, 'class'), 'code');
    assert.deepEqual(
      (await rules()).map((rule) => [member(rule, 'roles'), member(rule, 'class')]),
      [[['testers'], 'code']],
    );
    await send('DELETE', '/admin/roles/testers');
    await send('DELETE', `/admin/principals/${String(id)}`);
    await send('DELETE', '/admin/prompt-classes/1');
    const [listed] = await rules();
    assert.deepEqual(
      [member(listed, 'roles'), member(listed, 'principals'), member(listed, 'class')],
      [['#4'], [id], '#1'],
    );
    const again = await send('PUT', path, [listed]);
    assert.deepEqual(member(again.body, 'rules'), [listed]);
    const other = await send('POST', path, { roles: ['#4'] });
    assert.deepEqual(errorOf(other), [400, 'invalid', 'roles']);
  });
});

describe('the whole list of rules', () => {
  it('is replaced and reordered in one mutation: ids stay, new ones come, missing ones go', async (t) => {
    const { send, rules } = await seededServer(t);
    const path = '/admin/frontend-models/1/rules';
    for (const tag of ['a', 'b', 'c']) await send('POST', path, { tag, targets: ['small'] });
    const answer = await send('PUT', path, [{ id: 3 }, { tag: 'new' }, { id: 1, tag: null }]);
    assert.equal(answer.status, 200);
    const expected = [
      { ...bareRule, id: 3, position: 0, tag: 'c', targets: [onModel(3, 1, 'small', 0)] },
      { ...bareRule, id: 4, position: 1, tag: 'new' },
      { ...bareRule, id: 1, position: 2, targets: [onModel(1, 1, 'small', 0)] },
    ];
    assert.deepEqual(member(answer.body, 'rules'), expected);
    assert.deepEqual(await rules(), expected);
    const same = await send('PUT', path, { rules: expected.toReversed() });
    assert.deepEqual(
      (await rules()).map((rule) => member(rule, 'id')),
      [1, 4, 3],
    );
    assert.equal(same.status, 200);
    assert.deepEqual(member((await send('PUT', path, [])).body, 'rules'), []);
  });

  it('is refused as a whole for one invalid rule, with its position', async (t) => {
    const { send, rules } = await seededServer(t);
    const path = '/admin/virtual-models/1/rules';
    await send('POST', path, { tag: 'a' });
    const before = await rules();
    const cases: readonly (readonly [readonly object[], string])[] = [
      [[{}, { after: '25:00' }], 'rules.1.after'],
      [[{}, { id: 9 }], 'rules.1.id'],
      [[{ id: 1 }, { id: 1 }], 'rules.1.id'],
      [[{ id: 1 }, { action: 'jump', jump_to: 1 }], 'rules.1.jump_to'],
      [[{ targets: ['small', 'small'] }], 'rules.0.targets.1.model'],
    ];
    for (const [body, param] of cases) {
      const [status, , named] = errorOf(await send('PUT', path, body));
      assert.deepEqual([status === 400 || status === 409, named], [true, param]);
    }
    assert.deepEqual(await rules(), before);
  });
});
