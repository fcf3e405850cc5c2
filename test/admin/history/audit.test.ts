// Tests the audit log over HTTP (specification, "Audit event").

import assert from 'node:assert/strict';
import { it } from 'node:test';

import { sql } from '@databases/pg';

import { errorOf, member, testAdministrator } from '../../harness/admin/admin.ts';

it('each mutation leaves a row that says who, what and where; reads and refusals leave none', async (t) => {
  const { send, ask } = await testAdministrator(t);
  await send('POST', '/admin/roles', { name: 'reader' });
  await send('POST', '/admin/roles', { name: 'reader' });
  await ask({ method: 'POST', path: '/admin/roles', body: { name: 'anonymous' } });
  await send('GET', '/admin/roles');
  await send('PATCH', '/admin/roles/reader', { description: 'looks' });
  const { body } = await send('GET', '/admin/audit?target=/admin/');
  assert.ok(Array.isArray(body));
  assert.deepEqual(
    body.map((row) => ['actor_name', 'action', 'target'].map((name) => member(row, name))),
    [
      ['boss', 'PATCH', '/admin/roles/reader'],
      ['boss', 'POST', '/admin/roles'],
    ],
  );
});

it('a path is recorded in one spelling, for all spellings of the request', async (t) => {
  const { send } = await testAdministrator(t);
  await send('POST', '/admin/%72oles', { name: 'a/b c' });
  await send('PATCH', '/admin/r%6fles/a%2fb%20c?', { description: 'd' });
  const { body } = await send('GET', '/admin/audit?target=/admin/roles');
  assert.ok(Array.isArray(body));
  assert.deepEqual(
    body.map((row) => member(row, 'target')),
    ['/admin/roles/a%2Fb%20c', '/admin/roles'],
  );
  const listed = await send('GET', '/admin/%72oles?limit=1');
  assert.match(listed.headers.get('link') ?? '', /^<\/admin\/roles\?/);
  assert.match(JSON.stringify(listed.body), /"version":/);
});

it('describes each change in words, with the last known name of its record', async (t) => {
  const { send, plane } = await testAdministrator(t);
  await send('POST', '/admin/models', { name: 'old' });
  await send('PATCH', '/admin/models/1', { name: 'demo' });
  await send('DELETE', '/admin/models/1');
  const person = await send('POST', '/admin/principals', { name: 'Ada', kind: 'user' });
  const id = Number(member(person.body, 'id'));
  await send('PUT', `/admin/principals/${id}/budget`, { tokens_total: 1, window: 'daily' });
  const told = async (path: string) => {
    const { body } = await send('GET', path);
    assert.ok(Array.isArray(body));
    return body.slice(0, 5).map((row) => [member(row, 'summary'), member(row, 'subject')]);
  };
  const ada = { stream: `principal-${id}`, name: 'Ada' };
  const demo = { stream: 'model-1', name: 'demo' };
  const expected = [
    ['Set budget of Ada', ada],
    ['Created principal Ada', ada],
    ['Deleted model demo', demo],
    ['Updated model demo', demo],
    ['Created model demo', demo],
  ];
  assert.deepEqual(await told('/admin/audit'), expected);
  assert.deepEqual(await told('/admin/history/commands'), expected);
  const [version] = Object.values(Object((await send('GET', '/admin/snapshots?limit=1')).body));
  assert.equal(member(member(version, 'made_by'), 'summary'), 'Set budget of Ada');

  // The name is stored only in the vault, so erasing the item removes it.
  await plane.db.query(sql`update vault.items set body = null, erased_at = now()
    where subject = ${ada.stream}`);
  const [budget] = await told('/admin/audit');
  assert.deepEqual(budget, [`Set budget of principal ${id}`, { ...ada, name: null }]);
});

it('a mutation that changed nothing is recorded as well', async (t) => {
  const { send } = await testAdministrator(t);
  const grant = () => send('POST', '/admin/principals/1/roles', { role: 'inference' });
  await grant();
  const { body } = await send('GET', '/admin/audit?target=principals/1/ROLES');
  assert.ok(Array.isArray(body));
  assert.equal(body.length, 1);
});

it('it is paged by id, and filtered by actor and time', async (t) => {
  const { send } = await testAdministrator(t);
  for (const name of ['a', 'b', 'c']) await send('POST', '/admin/roles', { name });
  const page = async (query: string): Promise<readonly unknown[]> => {
    const { body } = await send('GET', `/admin/audit?${query}`);
    assert.ok(Array.isArray(body));
    return body;
  };
  const all = await page('limit=2000');
  const first = await page('limit=2');
  assert.deepEqual(first, all.slice(0, 2));
  const last = String(member(first[1], 'id'));
  assert.deepEqual(await page(`before=${last}&limit=1`), all.slice(2, 3));
  const actor = String(member(first[0], 'actor_id'));
  assert.equal((await page(`actor_id=${actor}`)).length, 3);
  assert.equal((await page('actor_id=1')).length, 0);
  assert.deepEqual(await page('since=2999-01-01T00:00:00Z'), []);
  const at = String(member(all[1], 'at'));
  const since = await page(`since=${encodeURIComponent(at)}&limit=1000`);
  assert.deepEqual(
    since,
    all.filter((row) => String(member(row, 'at')) >= at),
  );
  const until = await page(`until=${encodeURIComponent(at)}&limit=1000`);
  assert.deepEqual([...since, ...until], all);
  assert.deepEqual(await page('order=asc&limit=1000'), all.toReversed());
  const oldest = String(member(all.at(-1), 'id'));
  assert.deepEqual(await page(`order=asc&after=${oldest}&limit=1`), all.slice(-2, -1));
  assert.equal((await page('action=POST&actor_kind=session')).length, 3);
  assert.deepEqual(await page('action=DELETE'), []);
  assert.deepEqual(await page('actor_kind=agent'), []);
  assert.deepEqual(errorOf(await send('GET', '/admin/audit?since=yesterday')), [
    400,
    'invalid',
    'since',
  ]);
});

it('a row says who, when, how and where, and what the record is called: never what was sent', async (t) => {
  const { send, plane } = await testAdministrator(t);
  await send('POST', '/admin/roles', { name: 'reader', description: 'canary' });
  const { body } = await send('GET', '/admin/audit?limit=1');
  assert.ok(Array.isArray(body));
  const about = ['id', 'at', 'actor_id', 'actor_name', 'token_id', 'action', 'target'];
  const fields = [...about, 'summary', 'subject'];
  assert.deepEqual(Object.keys(body[0]), fields);
  assert.doesNotMatch(JSON.stringify(body), /canary/);
  const stored: unknown[] = await plane.db.query(sql`select * from audit_log`);
  assert.doesNotMatch(JSON.stringify(stored), /canary|"reader"/);
});

it('a login and a logout change no configuration, and leave no row', async (t) => {
  const { send, ask, login } = await testAdministrator(t);
  const cookie = await login('ada', []);
  const before = await send('GET', '/admin/audit');
  await ask({ method: 'POST', path: '/login', body: { name: 'ada', password: 'not it' } });
  await ask({ method: 'POST', path: '/logout', cookie });
  assert.deepEqual((await send('GET', '/admin/audit')).body, before.body);
});

it('the reason of a caller is kept, but not in the log itself', async (t) => {
  const { ask, cookie, plane } = await testAdministrator(t);
  const headers = { 'x-gw-reason': 'asked for by the auditors' };
  await ask({ method: 'POST', path: '/admin/roles', cookie, headers, body: { name: 'a' } });
  const { sql } = plane.db;
  const rows: { reason_ref: string }[] = await plane.db.query(
    sql`select reason_ref from audit_log where reason_ref is not null`,
  );
  const refs = rows.map((row) => row.reason_ref);
  const revealed = await plane.vault.reveal(plane.db, refs);
  assert.deepEqual([...revealed.values()], ['asked for by the auditors']);
  const events: unknown[] = await plane.db.query(sql`select metadata::text from es.events`);
  assert.doesNotMatch(JSON.stringify(events), /auditors/);
});

it('searching it takes no connection from commands, whose statements must be short', async (t) => {
  const { send, plane } = await testAdministrator(t);
  await send('GET', '/admin/audit?target=nowhere');
  const rows: { name: string }[] = await plane.db.query(sql`
    select application_name as name from pg_stat_activity
    where datname = current_database() and query like '%from audit_log%'
      and pid <> pg_backend_pid()`);
  assert.ok(rows.length > 0);
  for (const { name } of rows) assert.match(name, / reports$/);
});
