// Tests attacks on single sign-on, and unavailable or misbehaving providers: no one is admitted,
// and the login screen shows the reason.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { adminPassword } from '../../../test/harness/admin/admin.ts';
import {
  beginSignIn,
  authorizeAtProvider,
  cookieNamed,
  finishSignIn,
  locationOf,
  signIn,
  startSignOn,
  signInErrorOf,
} from './sign-on.ts';

describe('an attack on a sign-in', () => {
  const elsewhere = [
    'https://evil.example/',
    '//evil.example/',
    '/ui/keys',
    'ui',
    'ui//evil.example',
    'ui/../../evil',
    'ui/%2e%2e/evil',
    'ui/.%2E/evil',
    'ui/\\evil.example',
    'ui/keys#x',
    'ui/a\nb',
    'javascript:alert(1)',
    'ui/keys?x=<b>',
  ];
  it('that is to lead elsewhere is refused', async (t) => {
    const { ask } = await startSignOn(t);
    for (const place of elsewhere) {
      const answer = await ask({ path: `/auth/oidc/login?return_to=${encodeURIComponent(place)}` });
      assert.equal(answer.status, 400, place);
    }
  });

  it('with a forged callback admits no one, and does not contact the provider', async (t) => {
    const admin = await startSignOn(t);
    const { provider } = admin;
    const [own, other] = [await beginSignIn(admin), await beginSignIn(admin)];
    const query = await authorizeAtProvider(own);
    const changed = (name: string, value: string): URLSearchParams => {
      const copy = new URLSearchParams(query);
      copy.set(name, value);
      return copy;
    };
    const withoutState = new URLSearchParams(query);
    withoutState.delete('state');
    const flipped = own.cookie.slice(0, -2) + (own.cookie.endsWith('AA') ? 'BB' : 'AA');
    const cases: readonly (readonly [string, URLSearchParams, string])[] = [
      ['another state', changed('state', 'another'), own.cookie],
      ['no state', withoutState, own.cookie],
      ['no cookie', query, ''],
      ['the cookie of another sign-in', query, other.cookie],
      ['a cookie that was changed', query, flipped],
      ['a cookie of nothing', query, 'deadbeef.AAAA'],
    ];
    for (const [what, given, cookie] of cases) {
      assert.equal(
        signInErrorOf(await finishSignIn(admin, { query: given, cookie })),
        'stale',
        what,
      );
    }
    assert.equal(provider.forms.length, 0);
    assert.equal(signInErrorOf(await finishSignIn(admin, { query, cookie: own.cookie })), null);
  });

  it('with a used code, or one of another sign-in, admits no one', async (t) => {
    const admin = await startSignOn(t);
    const used = await beginSignIn(admin);
    const query = await authorizeAtProvider(used);
    assert.equal(signInErrorOf(await finishSignIn(admin, { query, cookie: used.cookie })), null);
    const again = await finishSignIn(admin, { query, cookie: used.cookie });
    assert.equal(signInErrorOf(again), 'expired');

    const [own, other] = [await beginSignIn(admin), await beginSignIn(admin)];
    const stolen = await authorizeAtProvider(other);
    stolen.set('state', own.url.searchParams.get('state') ?? '');
    // The challenge belongs to the other verifier.
    assert.equal(
      signInErrorOf(await finishSignIn(admin, { query: stolen, cookie: own.cookie })),
      'expired',
    );
  });

  it('ten minutes after it began is too late', async (t) => {
    let now = Date.now();
    const admin = await startSignOn(t, {}, { clock: () => now });
    const begun = await beginSignIn(admin);
    const query = await authorizeAtProvider(begun);
    now += 10 * 60 * 1000;
    assert.equal(
      signInErrorOf(await finishSignIn(admin, { query, cookie: begun.cookie })),
      'stale',
    );
  });

  const seconds = Math.floor(Date.now() / 1000);
  const tokens: readonly (readonly [string, object, string])[] = [
    ['without a signature', { algorithm: 'none' }, 'token'],
    ['signed by the public key as a secret', { algorithm: 'HS256' }, 'token'],
    ['signed by a strange key', { strangeKey: true }, 'token'],
    ['signed by a strange curve', { strangeKey: true, algorithm: 'ES256' }, 'token'],
    ['for another client', { claims: { aud: 'another' } }, 'token'],
    ['for another client too', { claims: { aud: ['gw-tests', 'another'] } }, 'token'],
    ['of another issuer', { claims: { iss: 'https://evil.example' } }, 'token'],
    ['with another nonce', { claims: { nonce: 'another' } }, 'token'],
    ['without a nonce', { claims: { nonce: undefined } }, 'token'],
    ['without a subject', { claims: { sub: undefined } }, 'token'],
    ['that has expired', { claims: { exp: seconds - 60 } }, 'clock'],
    ['that is not yet valid', { claims: { nbf: seconds + 600 } }, 'clock'],
    ['without a verified address', { claims: { email_verified: false } }, 'unverified'],
    ['with an address verified in words', { claims: { email_verified: 'true' } }, 'unverified'],
    ['without an address', { claims: { email: undefined } }, 'unnamed'],
  ];
  it('with an ID token for another client admits no one', async (t) => {
    let now = Date.now();
    const admin = await startSignOn(t, {}, { clock: () => now });
    const before = (await admin.principals()).length;
    for (const [what, wrong, expected] of tokens) {
      Object.assign(admin.provider.wrong, { claims: {}, algorithm: 'RS256', strangeKey: false });
      Object.assign(admin.provider.wrong, wrong);
      const answer = await signIn(admin);
      assert.equal(signInErrorOf(answer), expected, what);
      assert.equal(cookieNamed(answer.headers, 'gw_session'), '', what);
      // Failures are counted per minute.
      now += 60_000;
    }
    assert.equal((await admin.principals()).length, before);
  });

  it('that fails again and again from one address waits', async (t) => {
    const admin = await startSignOn(t);
    const failures = new Set<string | null>();
    for (let attempt = 0; attempt < 21; attempt += 1) {
      failures.add(
        signInErrorOf(await finishSignIn(admin, { query: new URLSearchParams(), cookie: '' })),
      );
    }
    assert.deepEqual([...failures], ['stale', 'too_many']);
  });
});

describe('what the provider says no to', () => {
  it('comes to the login screen as a word and the id of the request, and nothing of its own', async (t) => {
    const admin = await startSignOn(t);
    admin.provider.wrong.error = 'access_denied';
    const answer = await signIn(admin);
    const id = answer.headers.get('x-request-id');
    assert.equal(locationOf(answer), `../../ui/?sign_in=denied&request_id=${id}`);
    admin.provider.wrong.error = 'unauthorized_client';
    assert.equal(signInErrorOf(await signIn(admin)), 'client');
  });

  it('when it does not know the client, too', async (t) => {
    const admin = await startSignOn(t, { clientSecret: 'another secret' });
    assert.equal(signInErrorOf(await signIn(admin)), 'client');
  });
});

describe('a provider that is away or mad', () => {
  const configuration = '/.well-known/openid-configuration';
  const huge = Buffer.alloc(4 * 1024 * 1024, ' ');
  const cases: readonly (readonly [string, object, string])[] = [
    ['no JSON', { path: { [configuration]: Buffer.from('<html>') } }, 'broken'],
    ['no document', { path: { [configuration]: Buffer.from('[]') } }, 'broken'],
    ['too much', { path: { [configuration]: huge } }, 'broken'],
    ['another name', { metadata: { issuer: 'https://evil.example' } }, 'broken'],
    ['no address of one', { metadata: { token_endpoint: 7 } }, 'broken'],
    ['no endpoints', { metadata: { authorization_endpoint: undefined } }, 'broken'],
  ];
  it('does not affect login by password, and is contacted again after it recovers', async (t) => {
    const admin = await startSignOn(t);
    for (const [what, wrong, expected] of cases) {
      Object.assign(admin.provider.wrong, { path: {}, metadata: {} }, wrong);
      assert.equal(signInErrorOf(await admin.ask({ path: '/auth/oidc/login' })), expected, what);
    }
    const login = { name: 'boss', password: adminPassword };
    assert.equal((await admin.ask({ method: 'POST', path: '/login', body: login })).status, 200);
    Object.assign(admin.provider.wrong, { path: {}, metadata: {} });
    assert.equal(signInErrorOf(await signIn(admin)), null);

    Object.assign(admin.provider.wrong, { path: { '/token': Buffer.from('{"id_token":7}') } });
    assert.equal(signInErrorOf(await signIn(admin)), 'token');
    Object.assign(admin.provider.wrong, { path: { '/token': huge } });
    assert.equal(signInErrorOf(await signIn(admin)), 'broken');
    admin.provider.close();
    const begun = await beginSignIn(admin);
    const query = new URLSearchParams({
      code: 'x',
      state: begun.url.searchParams.get('state') ?? '',
    });
    assert.equal(signInErrorOf(await finishSignIn(admin, { query, cookie: begun.cookie })), 'away');
  });

  it('that never answers, or never ends, is given up after seconds', async (t) => {
    const [silent, endless] = [await startSignOn(t), await startSignOn(t)];
    silent.provider.wrong.path = { [configuration]: 'hang' };
    const begun = await beginSignIn(endless);
    const query = await authorizeAtProvider(begun);
    endless.provider.wrong.path = { '/token': 'stall' };
    const startedAt = performance.now();
    const answers = await Promise.all([
      silent.ask({ path: '/auth/oidc/login' }),
      silent.ask({ path: '/auth/oidc/login' }),
      finishSignIn(endless, { query, cookie: begun.cookie }),
    ]);
    assert.deepEqual(answers.map(signInErrorOf), ['away', 'away', 'away']);
    assert.ok(performance.now() - startedAt < 9_000);
  });
});
