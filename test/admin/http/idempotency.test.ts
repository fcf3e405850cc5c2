// Tests Idempotency-Key: a mutation happens once, and its first response is repeated byte for byte
// for 24 hours, for the same principal and request only.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { TestContext } from 'node:test';

import { adminPassword, errorOf, member, testAdministrator } from '../../harness/admin/admin.ts';

const hour = 60 * 60 * 1000;
const key = 'create-1';
const newKey = { name: 'batch', principal_id: 1 };

type Sent = Readonly<{ status: number; text: string; headers: Headers }>;

/**
 * An administrator with a clock that the test controls, and requests with a key whose responses are
 * read as bytes.
 */
async function started(t: TestContext) {
  let now = Date.now();
  const admin = await testAdministrator(t, { clock: () => now });
  const { url, plane } = admin;
  const sendAs =
    (cookie: string) =>
    async (method: string, path: string, body: unknown, header = key): Promise<Sent> => {
      const response = await fetch(url + path, {
        method,
        headers: {
          cookie: `gw_session=${cookie}`,
          'content-type': 'application/json',
          'idempotency-key': header,
        },
        body: JSON.stringify(body),
      });
      const { status, headers } = response;
      return { status, headers, text: await response.text() };
    };
  const count = async (table: 'events' | 'answers'): Promise<number> => {
    const { sql } = plane.db;
    const [row]: { count: number }[] = await plane.db.query(
      table === 'events'
        ? sql`select count(*) as count from es.events`
        : sql`select count(*) as count from op.idempotent_answers`,
    );
    return row?.count ?? -1;
  };
  return {
    ...admin,
    sendAs,
    keyed: sendAs(admin.cookie),
    count,
    later: (ms: number) => void (now += ms),
  };
}

const shown = ({ status, text, headers }: Sent) => ({
  status,
  text,
  version: headers.get('x-gw-snapshot-version'),
  etag: headers.get('etag'),
  type: headers.get('content-type'),
});

const errorIn = (sent: Sent): readonly unknown[] =>
  errorOf({ status: sent.status, headers: sent.headers, body: JSON.parse(sent.text) });

describe('the same key and request', () => {
  it('returns the first response byte for byte, including the new API key, and writes nothing', async (t) => {
    const { keyed, count } = await started(t);
    const first = await keyed('POST', '/admin/keys', newKey);
    assert.equal(first.status, 200);
    const events = await count('events');
    const again = await keyed('POST', '/admin/keys', newKey);
    assert.deepEqual(shown(again), shown(first));
    assert.equal(again.headers.get('idempotency-replayed'), 'true');
    assert.equal(first.headers.get('idempotency-replayed'), null);
    const reordered = { principal_id: 1, name: 'batch' };
    assert.deepEqual(shown(await keyed('POST', '/admin/keys', reordered)), shown(first));
    assert.equal(await count('events'), events);
  });

  it('returns the first response even if the request would now fail or differ', async (t) => {
    const { keyed, send } = await started(t);
    const made = await keyed('POST', '/admin/roles', { name: 'auditor' }, 'a');
    const renamed = await keyed('PATCH', '/admin/roles/auditor', { name: 'reader' }, 'b');
    const deleted = await keyed('DELETE', '/admin/roles/reader', {}, 'c');
    assert.deepEqual([made.status, renamed.status, deleted.status], [200, 200, 200]);
    await send('POST', '/admin/roles', { name: 'auditor' });
    assert.deepEqual(
      shown(await keyed('POST', '/admin/roles', { name: 'auditor' }, 'a')),
      shown(made),
    );
    const rename = await keyed('PATCH', '/admin/roles/auditor', { name: 'reader' }, 'b');
    assert.deepEqual(shown(rename), shown(renamed));
    assert.deepEqual(shown(await keyed('DELETE', '/admin/roles/reader', {}, 'c')), shown(deleted));
  });

  it('sent many times concurrently is executed once, and all get its response', async (t) => {
    const { keyed, count } = await started(t);
    const events = await count('events');
    const sent = await Promise.all(
      Array.from({ length: 8 }, () => keyed('POST', '/admin/keys', newKey)),
    );
    assert.equal(new Set(sent.map((one) => JSON.stringify(shown(one)))).size, 1);
    assert.equal(sent[0]?.status, 200);
    assert.equal(await count('events'), events + 1);
    const roles = await Promise.all(
      Array.from({ length: 8 }, () => keyed('POST', '/admin/roles', { name: 'auditor' }, 'role')),
    );
    assert.deepEqual(new Set(roles.map(({ status }) => status)), new Set([200]));
  });

  it('is free again after 24 hours, and what was kept is deleted', async (t) => {
    const { keyed, later, count, admin, send } = await started(t);
    const first = await keyed('POST', '/admin/keys', newKey);
    later(11 * hour);
    assert.deepEqual(shown(await keyed('POST', '/admin/keys', newKey)), shown(first));
    later(13 * hour);
    assert.equal((await send('GET', '/admin/keys')).status, 401, 'the session is over');
    assert.equal(await count('answers'), 1);
    await admin.idempotency.purge();
    assert.equal(await count('answers'), 0);
  });

  it('makes the change again if the key expired but was not purged yet', async (t) => {
    const { sendAs, later, ask, keyed } = await started(t);
    const first = await keyed('POST', '/admin/keys', newKey);
    later(24 * hour);
    const body = { name: 'boss', password: adminPassword };
    const answer = await ask({ method: 'POST', path: '/login', body });
    const cookie = /gw_session=([^;]+)/.exec(answer.headers.getSetCookie()[0] ?? '')?.[1] ?? '';
    const second = await sendAs(cookie)('POST', '/admin/keys', newKey);
    assert.equal(second.status, 200);
    assert.notEqual(second.text, first.text);
  });
});

describe('the same key', () => {
  it('with another body, path or method is a 409, and changes nothing', async (t) => {
    const { keyed, count } = await started(t);
    await keyed('POST', '/admin/roles', { name: 'auditor' });
    const events = await count('events');
    const others = await Promise.all([
      keyed('POST', '/admin/roles', { name: 'other' }),
      keyed('POST', '/admin/keys', newKey),
      keyed('DELETE', '/admin/roles/auditor', {}),
    ]);
    for (const other of others) {
      assert.deepEqual(errorIn(other), [409, 'conflict', 'idempotency-key']);
    }
    assert.equal(await count('events'), events);
  });

  it('of another principal is another key', async (t) => {
    const { keyed, sendAs, login } = await started(t);
    const first = await keyed('POST', '/admin/keys', newKey);
    const other = sendAs(await login('second', ['admin']));
    const second = await other('POST', '/admin/keys', newKey);
    assert.equal(second.status, 200);
    assert.notEqual(second.text, first.text);
  });

  it('replays only to callers that still have the permission', async (t) => {
    const { sendAs, login, send } = await started(t);
    const operator = sendAs(await login('second', ['operator']));
    assert.equal((await operator('POST', '/admin/keys', newKey)).status, 200);
    const { body } = await send('GET', '/admin/principals');
    assert.ok(Array.isArray(body));
    const second = body.find((principal) => member(principal, 'name') === 'second');
    await send('DELETE', `/admin/principals/${String(member(second, 'id'))}/roles/operator`);
    const refused = await operator('POST', '/admin/keys', newKey);
    assert.deepEqual(errorIn(refused), [403, 'forbidden', null]);
  });

  it('is free after a refusal', async (t) => {
    const { keyed, send, count } = await started(t);
    const grant = { role: 'auditor' };
    assert.equal((await keyed('POST', '/admin/principals/1/roles', grant)).status, 400);
    assert.equal(await count('answers'), 0);
    await send('POST', '/admin/roles', { name: 'auditor' });
    assert.equal((await keyed('POST', '/admin/principals/1/roles', grant)).status, 200);
  });

  it('must be 1 to 255 printable characters', async (t) => {
    const { keyed } = await started(t);
    const refused = [400, 'invalid', 'idempotency-key'];
    const role = { name: 'auditor' };
    assert.deepEqual(errorIn(await keyed('POST', '/admin/roles', role, 'x'.repeat(256))), refused);
    assert.deepEqual(errorIn(await keyed('POST', '/admin/roles', role, 'a\tb')), refused);
    assert.deepEqual(errorIn(await keyed('POST', '/admin/roles', role, 'ü')), refused);
    assert.equal((await keyed('POST', '/admin/roles', role, 'x'.repeat(255))).status, 200);
  });
});

describe('what is kept', () => {
  it('is committed or rolled back with the change', async (t) => {
    const { keyed, send, plane, count } = await started(t);
    const { sql } = plane.db;
    const events = await count('events');
    await plane.db.query(sql`alter table op.idempotent_answers add check (principal_id < 0)`);
    assert.equal((await keyed('POST', '/admin/roles', { name: 'auditor' })).status, 500);
    assert.equal(await count('events'), events);
    assert.equal((await send('POST', '/admin/roles', { name: 'auditor' })).status, 200);
  });

  it('shows neither the answer, nor the key, nor the body', async (t) => {
    const { keyed, plane } = await started(t);
    const password = { password: 'correct horse battery' };
    const made = await keyed('POST', '/admin/keys', newKey, 'a-telling-key');
    await keyed('PUT', '/admin/principals/1/password', password, 'b');
    const plaintext = String(member(JSON.parse(made.text), 'key'));
    const rows = await plane.db.query(
      plane.db.sql`select row_to_json(kept)::text as row, answer from op.idempotent_answers kept`,
    );
    assert.equal(rows.length, 2);
    for (const { row, answer } of rows) {
      const bytes: Buffer = answer;
      for (const secret of [plaintext, 'a-telling-key', password.password, 'batch']) {
        assert.ok(!String(row).includes(secret) && !bytes.includes(secret));
      }
    }
  });

  it('cannot be moved to another key', async (t) => {
    const { keyed, plane } = await started(t);
    await keyed('POST', '/admin/keys', newKey, 'a');
    await keyed('POST', '/admin/keys', newKey, 'b');
    const { sql } = plane.db;
    await plane.db.query(sql`
      update op.idempotent_answers kept set answer = other.answer
      from op.idempotent_answers other where other.key_digest <> kept.key_digest`);
    const refused = await keyed('POST', '/admin/keys', newKey, 'a');
    assert.deepEqual(errorIn(refused), [409, 'conflict', 'idempotency-key']);
  });
});
