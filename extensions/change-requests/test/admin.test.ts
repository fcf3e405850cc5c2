// Tests change requests over the admin API: drafted by one principal, approved by another, applied
// as approved, without revealing secrets.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { sql } from '@databases/pg';
import { z } from 'zod';

import { verifyLog } from '../../../src/control/log/verify-log.ts';
import { adminPassword, cookieOf, errorOf, member } from '../../../test/harness/admin/admin.ts';
import type { TestAnswer } from '../../../test/harness/admin/admin.ts';
import { fourEyes, path, renameModel } from '../../../test/harness/admin/four-eyes.ts';
import { listedProvider } from '../../../test/harness/upstream/model-list.ts';

const shownSchema = z.object({
  state: z.string(),
  title: z.string().nullable(),
  author: z.object({ name: z.string().nullable() }).nullable(),
  kinds: z.array(z.string()),
  bodies: z.array(z.object({ body: z.unknown(), secrets: z.array(z.string()) })).nullable(),
  change: z
    .object({ event_count: z.int(), diff: z.array(z.object({ kind: z.string() })) })
    .nullable(),
  refusal: z.object({ message: z.string() }).nullable(),
  covered_by: z.array(z.int()),
  history: z.array(z.object({ command: z.string(), reason: z.string().nullable() })),
});
const shown = ({ body }: TestAnswer) => shownSchema.parse(body);
const stateOf = (answer: TestAnswer): unknown => member(answer.body, 'state');
const ok = (answer: TestAnswer): TestAnswer => {
  assert.equal(answer.status, 200, JSON.stringify(answer.body));
  return answer;
};

describe('a change request', () => {
  it('is drafted by one, approved by another, and applied in one transaction, at one version', async (t) => {
    const { ada, boss, draft, approve, plane, send } = await fourEyes(t);
    const id = await draft(ada, [renameModel('b')], 'The better name');
    const before = plane.store.state();
    assert.equal(before.model.byId.get(1)?.name, 'a');
    const seen = shown(await boss('GET', `${path}/${id}`));
    assert.deepEqual(
      [seen.state, seen.title, seen.author?.name, seen.kinds, seen.change?.diff],
      ['open', 'The better name', 'ada', ['models'], [{ kind: 'model' }]],
    );
    ok(await approve(boss, id));
    assert.deepEqual(shown(await boss('GET', `${path}/${id}`)).covered_by.length, 1);
    const applied = ok(await ada('POST', `${path}/${id}/apply`, {}));
    const after = plane.store.state();
    assert.equal(after.model.byId.get(1)?.name, 'b');
    assert.equal(after.position, before.position + 3);
    assert.equal(applied.headers.get('x-gw-snapshot-version'), String(after.version));
    const ended = shown(await boss('GET', `${path}/${id}`));
    assert.deepEqual([ended.state, ended.bodies, ended.change], ['applied', null, null]);
    assert.deepEqual(
      ended.history.map(({ command, reason }) => [command, reason]),
      [
        ['DraftChangeRequest', 'CHG-1'],
        ['ApproveChangeRequest', null],
        ['ApplyChangeRequest', null],
      ],
    );
    const rows = await send('GET', `/admin/history/events?stream=model-1&limit=1`);
    assert.match(JSON.stringify(rows.body), /"command":"ApplyChangeRequest"/);
  });

  it('keeps its secrets in the vault while it is open, and shows none of them', async (t) => {
    const { ada, boss, draft, approve, plane, send } = await fourEyes(t);
    const { apiBase } = await listedProvider(t);
    const key = 'sk-never-to-be-shown';
    const provider = { name: 'rack', api_base: apiBase, upstream_api_key: key };
    const call = { method: 'POST', path: '/admin/providers', body: provider };
    const id = await draft(ada, [call], 'Another rack');
    const seen = await boss('GET', `${path}/${id}`);
    assert.deepEqual(shown(seen).bodies?.[0], {
      body: { ...provider, upstream_api_key: 'set' },
      secrets: ['upstream_api_key'],
    });
    const events = await send('GET', '/admin/history/events?limit=100');
    const listed = await send('GET', path);
    for (const answer of [seen, events, listed]) {
      assert.doesNotMatch(JSON.stringify(answer.body), /sk-never/);
    }
    assert.doesNotMatch(JSON.stringify(events.body), /Another rack/);
    const ref = plane.store.state().change_request.byId.get(1)?.draft?.body_ref ?? '';
    const held = async (): Promise<boolean> => (await plane.vault.reveal(plane.db, [ref])).has(ref);
    assert.ok(await held());
    ok(await approve(boss, id));
    ok(await boss('POST', `${path}/${id}/apply`, {}));
    assert.ok(!(await held()), 'the calls are erased with the end of the request');
    assert.deepEqual((await verifyLog(plane.db)).problems, [], 'and the log explains that');
    const credential = plane.store.state().provider.byId.get(1)?.credential?.ref ?? '';
    assert.equal((await plane.vault.reveal(plane.db, [credential])).get(credential), key);
  });

  it('creates a webhook without showing its address and secret, if the call has a secret', async (t) => {
    const { ada, boss, draft, approve, plane } = await fourEyes(t);
    ok(await boss('PUT', '/admin/change-policy', { kinds: ['webhooks'] }));
    const url = 'http://127.0.0.1:9/never-to-be-shown';
    const secret = `whsec_${Buffer.alloc(32).toString('base64')}`;
    const webhook = { name: 'alerts', url };
    const call = { method: 'POST', path: '/admin/webhooks', body: webhook };
    const direct = await ada('POST', call.path, webhook);
    assert.deepEqual(errorOf(direct).slice(0, 2), [403, 'approval_required']);
    const asked = { title: 'Alerts', calls: [call], reason: 'CHG-1' };
    const unshown = await ada('POST', path, asked);
    assert.deepEqual(errorOf(unshown), [400, 'invalid', 'calls.0.secret']);
    const id = await draft(ada, [{ ...call, body: { ...webhook, secret } }]);
    const seen = await boss('GET', `${path}/${id}`);
    assert.deepEqual(shown(seen).bodies?.[0], {
      body: { name: 'alerts', url: 'set', secret: 'set' },
      secrets: ['url', 'secret'],
    });
    assert.doesNotMatch(JSON.stringify(seen.body), /never-to-be|whsec_A/);
    assert.match(JSON.stringify(seen.body), /http:\/\/127\.0\.0\.1:9/);
    ok(await approve(boss, id));
    ok(await ada('POST', `${path}/${id}/apply`, {}));
    const ref = plane.store.state().webhook_endpoint.byId.get(1)?.secret?.ref ?? '';
    assert.equal((await plane.vault.reveal(plane.db, [ref])).get(ref), secret);
    const rotation = { method: 'POST', path: '/admin/webhooks/1/rotate' };
    const rotated = await ada('POST', path, { ...asked, calls: [rotation] });
    assert.deepEqual(errorOf(rotated), [400, 'invalid', 'calls.0.secret']);
  });

  it('that ends otherwise leaves nothing of its calls either', async (t) => {
    const { ada, boss, draft, plane } = await fourEyes(t);
    const first = await draft(ada, [renameModel('b')]);
    const second = await draft(ada, [renameModel('c')]);
    ok(await ada('PATCH', `${path}/${second}`, { calls: [renameModel('d')], reason: 'better' }));
    ok(await boss('POST', `${path}/${first}/refuse`, { reason: 'no' }));
    ok(await ada('POST', `${path}/${second}/withdraw`, {}));
    const rows: unknown[] = await plane.db.query(
      sql`select body is null as gone from vault.items where class = 'change_request'`,
    );
    assert.deepEqual(rows, [{ gone: true }, { gone: true }, { gone: true }]);
    assert.deepEqual(errorOf(await boss('POST', `${path}/${first}/apply`, {})), [
      409,
      'conflict',
      null,
    ]);
  });

  it('has no title any more when what its author wrote is erased', async (t) => {
    const { ada, boss, draft, ids } = await fourEyes(t);
    const id = await draft(ada, [renameModel('b')], 'As Mr Smith asked');
    ok(await ada('PATCH', `${path}/${id}`, { title: 'As Mr Smith asked again' }));
    ok(await ada('PATCH', `${path}/${id}`, { calls: [renameModel('c')] }));
    ok(await boss('POST', '/admin/vault/erase-personal-data', { principal_id: ids.ada }));
    const { body } = ok(await boss('GET', `${path}/${id}`));
    assert.equal(member(body, 'title'), null);
    assert.doesNotMatch(JSON.stringify(body), /Smith|CHG-1/);
  });

  it('is refused at once when its calls cannot be made, and names the call', async (t) => {
    const { ada, plane } = await fourEyes(t);
    const { position } = plane.store.state();
    const calls = [renameModel('b'), { method: 'POST', path: '/admin/keys', body: {} }];
    const refused = await ada('POST', path, { title: 't', calls, reason: 'r' });
    assert.deepEqual(errorOf(refused), [400, 'invalid', 'calls.1.path']);
    const silent = await ada('POST', path, { title: 't', calls: [renameModel('b')] });
    assert.deepEqual(errorOf(silent), [400, 'invalid', 'reason']);
    assert.equal(plane.store.state().position, position);
  });

  it('says when it cannot be applied as it was approved, and what to do', async (t) => {
    const { ada, boss, draft, approve, send } = await fourEyes(t);
    const id = await draft(ada, [renameModel('b')]);
    ok(await approve(boss, id));
    ok(await send('POST', '/admin/models', { name: 'b' }));
    const refused = await boss('POST', `${path}/${id}/apply`, {});
    assert.deepEqual(errorOf(refused), [409, 'conflict', 'calls.0']);
    assert.match(
      JSON.stringify(refused.body),
      /calls\.0: .*b exists.*has changed since the approval/,
    );
    const seen = shown(await boss('GET', `${path}/${id}`));
    assert.match(seen.refusal?.message ?? '', /b exists/);
    assert.deepEqual(seen.covered_by, []);
    ok(await ada('PATCH', `${path}/${id}`, { calls: [renameModel('c')] }));
    ok(await approve(boss, id));
    assert.equal(stateOf(ok(await boss('POST', `${path}/${id}/apply`, {}))), 'applied');
  });
});

describe('an approval', () => {
  it('is of what was shown: not of what was edited since, nor when an edit comes first', async (t) => {
    const { ada, boss, draft, seen } = await fourEyes(t);
    const id = await draft(ada, [renameModel('b')]);
    const before = await seen(boss, id);
    const edited = ok(await ada('PATCH', `${path}/${id}`, { calls: [renameModel('c')] }));
    assert.notEqual(member(edited.body, 'digest'), before.digest);
    const late = await boss('POST', `${path}/${id}/approve`, before);
    assert.deepEqual(errorOf(late), [409, 'conflict', 'digest']);
    const now = await seen(boss, id);
    const [approval, edit] = await Promise.all([
      boss('POST', `${path}/${id}/approve`, now),
      ada('PATCH', `${path}/${id}`, { calls: [renameModel('d')] }),
    ]);
    ok(edit);
    assert.ok(approval.status === 200 || approval.status === 409, 'before the edit, or not at all');
    const after = shown(await boss('GET', `${path}/${id}`));
    const isOpen = after.state === 'open' && after.covered_by.length === 0;
    assert.ok(isOpen || approval.status === 200);
    assert.equal((await ada('POST', `${path}/${id}/apply`, {})).status, 409);
  });

  it('and every other step is refused when If-Match names an older version', async (t) => {
    const { ada, boss, draft, seen, ask, cookies } = await fourEyes(t);
    const id = await draft(ada, [renameModel('b')]);
    const version = (await boss('GET', `${path}/${id}`)).headers.get('etag') ?? '';
    assert.equal(version, '"1"');
    ok(await ada('PATCH', `${path}/${id}`, { title: 'Another title' }));
    const body = await seen(boss, id);
    const headers = { 'if-match': version };
    const stale = {
      method: 'POST',
      path: `${path}/${id}/approve`,
      cookie: cookies.boss,
      headers,
      body,
    };
    assert.deepEqual(errorOf(await ask(stale)), [412, 'stale', 'if-match']);
  });

  it('is not given by the author, nor by who logs in with a password that the author set', async (t) => {
    const { ada, boss, draft, approve, ask, plane } = await fourEyes(t);
    const eve = await boss('POST', '/admin/principals', { name: 'eve', kind: 'user' });
    const eveId = Number(member(eve.body, 'id'));
    ok(await boss('POST', `/admin/principals/${eveId}/roles`, { role: 'admin' }));
    const setPassword = (by: typeof ada) =>
      by('PUT', `/admin/principals/${eveId}/password`, { password: adminPassword });
    const asEve = async (): Promise<typeof ada> => {
      const login = { name: 'eve', password: adminPassword };
      const cookie = cookieOf(await ask({ method: 'POST', path: '/login', body: login }));
      return (method, at, body) => ask({ method, path: at, cookie, body });
    };
    const id = await draft(ada, [renameModel('b')]);
    assert.deepEqual(errorOf(await approve(ada, id)), [403, 'forbidden', null]);
    ok(await setPassword(ada));
    const given = await approve(await asEve(), id);
    assert.deepEqual(errorOf(given), [403, 'forbidden', null]);
    assert.match(JSON.stringify(given.body), /the author of this change gave you your credential/);
    // The change may have been made by ada.
    ok(await setPassword(await asEve()));
    assert.deepEqual(errorOf(await approve(await asEve(), id)), [403, 'forbidden', null]);
    ok(await setPassword(boss));
    ok(await approve(await asEve(), id));
    assert.equal(plane.store.state().change_request.byId.get(1)?.approvals.length, 1);
  });

  it('is not given with a password that came of a change request of the author either', async (t) => {
    const { ada, boss, draft, approve, ask, login, plane } = await fourEyes(t);
    await login('eve', ['admin']);
    const eve = [...plane.store.state().principal.byId.keys()].at(-1) ?? 0;
    const password = { password: 'a password that ada knows' };
    const call = { method: 'PUT', path: `/admin/principals/${eve}/password`, body: password };
    const first = await draft(ada, [call]);
    ok(await approve(boss, first));
    ok(await boss('POST', `${path}/${first}/apply`, {}));
    const body = { name: 'eve', ...password };
    const cookie = cookieOf(await ask({ method: 'POST', path: '/login', body }));
    const asEve: typeof ada = (method, at, sent) => ask({ method, path: at, cookie, body: sent });
    const ofAda = await draft(ada, [renameModel('b')]);
    assert.deepEqual(errorOf(await approve(asEve, ofAda)), [403, 'forbidden', null]);
    const ofBoss = await draft(boss, [renameModel('c')]);
    ok(await approve(asEve, ofBoss));
  });

  it('is not given by who set the password that the author had, whatever became of it since', async (t) => {
    const { ada, boss, draft, approve, ask } = await fourEyes(t);
    const eve = await boss('POST', '/admin/principals', { name: 'eve', kind: 'user' });
    const at = `/admin/principals/${Number(member(eve.body, 'id'))}`;
    ok(await boss('POST', `${at}/roles`, { role: 'admin' }));
    ok(await boss('PUT', `${at}/password`, { password: adminPassword }));
    const body = { name: 'eve', password: adminPassword };
    const cookie = cookieOf(await ask({ method: 'POST', path: '/login', body }));
    const asEve: typeof ada = (method, path, body) => ask({ method, path, cookie, body });
    const id = await draft(asEve, [renameModel('b')]);
    ok(await ada('PUT', `${at}/password`, { password: 'a password of ada for eve' }));
    const given = await approve(boss, id);
    assert.deepEqual(errorOf(given), [403, 'forbidden', null]);
    assert.match(JSON.stringify(given.body), /you gave the author of this change their credential/);
    ok(await approve(ada, id));
  });

  it('of several at once counts once each, and a replayed key answers as before', async (t) => {
    const { ada, boss, draft, seen, ask, cookies, plane } = await fourEyes(t);
    const id = await draft(ada, [renameModel('b')]);
    const body = await seen(boss, id);
    const headers = { 'idempotency-key': 'approve-1' };
    const approve = { method: 'POST', path: `${path}/${id}/approve`, cookie: cookies.boss, body };
    const answers = await Promise.all([ask(approve), ask(approve), ask({ ...approve, headers })]);
    for (const answer of answers) ok(answer);
    const apply = { method: 'POST', path: `${path}/${id}/apply`, cookie: cookies.ada, body: {} };
    const keyed = { ...apply, headers: { 'idempotency-key': 'apply-1' } };
    const [first, second] = await Promise.all([ask(keyed), ask(keyed)]);
    assert.deepEqual([ok(first).body, stateOf(first)], [ok(second).body, 'applied']);
    const { position } = plane.store.state();
    assert.deepEqual(ok(await ask(keyed)).body, first.body);
    assert.equal(plane.store.state().position, position);
    assert.equal((await ask(apply)).status, 409);
  });
});

it('change requests are listed newest first, by state and author, page by page', async (t) => {
  const { ada, boss, draft, ids } = await fourEyes(t);
  for (const name of ['b', 'c', 'd']) await draft(ada, [renameModel(name)]);
  await draft(boss, [renameModel('e')]);
  ok(await ada('POST', `${path}/2/withdraw`, {}));
  const listed = async (query: string) => {
    const answer = ok(await boss('GET', `${path}?${query}`));
    const rows = z.array(z.object({ id: z.int(), version: z.int() })).parse(answer.body);
    const total = answer.headers.get('x-total-count');
    return { ids: rows.map(({ id }) => id), total, link: answer.headers.get('link') };
  };
  assert.deepEqual((await listed('')).ids, [4, 3, 2, 1]);
  assert.deepEqual(await listed('state=open&limit=2'), {
    ids: [4, 3],
    total: '3',
    link: `<${path}?state=open&limit=2&after=3>; rel="next"`,
  });
  assert.deepEqual((await listed('state=open&limit=2&after=3')).ids, [1]);
  const oldest = await listed('order=asc&limit=1&after=1');
  assert.deepEqual(oldest.ids, [2]);
  assert.equal(oldest.link, `<${path}?order=asc&limit=1&after=2>; rel="next"`);
  assert.deepEqual((await listed(`author=${ids.boss}`)).ids, [4]);
  assert.deepEqual((await listed('state=withdrawn')).ids, [2]);
});
