// Tests that a past request is explained from its usage row, over HTTP and on the command line,
// regardless of later changes.

import assert from 'node:assert/strict';
import { it } from 'node:test';

import { errorOf, member, testAdministrator } from '../../harness/admin/admin.ts';
import { gw } from '../../harness/program/command-line.ts';
import { listedProvider } from '../../harness/upstream/model-list.ts';
import { testKey } from '../../harness/control/plane.ts';
import { reported, reportUsage } from '../../harness/admin/usage.ts';

async function house(test: Parameters<typeof testAdministrator>[0]) {
  const started = await testAdministrator(test);
  const { send, plane } = started;
  const { apiBase } = await listedProvider(test, {});
  await send('POST', '/admin/providers', { name: 'rack', api_base: apiBase });
  for (const [index, name] of ['small', 'large'].entries()) {
    await send('POST', '/admin/models', { name });
    await send('POST', `/admin/models/${index + 1}/backends`, { provider_id: 1 });
  }
  await send('POST', '/admin/frontend-models', {
    name: 'chat',
    default_targets: ['small'],
    rules: [
      { headers: { 'x-tier': 'gold' }, targets: ['large'], tag: 'paid' },
      { max_prompt_tokens: 100, targets: ['small'] },
    ],
  });
  await send('POST', '/admin/principals', { name: 'caller' });
  await send('POST', '/admin/principals/3/roles', { role: 'inference' });
  const { version } = plane.store.state();
  const event = reported(1, {
    principal_id: 3,
    model_id: 2,
    model: 'large',
    snapshot_version: version,
    route: 'rule:0',
    tag: 'paid',
    frontend_model_id: 1,
    rule_id: 1,
    matched_headers: ['x-tier'],
    rule_inputs: { at_ms: 1, headers: { 'x-tier': 'gold' }, crowded_rules: [], cost_micros: null },
  });
  return { ...started, event, version };
}

it('a request is explained on the snapshot that served it, despite later changes', async (t) => {
  const started = await house(t);
  const { send, event, version } = started;
  const other = reported(2, { ...event, id: undefined, rule_inputs: null });
  const foreign = reported(3, { snapshot_version: 0 });
  const future = reported(4, { snapshot_version: 999_999 });
  const rows = [event, { ...other, id: reported(2).id }, foreign, future];
  assert.deepEqual((await reportUsage(started, rows)).body, {
    accepted: 4,
    dropped: 0,
    budgets: [],
  });
  await send('PUT', '/admin/frontend-models/1/rules', { rules: [] });
  await send('DELETE', '/admin/models/2');

  const { status, body } = await send('GET', `/admin/usage/${event.id}/explain`);
  assert.equal(status, 200, JSON.stringify(body));
  assert.equal(member(body, 'snapshot_version'), version);
  assert.deepEqual(
    ['route', 'frontend_model', 'rule_id', 'tag', 'agrees', 'differences', 'not_recorded'].map(
      (name) => member(body, name),
    ),
    ['rule:0', 'chat', 1, 'paid', true, [], []],
  );
  const rules = member(body, 'rules');
  assert.ok(Array.isArray(rules));
  assert.deepEqual(
    rules.map((rule) => [member(rule, 'decides'), member(rule, 'failed')]),
    [
      [true, []],
      [false, ['max_prompt_tokens']],
    ],
  );
  const candidates = member(body, 'candidates');
  assert.ok(Array.isArray(candidates));
  assert.deepEqual(
    candidates.map((one) => ['model', 'provider', 'answered'].map((name) => member(one, name))),
    [['large', 'rack', true]],
  );

  const old = await send('GET', `/admin/usage/${reported(2).id}/explain`);
  assert.equal(member(old.body, 'agrees'), true);
  assert.deepEqual(member(old.body, 'not_recorded'), [
    'the values of headers.x-tier that rule 1 tests: the recorded result is used',
  ]);
  const refusals = [
    [reported(9).id, 404, 'absent', /usage row 01ARZ3.* does not exist/],
    [foreign.id, 409, 'conflict', /does not name the snapshot/],
    [future.id, 409, 'conflict', /version 999999 .* belongs to a different log/],
  ] as const;
  for (const [id, wanted, code, message] of refusals) {
    const answer = await send('GET', `/admin/usage/${id}/explain`);
    assert.deepEqual(errorOf(answer).slice(0, 2), [wanted, code]);
    assert.match(JSON.stringify(answer.body), message);
  }
});

it('gw explain prints the same, and exits 10 when another route comes out', async (t) => {
  const started = await house(t);
  const { event, databaseUrl } = started;
  const forged = { ...event, id: reported(2).id, route: 'rule:1', rule_id: 2 };
  await reportUsage(started, [event, forged]);
  const env = {
    GW_DATABASE_URL: databaseUrl,
    GW_ENCRYPTION_KEY: Buffer.from(testKey).toString('hex'),
  };
  const said = await gw(['explain', event.id], { env });
  assert.deepEqual([said.code, said.stderr], [0, '']);
  assert.match(said.stdout, /^ {2}chat rule 0 \(1\) route: decides$/m);
  assert.match(said.stdout, /^ {2}chat rule 1 \(2\) route: not max_prompt_tokens$/m);
  assert.match(said.stdout, /^route rule:0 {2}#paid\n {2}large {2}answered$/m);
  const differs = await gw(['explain', forged.id], { env });
  assert.equal(differs.code, 10);
  assert.match(differs.stdout, /^differs: the route is rule:0, was rule:1$/m);
  assert.equal((await gw(['explain', reported(9).id], { env })).code, 5);
  assert.equal((await gw(['explain', 'soon'], { env })).code, 2);
});
