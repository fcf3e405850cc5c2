// Tests who is admitted through an OpenID provider, as which principal, and what is recorded.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { z } from 'zod';

import { principalId } from '../../../src/lib/ids.ts';
import {
  adminPassword,
  cookieOf,
  errorOf,
  member,
  testAdmin,
} from '../../../test/harness/admin/admin.ts';
import { clientSecret } from './openid-provider.ts';
import {
  beginSignIn,
  authorizeAtProvider,
  cookieNamed,
  finishSignIn,
  locationOf,
  signIn,
  signInCookieOf,
  startSignOn,
  signInErrorOf,
} from './sign-on.ts';

const named = (rows: readonly Record<string, unknown>[], name: string) =>
  rows.find((row) => row['name'] === name);

describe('a sign-in', () => {
  it('begins the session that a password begins, and leads back to where it was asked for', async (t) => {
    const { ask, ...admin } = await startSignOn(t);
    const answer = await signIn({ ask }, { returnTo: 'ui/keys?sort=name' });
    assert.equal(locationOf(answer), '../../ui/keys?sort=name');
    assert.match(
      cookieNamed(answer.headers, 'gw_session'),
      /^gw_session=[\w-]{43}; HttpOnly; SameSite=Strict; Path=\/; Max-Age=43200$/,
    );
    assert.match(cookieNamed(answer.headers, 'gw_sign_in'), /^gw_sign_in=; .*Max-Age=0/);
    const session = await ask({ path: '/session', cookie: cookieOf(answer) });
    assert.equal(member(member(session.body, 'you'), 'name'), 'ada@example.com');
    assert.deepEqual(member(session.body, 'single_sign_on'), {
      label: 'Acme',
      hides_password: false,
    });
    assert.deepEqual(admin.warnings.slice(1), []);
  });

  it('is asked for with a state, a nonce and a challenge, and its cookie tells none of them', async (t) => {
    const admin = await startSignOn(t);
    const { url, cookie } = await beginSignIn(admin);
    assert.equal(url.searchParams.get('code_challenge_method'), 'S256');
    for (const name of ['state', 'nonce', 'code_challenge']) {
      const value = url.searchParams.get(name) ?? '';
      assert.equal(value.length, 43, name);
      assert.ok(!Buffer.from(cookie, 'base64url').includes(value));
    }
    assert.equal(url.searchParams.get('redirect_uri'), `${admin.url}/auth/oidc/callback`);
  });

  it('comes back to where browsers see the listener, and over TLS alone its cookies go there', async (t) => {
    const admin = await startSignOn(t, { publicUrl: 'https://ops.example/gw' });
    const answer = await admin.ask({ path: '/auth/oidc/login' });
    const redirect = new URL(locationOf(answer)).searchParams.get('redirect_uri');
    assert.equal(redirect, 'https://ops.example/gw/auth/oidc/callback');
    assert.match(
      cookieNamed(answer.headers, 'gw_sign_in'),
      /; HttpOnly; SameSite=Lax; Path=\/; Max-Age=600; Secure$/,
    );
    const begun = { url: new URL(locationOf(answer)), cookie: signInCookieOf(answer) };
    const query = await authorizeAtProvider(begun);
    const { headers } = await finishSignIn(admin, { query, cookie: begun.cookie });
    assert.match(cookieNamed(headers, 'gw_session'), /; SameSite=Strict; .*; Secure$/);
    assert.match(cookieNamed(headers, 'gw_sign_in'), /; Max-Age=0; Secure$/);
  });

  it('takes an ID token by an elliptic curve', async (t) => {
    const admin = await startSignOn(t);
    admin.provider.wrong.algorithm = 'ES256';
    assert.equal(signInErrorOf(await signIn(admin)), null);
  });

  it('sends the secret of the client in the form where the provider takes that, and none of a public client', async (t) => {
    const inForm = await startSignOn(t);
    const methods = ['client_secret_basic', 'client_secret_post'];
    Object.assign(inForm.provider.wrong, {
      client: 'in form',
      metadata: { token_endpoint_auth_methods_supported: methods },
    });
    assert.equal(signInErrorOf(await signIn(inForm)), null);

    const admin = await startSignOn(t, { clientSecret: null });
    admin.provider.wrong.client = 'public';
    assert.equal(signInErrorOf(await signIn(admin)), null);
  });

  it('ends the session that the browser had', async (t) => {
    const admin = await startSignOn(t);
    const first = cookieOf(await signIn(admin));
    const second = cookieOf(await signIn(admin, { session: first }));
    const now = async (cookie: string) =>
      member((await admin.ask({ path: '/session', cookie })).body, 'you');
    assert.equal(await now(first), null);
    assert.notEqual(await now(second), null);
  });

  it('is answered 404 where none is set up, and the session says so', async (t) => {
    const { ask } = await testAdmin(t);
    assert.deepEqual(errorOf(await ask({ path: '/auth/oidc/login' })), [404, 'absent', null]);
    assert.equal((await ask({ path: '/auth/oidc/callback?code=x' })).status, 404);
    assert.equal(member((await ask({ path: '/session' })).body, 'single_sign_on'), null);
  });
});

describe('a first login', () => {
  it('is refused if the settings admit no new people, and leaves an unlinked principal unchanged', async (t) => {
    const admin = await startSignOn(t, { firstLogin: 'refuse' });
    await admin.asBoss('POST', '/admin/principals', { name: 'ada@example.com', kind: 'user' });
    assert.equal(signInErrorOf(await signIn(admin)), 'unknown');
    assert.equal(named(await admin.principals(), 'ada@example.com')?.['identity'], null);
  });

  it('links the principal of that name or address, and finds it by its subject ever after', async (t) => {
    const admin = await startSignOn(t, { firstLogin: 'link' });
    const user = { name: 'ada', kind: 'user', email: 'Ada@Example.com' };
    await admin.asBoss('POST', '/admin/principals', user);
    assert.equal(signInErrorOf(await signIn(admin)), null);
    const { issuer } = admin.provider;
    const ada = named(await admin.principals(), 'ada');
    const { linked_at: since, ...identity } = z
      .record(z.string(), z.string())
      .parse(ada?.['identity']);
    assert.deepEqual(identity, { issuer, subject: 'ada-1' });
    assert.ok(Math.abs(Date.parse(since ?? '') - Date.now()) < 60_000);

    Object.assign(admin.provider.person, { email: 'lovelace@example.com', email_verified: false });
    const session = await admin.ask({ path: '/session', cookie: cookieOf(await signIn(admin)) });
    assert.equal(member(member(session.body, 'you'), 'id'), ada?.['id']);

    // Another account with the same address is another person.
    Object.assign(admin.provider.person, {
      sub: 'eve',
      email: 'ada@example.com',
      email_verified: true,
    });
    assert.equal(signInErrorOf(await signIn(admin)), 'taken');
  });

  it('links no one if several principals match, and no service account', async (t) => {
    const admin = await startSignOn(t, { firstLogin: 'link' });
    await admin.asBoss('POST', '/admin/principals', { name: 'ada@example.com' });
    assert.equal(signInErrorOf(await signIn(admin)), 'taken');
    for (const name of ['one', 'two']) {
      const body = { name, kind: 'user', email: 'bob@example.com' };
      await admin.asBoss('POST', '/admin/principals', body);
    }
    admin.provider.person['email'] = 'bob@example.com';
    assert.equal(signInErrorOf(await signIn(admin)), 'taken');
  });

  it('is found by another claim where the operator vouches for it', async (t) => {
    const admin = await startSignOn(t, { firstLogin: 'link', matchClaim: 'preferred_username' });
    await admin.asBoss('POST', '/admin/principals', { name: 'ada', kind: 'user' });
    admin.provider.person['preferred_username'] = 'ada';
    assert.equal(signInErrorOf(await signIn(admin)), null);
  });

  it('does not make again whom an administrator deleted', async (t) => {
    const admin = await startSignOn(t);
    const first = cookieOf(await signIn(admin));
    const ada = named(await admin.principals(), 'ada@example.com');
    await admin.asBoss('DELETE', `/admin/principals/${String(ada?.['id'])}`);
    assert.equal(member((await admin.ask({ path: '/session', cookie: first })).body, 'you'), null);
    assert.equal(signInErrorOf(await signIn(admin)), 'removed');
  });

  it('does not admit an unlinked identity until the principal’s address is set again', async (t) => {
    for (const firstLogin of ['link', 'create'] as const) {
      const admin = await startSignOn(t, { firstLogin });
      const user = { name: 'ada', kind: 'user', email: 'ada@example.com' };
      await admin.asBoss('POST', '/admin/principals', user);
      assert.equal(signInErrorOf(await signIn(admin)), null);
      const path = `/admin/principals/${String(named(await admin.principals(), 'ada')?.['id'])}`;
      await admin.asBoss('DELETE', `${path}/identity`);
      assert.equal(signInErrorOf(await signIn(admin)), 'removed', firstLogin);
      assert.equal(named(await admin.principals(), 'ada')?.['identity'], null);

      await admin.asBoss('PATCH', path, { email: 'ada@example.com' });
      assert.equal(signInErrorOf(await signIn(admin)), null, firstLogin);
    }
  });

  it('of an identity that was unlinked may be as another principal', async (t) => {
    const admin = await startSignOn(t, { firstLogin: 'link' });
    const post = async (name: string, email: string) => {
      await admin.asBoss('POST', '/admin/principals', { name, kind: 'user', email });
      return `/admin/principals/${String(named(await admin.principals(), name)?.['id'])}`;
    };
    const wrong = await post('bob', 'ada@example.com');
    assert.equal(signInErrorOf(await signIn(admin)), null);
    await admin.asBoss('DELETE', `${wrong}/identity`);
    await admin.asBoss('PATCH', wrong, { email: 'bob@example.com' });
    await post('ada', 'ada@example.com');
    assert.equal(signInErrorOf(await signIn(admin)), null);
    assert.notEqual(named(await admin.principals(), 'ada')?.['identity'], null);
  });

  it('finds no address that only looks like the one that is claimed', async (t) => {
    const admin = await startSignOn(t, { firstLogin: 'link' });
    const user = { name: 'mike', kind: 'user', email: 'mike@example.com' };
    await admin.asBoss('POST', '/admin/principals', user);
    // The Kelvin sign, whose lower case is k.
    admin.provider.person['email'] = 'mi\u212Ae@example.com';
    assert.equal(signInErrorOf(await signIn(admin)), 'unknown');
  });

  it('of one person in many browsers at once makes one principal', async (t) => {
    const admin = await startSignOn(t);
    const answers = await Promise.all(Array.from({ length: 4 }, () => signIn(admin)));
    assert.deepEqual(answers.map(signInErrorOf), [null, null, null, null]);
    assert.equal((await admin.principals()).filter(({ identity }) => identity !== null).length, 1);
  });
});

describe('the session of a sign-in', () => {
  it('ends when the identity is unlinked, with the roles of its groups', async (t) => {
    const groupRoles = { staff: 'operator' };
    const admin = await startSignOn(t, { groupRoles });
    admin.provider.person['groups'] = ['staff'];
    const cookie = cookieOf(await signIn(admin));
    assert.equal((await admin.ask({ path: '/admin/roles', cookie })).status, 200);
    const ada = named(await admin.principals(), 'ada@example.com');
    assert.deepEqual(ada?.['group_roles'], ['operator']);
    const path = `/admin/principals/${String(ada?.['id'])}/identity`;
    const { body } = await admin.asBoss('DELETE', path);
    assert.deepEqual([member(body, 'roles'), member(body, 'identity')], [[], null]);
    assert.equal((await admin.ask({ path: '/admin/roles', cookie })).status, 401);
    assert.equal((await admin.asBoss('DELETE', path)).status, 404);
  });

  it('is independent of a password session', async (t) => {
    const admin = await startSignOn(t);
    const cookie = cookieOf(await signIn(admin));
    const ada = named(await admin.principals(), 'ada@example.com');
    const path = `/admin/principals/${String(ada?.['id'])}/password`;
    await admin.asBoss('PUT', path, { password: adminPassword });
    const login = { name: 'ada@example.com', password: adminPassword };
    const answer = await admin.ask({ method: 'POST', path: '/login', body: login });
    assert.equal(answer.status, 200);
    const session = await admin.ask({ path: '/session', cookie });
    assert.notEqual(member(session.body, 'you'), null);
  });
});

const groupRolesOf = async (admin: Awaited<ReturnType<typeof startSignOn>>) =>
  named(await admin.principals(), 'ada@example.com')?.['group_roles'];

describe('an ID token without groups', () => {
  const groupRoles = { staff: 'operator' };

  it('removes no role if the claim is missing, and refuses the sign-in instead', async (t) => {
    const admin = await startSignOn(t, { groupRoles });
    admin.provider.person['groups'] = ['staff'];
    await signIn(admin);
    // Not a failed login attempt: more than the limit from one address get the same answer.
    const missing = Array.from({ length: 21 }, (_, index) => [undefined, null, 7, {}][index % 4]);
    for (const groups of missing) {
      admin.provider.person['groups'] = groups;
      assert.equal(signInErrorOf(await signIn(admin)), 'groups', JSON.stringify(groups));
    }
    Object.assign(admin.provider.person, { _claim_names: { groups: 'src1' } });
    assert.equal(signInErrorOf(await signIn(admin)), 'groups');
    assert.deepEqual(await groupRolesOf(admin), ['operator']);

    // An empty list of groups is valid.
    Object.assign(admin.provider.person, { _claim_names: undefined, groups: [] });
    assert.equal(signInErrorOf(await signIn(admin)), null);
    assert.deepEqual(await groupRolesOf(admin), []);
  });

  it('lets in who has no role of a group, with a warning', async (t) => {
    const admin = await startSignOn(t, { groupRoles });
    assert.equal(signInErrorOf(await signIn(admin)), null);
    assert.deepEqual(await groupRolesOf(admin), []);
    assert.ok(admin.warnings.includes('the ID token has no groups claim'));
  });
});

describe('what a sign-in changes', () => {
  it('is in the history with the issuer and the group, and nothing of the person in clear', async (t) => {
    const admin = await startSignOn(t, { groupRoles: { staff: 'operator', lost: 'no-such-role' } });
    admin.provider.person['groups'] = ['staff', 'lost', 'others'];
    const cookie = cookieOf(await signIn(admin));
    const { body } = await admin.asBoss('GET', '/admin/history/commands?order=desc&limit=1');
    const [command] = Array.isArray(body) ? body : [];
    assert.equal(member(command, 'command'), 'AdmitIdentity');
    assert.equal(
      member(command, 'reason'),
      `single sign-on by ${admin.provider.issuer}; in group staff: role operator; in group lost: role no-such-role`,
    );
    assert.ok(admin.warnings.includes('a group is mapped to a role that does not exist'));
    const { plane } = admin;
    const rows: unknown[] = await plane.db.query(
      plane.db.sql`select payload::text, metadata::text from es.events`,
    );
    const log = JSON.stringify([rows, admin.warnings]);
    for (const hidden of ['ada-1', 'ada@example.com', clientSecret, cookie, 'an access token']) {
      assert.ok(!log.includes(hidden), hidden);
    }
  });

  it('is erased on demand once it is let go of, and no restore brings it back', async (t) => {
    const admin = await startSignOn(t, { groupRoles: { staff: 'operator' } });
    admin.provider.person['groups'] = ['staff'];
    await signIn(admin);
    const { version } = admin.plane.store.state();
    const id = principalId.parse(named(await admin.principals(), 'ada@example.com')?.['id']);
    await admin.asBoss('DELETE', `/admin/principals/${id}`);
    const { body } = await admin.asBoss('POST', '/admin/vault/erase-personal-data', {
      principal_id: id,
    });
    const erased = member(body, 'erased');
    assert.deepEqual([member(erased, 'name'), member(erased, 'identity')], [1, 1]);

    const path = `/admin/snapshots/${version}/restore`;
    const restored = await admin.asBoss('POST', path, { reason: 'CHG-1' });
    assert.equal(restored.status, 200, JSON.stringify(restored.body));
    const back = (await admin.principals()).find((one) => one['id'] === id);
    assert.deepEqual([back?.['identity'], back?.['roles']], [null, []]);
    assert.equal(signInErrorOf(await signIn(admin)), 'removed');
  });
});
