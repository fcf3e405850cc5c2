// Tests that an export gives the same answers as its control plane: changes, events, versions, differences and access, at any time.

import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';

import { answer } from '../log/answer.ts';
import { openExport } from '../log/open-export.ts';
import { testAdministrator } from '../../../../test/harness/admin/admin.ts';
import { exported } from '../../../../test/harness/control/signed-log.ts';

const none = { key: null, anchors: [] };

const ends: (() => unknown)[] = [];
const file = {
  after: (end: unknown) => void (typeof end === 'function' && ends.push(() => end())),
};
after(async () => {
  for (const end of ends.toReversed()) await end();
});

// Shared by all tests, which only read it.
let shared: Awaited<ReturnType<typeof house>>;
before(async () => {
  shared = await house();
});

/** Has a deleted model, a grant that was revoked, and a reason for the last change. */
async function house() {
  const opened = await testAdministrator(file);
  const { send, ask, cookie } = opened;
  await send('POST', '/admin/models', { name: 'qwen3-8b', input_price_per_mtok: 1 });
  await send('POST', '/admin/models', { name: 'other' });
  await send('POST', '/admin/models', { name: 'short-lived' });
  await send('DELETE', '/admin/models/3');
  await send('POST', '/admin/principals', { name: 'reporting' });
  await send('POST', '/admin/roles', { name: 'readers' });
  const permission = { verb: 'model:invoke', resource: 'model/qwen*' };
  await send('POST', '/admin/roles/readers/permissions', permission);
  await send('POST', '/admin/principals/3/roles', { role: 'readers' });
  await send('POST', '/admin/keys', { name: 'k', principal_id: 3 });
  await send('DELETE', '/admin/principals/3/roles/readers');
  await send('POST', '/admin/principals/3/roles', { role: 'readers' });
  const headers = { 'x-gw-reason': 'CHG-7' };
  const body = { input_price_per_mtok: 2 };
  const last = await ask({
    method: 'PATCH',
    path: '/admin/provider-models/1',
    cookie,
    headers,
    body,
  });
  assert.equal(last.status, 200);
  return opened;
}

/** Values that a log does not contain. */
const unsaid = new Set(['reason', 'content_hash', 'snapshot_schema', 'replicas', 'served_by']);

const said = (body: unknown): string =>
  JSON.stringify(body, (name, value: unknown) => (unsaid.has(name) ? undefined : value));

it('an export answers as its control plane does, byte for byte', async () => {
  const { plane, send } = shared;
  const log = await exported(plane.db);
  const opened = await openExport([new File([log], 'log.ndjson')], none, () => {});
  const { position } = plane.store.state();
  const addresses = [
    '/admin/history/commands?limit=5',
    '/admin/history/commands?order=asc&after=3&limit=2',
    '/admin/history/commands?stream=model-1',
    '/admin/history/commands?actor=2&limit=1000',
    '/admin/history/commands?command=CreateModel',
    '/admin/history/commands?actor_kind=session&order=asc&limit=3',
    '/admin/history/commands?stream=role-2&order=asc&after=1',
    '/admin/history/streams?limit=1000',
    '/admin/history/streams?part=MODEL&after=model-1&limit=1',
    '/admin/history/events?limit=1000',
    '/admin/history/events?stream=principal-3&after=1000&limit=2',
    '/admin/history/events?actor=2&order=asc&after=30',
    '/admin/history/events?type=PrincipalRoleGranted&order=asc',
    `/admin/history/events?from=${new Date(0).toISOString()}&to=${new Date(0).toISOString()}`,
    `/admin/history/events/${position}`,
    '/admin/history/events/1',
    '/admin/snapshots?limit=1000',
    `/admin/snapshots?before=${position}&limit=2`,
    `/admin/snapshots?order=asc&after=2&limit=3`,
    `/admin/snapshots?to=${new Date(0).toISOString()}`,
    `/admin/snapshots/1/diff/${position}`,
    `/admin/snapshots/1/diff/${position}?offset=2&limit=1`,
    `/admin/snapshots/${position - 1}/diff/${position}?kind=model`,
    '/admin/access?limit=1000',
    `/admin/access?as_of=${position - 2}`,
    '/admin/access?after=2.1&limit=1',
    `/admin/access/diff?from=1&to=${position}`,
    `/admin/access/diff?from=${position - 2}&to=${position}`,
  ];
  for (const address of addresses) {
    const { status, body } = await send('GET', address);
    const own = await answer(opened, address);
    assert.deepEqual([own.status, said(own.body)], [status, said(body)], address);
  }
});

it('an export names the records of changes, deleted ones too, and people by their ids', async () => {
  const log = await exported(shared.plane.db);
  const opened = await openExport([new File([log], 'log.ndjson')], none, () => {});
  const { body } = await answer(opened, '/admin/history/commands?limit=1000&order=asc');
  const summaries = new Set(
    JSON.parse(JSON.stringify(body)).map((one: object) => Reflect.get(one, 'summary')),
  );
  for (const text of [
    'Created model qwen3-8b',
    'Granted a role to reporting',
    'Created API key k',
    'Created model short-lived',
    'Deleted model short-lived',
  ]) {
    assert.ok(summaries.has(text), text);
  }
});

it('pages of access say that there are more', async () => {
  const { plane } = shared;
  const log = await exported(plane.db);
  const opened = await openExport([new File([log], 'log.ndjson')], none, () => {});
  const first = await answer(opened, '/admin/access?limit=1');
  assert.ok('link' in first.headers);
});

it('what an export does not hold is refused in words', async () => {
  const { plane } = shared;
  const log = await exported(plane.db, 4);
  const opened = await openExport([new File([log], 'log.ndjson')], none, () => {});
  const told = async (address: string) => {
    const { status, body } = await answer(opened, address);
    return [status, Reflect.get(Object(Reflect.get(Object(body), 'error')), 'message')];
  };
  const { position } = plane.store.state();
  assert.deepEqual(await told('/admin/snapshots/4/diff/6'), [
    409,
    'the export begins at position 4, so earlier configuration is missing',
  ]);
  assert.deepEqual(await told('/admin/history/events/3'), [404, 'the export has no position 3']);
  assert.deepEqual(await told('/admin/access?as_of=2'), [
    404,
    `as_of: the export holds positions 4 to ${position}, was 2`,
  ]);
  assert.deepEqual(await told('/admin/usage'), [404, 'an export of the log does not contain this']);
});
