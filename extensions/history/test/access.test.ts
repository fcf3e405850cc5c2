// Tests the access review over HTTP and the command line: who could call what and through which
// events, including grants that were revoked and granted again.

import assert from 'node:assert/strict';
import { it } from 'node:test';

import { member, testAdministrator } from '../../../test/harness/admin/admin.ts';
import { gw } from '../../../test/harness/program/command-line.ts';
import { testKey } from '../../../test/harness/control/plane.ts';

async function house(test: Parameters<typeof testAdministrator>[0]) {
  const started = await testAdministrator(test);
  const { send, plane } = started;
  const at = (): number => plane.store.state().position;
  const positions: number[] = [];
  const done = async (method: string, path: string, body?: unknown): Promise<number> => {
    const answer = await send(method, path, body);
    assert.ok(answer.status < 300, `${path} ${JSON.stringify(answer.body)}`);
    positions.push(at());
    return at();
  };
  await done('POST', '/admin/models', { name: 'qwen3-8b' });
  await done('POST', '/admin/models', { name: '=sum' });
  await done('POST', '/admin/principals', { name: 'reporting' });
  await done('POST', '/admin/roles', { name: 'readers' });
  const grant = { verb: 'model:invoke', resource: 'model/qwen*' };
  const permission = await done('POST', '/admin/roles/readers/permissions', grant);
  await done('POST', '/admin/principals/3/roles', { role: 'readers' });
  const key = await send('POST', '/admin/keys', { name: 'k', principal_id: 3 });
  const granted = at();
  const revoked = await done('DELETE', '/admin/principals/3/roles/readers');
  const regranted = await done('POST', '/admin/principals/3/roles', { role: 'readers' });
  const keyId = member(key.body, 'id');
  return { ...started, permission, granted, revoked, regranted, keyId, done };
}

const rowsOf = (body: unknown) => {
  assert.ok(Array.isArray(body));
  return body.filter((row) => member(row, 'principal_id') === 3);
};

it('says who could call what, and the event and actor that granted it', async (t) => {
  const { send, url, cookie, permission, granted, revoked, regranted, keyId } = await house(t);
  const { body } = await send('GET', '/admin/access');
  const [row, ...more] = rowsOf(body);
  assert.deepEqual(more, []);
  assert.deepEqual(
    ['principal', 'model', 'keys'].map((name) => member(row, name)),
    ['reporting', 'qwen3-8b', [keyId]],
  );
  const via = member(row, 'via');
  assert.ok(Array.isArray(via));
  const by = (name: string) =>
    ['position', 'actor_id', 'actor_name'].map((one) => member(member(via[0], name), one));
  assert.deepEqual(by('role_granted'), [regranted, 2, 'boss']);
  assert.deepEqual(by('permission_granted'), [permission, 2, 'boss']);
  const past = async (moment: number) =>
    rowsOf((await send('GET', `/admin/access?as_of=${moment}`)).body);
  assert.equal((await past(granted)).length, 1);
  assert.deepEqual(await past(revoked), []);
  const diff = async (from: number, to: number) =>
    rowsOf((await send('GET', `/admin/access/diff?from=${from}&to=${to}`)).body).map((one) => [
      member(one, 'change'),
      member(one, 'model'),
    ]);
  assert.deepEqual(await diff(granted, revoked), [['lost', 'qwen3-8b']]);
  assert.deepEqual(await diff(revoked, regranted), [['gained', 'qwen3-8b']]);
  assert.deepEqual(await diff(granted, regranted), []);
  const answer = await fetch(`${url}/admin/access?format=csv`, {
    headers: { cookie: `gw_session=${cookie}` },
  });
  assert.match(answer.headers.get('content-type') ?? '', /^text\/csv/);
  const csv = await answer.text();
  assert.match(csv, /^principal_id,.*\r\n/);
  assert.match(
    csv,
    new RegExp(`\r\n3,reporting,1,qwen3-8b,readers,model/qwen\\*,${String(keyId)},`),
  );
  assert.match(csv, /,'=sum,/);
});

it('returns each row once over all pages, filters by valid keys, and refuses an invalid moment', async (t) => {
  const { send, done, keyId, regranted } = await house(t);
  const all = (await send('GET', '/admin/access')).body;
  assert.ok(Array.isArray(all));
  const seen: unknown[] = [];
  let next: string | null = '/admin/access?limit=1';
  while (next !== null) {
    const answer = await send('GET', next);
    assert.ok(Array.isArray(answer.body));
    seen.push(...answer.body);
    next = /^<([^>]*)>; rel="next"$/.exec(answer.headers.get('link') ?? '')?.[1] ?? null;
  }
  assert.deepEqual(seen, all);
  await done('DELETE', `/admin/keys/${String(keyId)}`);
  const keys = async (query: string) =>
    member(rowsOf((await send('GET', `/admin/access${query}`)).body)[0], 'keys');
  assert.deepEqual(await keys(''), []);
  assert.deepEqual(await keys(`?as_of=${regranted}`), [keyId]);
  for (const [path, status] of [
    ['/admin/access?as_of=soon', 400],
    ['/admin/access?after=x', 400],
    ['/admin/access?as_of=999999', 404],
    ['/admin/access/diff?from=1', 400],
  ] as const) {
    assert.equal((await send('GET', path)).status, status, path);
  }
});

it('gw access prints the same', async (t) => {
  const { databaseUrl, revoked, regranted } = await house(t);
  const env = {
    GW_DATABASE_URL: databaseUrl,
    GW_ENCRYPTION_KEY: Buffer.from(testKey).toString('hex'),
  };
  const list = await gw(['access', '--as-of', String(regranted)], { env });
  assert.deepEqual([list.code, list.stderr], [0, '']);
  assert.match(
    list.stdout,
    /^3 reporting {2}qwen3-8b {2}readers model\/qwen\* \(role at \d+, .*\) {2}keys 1$/m,
  );
  assert.match(list.stdout, /^2 boss .* {2}no live key$/m);
  const csv = await gw(['access', '--as-of', String(regranted), '--csv'], { env });
  assert.deepEqual(
    csv.stdout.split('\r\n').map((line) => line.split(',')[0]),
    ['principal_id', ...list.stdout.split('\n').map((line) => line.split(' ')[0])],
  );
  const diff = await gw(['access', 'diff', String(revoked), String(regranted)], { env });
  assert.equal(diff.code, 10);
  assert.match(diff.stdout, /^gained {2}3 reporting {2}qwen3-8b/);
  const same = ['access', 'diff', String(revoked), String(revoked), '--json'];
  const { code, stdout } = await gw(same, { env });
  assert.deepEqual([code, JSON.parse(stdout)], [0, []]);
  const json = await gw(['access', '--as-of', String(regranted), '--json'], { env });
  assert.equal(JSON.parse(json.stdout).length, list.stdout.trimEnd().split('\n').length);
});
