// Tests that the sign-in link of gw dev works once and before its expiry, and that every other use
// is refused.

import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { describe, it } from 'node:test';
import type { TestContext } from 'node:test';

import { createSignInLink, signInLinkMinutes } from '../../../src/control/access/sign-in-link.ts';
import {
  cookieOf,
  errorOf,
  member,
  testAdmin,
  testAdministrator,
} from '../../harness/admin/admin.ts';

async function started(t: TestContext) {
  const clock = { now: Date.now() };
  const now = (): number => clock.now;
  const { token, link } = createSignInLink({ name: 'boss', clock: now, randomBytes });
  const admin = await testAdministrator(t, { clock: now, signInLink: link });
  const redeem = (given = token, headers: Readonly<Record<string, string>> = {}) =>
    admin.ask({ method: 'POST', path: '/login/link', body: { token: given }, headers });
  return { ...admin, clock, token, redeem };
}

const messageOf = (body: unknown): string => String(member(member(body, 'error'), 'message'));

describe('the sign-in link', () => {
  it('starts a session of its principal, which the audit log records', async (t) => {
    const { ask, send, redeem, token } = await started(t);
    const answer = await redeem();
    assert.equal(answer.status, 200);
    assert.equal(member(answer.body, 'name'), 'boss');
    assert.match(answer.headers.getSetCookie()[0] ?? '', /HttpOnly; SameSite=Strict/);
    const session = await ask({ path: '/session', cookie: cookieOf(answer) });
    assert.equal(member(member(session.body, 'you'), 'name'), 'boss');
    const { body } = await send('GET', '/admin/audit?limit=1');
    assert.ok(Array.isArray(body));
    const [row] = body;
    assert.equal(member(row, 'actor_name'), 'boss');
    assert.equal(member(row, 'action'), 'POST');
    assert.equal(member(row, 'target'), '/login/link');
    assert.equal(member(row, 'summary'), 'Signed in with the link of gw dev');
    assert.doesNotMatch(JSON.stringify(body), new RegExp(token));
  });

  it('works once, also when it is used twice at the same time', async (t) => {
    const { redeem } = await started(t);
    const answers = await Promise.all([redeem(), redeem()]);
    assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([200, 401]));
    const again = await redeem();
    assert.deepEqual(errorOf(again), [401, 'unauthenticated', null]);
    assert.match(messageOf(again.body), /the sign-in link was already used; sign in with the name/);
    assert.deepEqual(again.headers.getSetCookie(), []);
  });

  it('expires to the millisecond', async (t) => {
    const { redeem, clock } = await started(t);
    clock.now += signInLinkMinutes * 60_000;
    const late = await redeem();
    assert.deepEqual(errorOf(late), [401, 'unauthenticated', null]);
    assert.match(messageOf(late.body), /the sign-in link has expired/);
    clock.now -= 1;
    assert.equal((await redeem()).status, 200);
  });

  it('with a wrong token is refused, and wrong tokens do not invalidate it', async (t) => {
    const { redeem, token } = await started(t);
    for (const wrong of ['', `${token}x`, token.slice(1)]) {
      const refused = await redeem(wrong);
      assert.deepEqual(errorOf(refused), [401, 'unauthenticated', null]);
      assert.match(messageOf(refused.body), /is not valid for this run of gw dev/);
    }
    assert.equal((await redeem()).status, 200);
  });

  it('is limited by failures as logins are', async (t) => {
    const { redeem } = await started(t);
    const statuses: number[] = [];
    for (let at = 0; at < 6; at += 1) statuses.push((await redeem('wrong')).status);
    assert.deepEqual(statuses, [401, 401, 401, 401, 401, 429]);
  });

  it('is not redeemed for another site', async (t) => {
    const { redeem } = await started(t);
    assert.equal((await redeem(undefined, { 'sec-fetch-site': 'cross-site' })).status, 403);
    assert.equal((await redeem(undefined, { origin: 'https://evil.example' })).status, 403);
    assert.equal((await redeem()).status, 200);
  });

  it('does not exist outside of gw dev', async (t) => {
    const { ask } = await testAdmin(t);
    const answer = await ask({ method: 'POST', path: '/login/link', body: { token: 'x' } });
    assert.deepEqual(errorOf(answer), [404, 'absent', null]);
  });

  it('begins a session that a new password of the principal ends', async (t) => {
    const { ask, send, redeem } = await started(t);
    const answer = await redeem();
    const cookie = cookieOf(answer);
    const id = String(member(answer.body, 'id'));
    const password = 'another password of the tests';
    assert.equal((await send('PUT', `/admin/principals/${id}/password`, { password })).status, 200);
    assert.equal((await ask({ path: '/admin/roles', cookie })).status, 401);
  });
});
