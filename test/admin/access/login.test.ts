// Tests login, sessions and logout (Authentication rule 1).

import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { describe, it } from 'node:test';

import { adminPassword, cookieOf, errorOf, member, testAdmin } from '../../harness/admin/admin.ts';

const login = (name: string, password: string) => ({
  method: 'POST',
  path: '/login',
  body: { name, password },
});

describe('a login', () => {
  it('returns the principal and its permissions, and sets a strict cookie', async (t) => {
    const { ask, login: loginAs } = await testAdmin(t);
    await loginAs('ada', ['operator']);
    const answer = await ask(login('ada', adminPassword));
    assert.equal(member(answer.body, 'name'), 'ada');
    assert.deepEqual(member(answer.body, 'permissions'), [
      'config:write',
      'key:create',
      'key:revoke',
      'usage:read',
    ]);
    assert.match(
      answer.headers.getSetCookie()[0] ?? '',
      /^gw_session=[\w-]{43}; HttpOnly; SameSite=Strict; Path=\/; Max-Age=43200$/,
    );
  });

  it('is refused in the same words for a wrong password, an unknown name and a name without one', async (t) => {
    const { ask, login: loginAs } = await testAdmin(t);
    await loginAs('ada', []);
    const answers = await Promise.all([
      ask(login('ada', 'not the password')),
      ask(login('unknown-user', 'not the password')),
      ask(login('bootstrap', 'not the password')),
    ]);
    for (const answer of answers) {
      assert.deepEqual(errorOf(answer), [401, 'unauthenticated', null]);
      assert.equal(member(member(answer.body, 'error'), 'message'), 'invalid credentials');
    }
  });

  it('is rate-limited per name, with Retry-After', async (t) => {
    const { ask, login: loginAs } = await testAdmin(t);
    await loginAs('ada', []);
    for (let attempt = 0; attempt < 5; attempt += 1) {
      assert.equal((await ask(login('ada', 'a wrong password'))).status, 401);
    }
    const limited = await ask(login('ada', adminPassword));
    assert.deepEqual(errorOf(limited), [429, 'too_many', null]);
    assert.match(limited.headers.get('retry-after') ?? '', /^\d+$/);
    assert.equal((await ask(login('grace', 'a wrong password'))).status, 401);
  });

  it('is not limited while the password is correct, with many concurrent logins', async (t) => {
    const { ask, login: loginAs } = await testAdmin(t);
    await loginAs('ada', []);
    const right = Array.from({ length: 20 }, () => ask(login('ada', adminPassword)));
    const statuses = (await Promise.all(right)).map(({ status }) => status);
    assert.deepEqual(new Set(statuses), new Set([200]));
  });

  it('ends the session that the browser had', async (t) => {
    const { ask, login: loginAs } = await testAdmin(t);
    const old = await loginAs('ada', ['admin']);
    const fresh = cookieOf(await ask({ ...login('ada', adminPassword), cookie: old }));
    assert.equal((await ask({ path: '/admin/roles', cookie: old })).status, 401);
    assert.equal((await ask({ path: '/admin/roles', cookie: fresh })).status, 200);
  });
});

describe('a session', () => {
  it('ends at logout, and a second logout succeeds', async (t) => {
    const { ask, login: loginAs } = await testAdmin(t);
    const cookie = await loginAs('ada', ['admin']);
    for (let time = 0; time < 2; time += 1) {
      const answer = await ask({ method: 'POST', path: '/logout', cookie });
      assert.equal(answer.status, 200);
      assert.match(answer.headers.getSetCookie()[0] ?? '', /^gw_session=; .*Max-Age=0$/);
    }
    assert.equal((await ask({ path: '/admin/roles', cookie })).status, 401);
  });

  it('ends after 12 hours regardless of use, and can then be purged', async (t) => {
    let now = Date.now();
    const { ask, plane, admin, login: loginAs } = await testAdmin(t, { clock: () => now });
    const cookie = await loginAs('ada', ['admin']);
    now += 12 * 60 * 60 * 1000 - 1;
    assert.equal((await ask({ path: '/admin/roles', cookie })).status, 200);
    now += 1;
    assert.equal((await ask({ path: '/admin/roles', cookie })).status, 401);
    const kept = cookieOf(await ask(login('ada', adminPassword)));
    await admin.needs.access.sessions.purge();
    const rows: unknown[] = await plane.db.query(plane.db.sql`select 1 from op.sessions`);
    assert.equal(rows.length, 1);
    assert.equal((await ask({ path: '/admin/roles', cookie: kept })).status, 200);
  });

  it('ends when its principal gets another password, and when it is deleted', async (t) => {
    const { ask, admin, login: loginAs } = await testAdmin(t);
    const boss = await loginAs('boss', ['admin']);
    const ada = await loginAs('ada', ['admin']);
    const { body } = await ask(login('ada', adminPassword));
    const path = `/admin/principals/${String(member(body, 'id'))}`;
    const password = {
      method: 'PUT',
      path: `${path}/password`,
      body: { password: 'another one of mine' },
    };
    assert.equal((await ask({ ...password, cookie: boss })).status, 200);
    assert.equal((await ask({ path: '/admin/roles', cookie: ada })).status, 401);
    // Only valid sessions are counted.
    assert.equal(await admin.needs.access.sessions.count(), 1);

    const again = cookieOf(await ask(login('ada', 'another one of mine')));
    assert.equal((await ask({ path: '/admin/roles', cookie: again })).status, 200);
    assert.equal((await ask({ method: 'DELETE', path, cookie: boss })).status, 200);
    assert.equal((await ask({ path: '/admin/roles', cookie: again })).status, 401);
  });

  it('is valid only with the signature of a control plane, even if the database is modified', async (t) => {
    const { ask, plane, login: loginAs } = await testAdmin(t);
    const cookie = await loginAs('ada', ['admin']);
    const { db } = plane;
    const statusOf = async (one: string) =>
      (await ask({ path: '/admin/roles', cookie: one })).status;
    assert.equal(await statusOf(cookie), 200);
    const forged = 'a-token-of-my-own';
    const digest = createHash('sha256').update(forged).digest();
    await db.query(db.sql`
      insert into op.sessions
        (token_digest, principal_id, password_ref, created_at, expires_at, seal)
      select ${digest}, principal_id, password_ref, now(), now() + interval '10 years', seal
      from op.sessions`);
    assert.equal(await statusOf(forged), 401);
    await db.query(db.sql`update op.sessions set seal = null where token_digest = ${digest}`);
    assert.equal(await statusOf(forged), 401);
    await db.query(db.sql`update op.sessions set expires_at = expires_at + interval '1 year'`);
    assert.equal(await statusOf(cookie), 401);
  });

  it('is stored only as a digest', async (t) => {
    const { plane, login: loginAs } = await testAdmin(t);
    const cookie = await loginAs('ada', []);
    const rows: unknown[] = await plane.db.query(plane.db.sql`select * from op.sessions`);
    assert.doesNotMatch(JSON.stringify(rows), new RegExp(cookie));
    assert.equal(rows.length, 1);
  });
});
