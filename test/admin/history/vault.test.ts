// Tests erasure on demand: what it erases, what it keeps, and its traces in the log, the history
// and a restore.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { TestContext } from 'node:test';

import { sql } from '@databases/pg';
import { z } from 'zod';

import { verifyLog } from '../../../src/control/log/verify-log.ts';
import { cookieOf, errorOf, member, testAdministrator } from '../../harness/admin/admin.ts';
import { gw } from '../../harness/program/command-line.ts';
import { testKey } from '../../harness/control/plane.ts';
import { reported, reportUsage } from '../../harness/admin/usage.ts';

const password = 'a password of the tests';
const login = { method: 'POST', path: '/login', body: { name: 'ada', password } };

/** Ada is a user with an address who made a change with a reason. So did boss. */
async function started(t: TestContext) {
  const admin = await testAdministrator(t);
  const { send, ask, cookie, plane } = admin;
  const because = (cookie: string, reason: string, method: string, path: string, body?: unknown) =>
    ask({ method, path, cookie, body, headers: { 'x-gw-reason': reason } });
  const made = await send('POST', '/admin/principals', { name: 'ada', kind: 'user' });
  const id = Number(member(made.body, 'id'));
  await send('POST', `/admin/principals/${id}/roles`, { role: 'admin' });
  await send('PUT', `/admin/principals/${id}/password`, { password });
  const ada = cookieOf(await ask(login));
  await send('PATCH', `/admin/principals/${id}`, { email: 'ada@old.example' });
  await send('PATCH', `/admin/principals/${id}`, { email: 'ada@new.example' });
  await because(ada, 'ada has her reasons', 'POST', '/admin/models', { name: 'm' });
  await because(cookie, 'boss has others', 'POST', '/admin/models', { name: 'n' });
  const texts = async (): Promise<string> => {
    const rows: { ref: string }[] = await plane.db.query(sql`select ref from vault.items`);
    const revealed = await plane.vault.reveal(
      plane.db,
      rows.map(({ ref }) => ref),
    );
    return [...revealed.values()].join('\n');
  };
  const erase = (body: unknown) => send('POST', '/admin/vault/erase-personal-data', body);
  return { ...admin, because, id, texts, erase };
}

const nothing = { erased: {}, left: false };

describe('the personal data of a principal', () => {
  it('of an existing principal is erased except name and password, and it keeps working', async (t) => {
    const { erase, id, texts, send, ask, plane } = await started(t);
    const { status, body } = await erase({ principal_id: id });
    assert.equal(status, 200, JSON.stringify(body));
    assert.deepEqual(body, { erased: { email: 2, reason: 1 }, left: false });
    const left = await texts();
    for (const gone of ['ada@old.example', 'ada@new.example', 'ada has her reasons']) {
      assert.ok(!left.includes(gone), gone);
    }
    for (const kept of ['boss has others', 'ada']) assert.ok(left.includes(kept), kept);
    const record = (await send('GET', '/admin/principals')).body;
    assert.match(JSON.stringify(record), /"name":"ada","kind":"user","email":null/);
    assert.equal((await ask(login)).status, 200);
    assert.deepEqual((await erase({ principal_id: id })).body, nothing);
    assert.deepEqual((await verifyLog(plane.db)).problems, []);
  });

  it('of a deleted principal is erased completely, and the history shows that', async (t) => {
    const { ask, erase, id, texts, send, plane } = await started(t);
    const before = plane.store.state().position;
    await reportUsage({ ask }, [reported(1, { principal_id: id })]);
    await send('DELETE', `/admin/principals/${id}`);
    const usage = async () => JSON.stringify((await send('GET', '/admin/usage/events')).body);
    assert.match(await usage(), /"principal":"ada"/);
    const { body } = await erase({ principal_id: id });
    assert.match(await usage(), /"principal":""/);
    assert.deepEqual(body, { erased: { name: 1, email: 2, password: 1, reason: 1 }, left: false });
    assert.ok(!(await texts()).includes('ada'));
    const past = await send('GET', `/admin/principals?as_of=${before}`);
    assert.match(JSON.stringify(past.body), new RegExp(`"id":${id},"name":"","kind":"user"`));
    const commands = z
      .array(
        z.object({
          actor_id: z.int().nullable(),
          actor_name: z.string().nullable(),
          reason_erased: z.boolean(),
        }),
      )
      .parse((await send('GET', `/admin/history/commands?actor=${id}`)).body);
    assert.deepEqual(commands, [{ actor_id: id, actor_name: null, reason_erased: true }]);
    const restore = await send('POST', `/admin/snapshots/${before}/restore`, { dry_run: true });
    const missing = z
      .array(z.object({ entity: z.string(), field: z.string(), reason: z.string() }))
      .parse(member(restore.body, 'missing'));
    assert.deepEqual(
      missing.map(({ entity, field, reason }) => `${entity} ${field} ${reason}`).toSorted(),
      ['email', 'name', 'password'].map((field) => `principal-${id} ${field} erased`),
    );
  });

  it('is recorded in the log as kinds and numbers, with the caller', async (t) => {
    const { because, cookie, id, send, plane } = await started(t);
    const body = { principal_id: id };
    await because(cookie, 'request of 3 May', 'POST', '/admin/vault/erase-personal-data', body);
    const [event]: { payload: unknown; command: string }[] = await plane.db.query(sql`
      select payload, metadata ->> 'command' as command from es.events
      where type = 'VaultItemsErased'`);
    const data = z.object({ refs: z.array(z.uuid()) }).parse(event?.payload);
    assert.deepEqual(event?.payload, { ...data, kinds: { email: 2, reason: 1 }, principal_id: id });
    const [row] = z
      .array(z.object({ command: z.string(), reason: z.string(), actor_name: z.string() }))
      .parse((await send('GET', '/admin/history/commands?limit=1')).body);
    assert.deepEqual(row, {
      command: 'EraseVaultItems',
      reason: 'request of 3 May',
      actor_name: 'boss',
    });
  });

  it('is also erased from responses kept for repeated requests, which still have no second effect', async (t) => {
    const { ask, cookie, erase, send } = await started(t);
    const body = { name: 'eve', kind: 'user', email: 'eve@old.example' };
    const keyed = { method: 'POST', path: '/admin/principals', cookie, body } as const;
    const make = () => ask({ ...keyed, headers: { 'idempotency-key': 'eve' } });
    const made = await make();
    assert.deepEqual((await make()).body, made.body);
    await send('DELETE', `/admin/principals/${Number(member(made.body, 'id'))}`);
    await erase({ principal_id: member(made.body, 'id') });
    assert.deepEqual(errorOf(await make()), [409, 'conflict', 'idempotency-key']);
    assert.ok(!JSON.stringify((await send('GET', '/admin/principals')).body).includes('eve'));
  });

  it('returns 404 for an unknown principal', async (t) => {
    const { erase } = await started(t);
    assert.deepEqual(errorOf(await erase({ principal_id: 99 })), [404, 'absent', null]);
  });
});

describe('what was superseded', () => {
  it('is erased immediately, but not if it is in use', async (t) => {
    const { send, texts } = await started(t);
    await send('POST', '/admin/mcp-servers', {
      name: 's',
      url: 'https://s.example',
      upstream_api_key: 'old-secret',
    });
    await send('PATCH', '/admin/mcp-servers/1', { upstream_api_key: 'new-secret' });
    const { body } = await send('POST', '/admin/vault/erase-superseded');
    assert.deepEqual(body, { erased: { email: 1, credential: 1 }, left: false });
    const left = await texts();
    assert.ok(!left.includes('old-secret'));
    assert.ok(left.includes('new-secret'));
    assert.deepEqual((await send('POST', '/admin/vault/erase-superseded')).body, nothing);
  });

  it('is also erased by the command line, which lists it', async (t) => {
    const { databaseUrl, id, texts } = await started(t);
    const env = {
      GW_DATABASE_URL: databaseUrl,
      GW_ENCRYPTION_KEY: Buffer.from(testKey).toString('hex'),
    };
    const run = (...words: readonly string[]) =>
      gw(['vault', 'erase', ...words, '--reason', 'r'], { env });
    const superseded = await run('--superseded', '--json');
    assert.deepEqual(JSON.parse(superseded.stdout), { erased: { email: 1 } });
    const personal = await run('--principal', String(id));
    assert.equal(personal.stdout, 'erased email: 1, reason: 1\n');
    assert.ok(!(await texts()).includes('ada@new.example'));
    const both = await run('--superseded', '--principal', String(id));
    assert.deepEqual([both.code, /either --principal or/.test(both.stderr)], [2, true]);
    const unfit = await run('--principal', 'ada');
    assert.match(unfit.stderr, /--principal must be an id, was "ada"/);
  });
});
