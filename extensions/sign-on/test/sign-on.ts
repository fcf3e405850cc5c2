// Signs in as a browser does: from the control plane to its OpenID provider and back.

import assert from 'node:assert/strict';

import type { TestContext } from 'node:test';

import { testAdmin } from '../../../test/harness/admin/admin.ts';
import type { TestAdmin, TestAnswer } from '../../../test/harness/admin/admin.ts';
import { openIdProvider, signOnAt } from './openid-provider.ts';

/** Starts a listener with its own provider and an administrator signed in. */
export async function startSignOn(
  t: TestContext,
  options: Parameters<typeof signOnAt>[1] = {},
  rest: Parameters<typeof testAdmin>[1] = {},
) {
  const provider = await openIdProvider(t);
  const admin = await testAdmin(t, { ...rest, settings: signOnAt(provider, options) });
  const boss = await admin.login('boss', ['admin']);
  const asBoss = (method: string, path: string, body?: unknown) =>
    admin.ask({ method, path, cookie: boss, body });
  const principals = async (): Promise<readonly Record<string, unknown>[]> => {
    const { body } = await asBoss('GET', '/admin/principals');
    assert.ok(Array.isArray(body));
    return body;
  };
  return { ...admin, provider, boss, asBoss, principals };
}

type Requests = Pick<TestAdmin, 'ask'>;

/** At the provider, with the cookie of the browser. */
export type PendingSignIn = Readonly<{ url: URL; cookie: string }>;

export async function beginSignIn(
  { ask }: Requests,
  { returnTo, session }: Readonly<{ returnTo?: string; session?: string }> = {},
): Promise<PendingSignIn> {
  const query = returnTo === undefined ? '' : `?return_to=${encodeURIComponent(returnTo)}`;
  const answer = await ask({
    path: `/auth/oidc/login${query}`,
    ...(session === undefined ? {} : { cookie: session }),
  });
  assert.equal(answer.status, 302);
  return { url: new URL(locationOf(answer)), cookie: signInCookieOf(answer) };
}

/** Returns the parameters of the provider's redirect. */
export async function authorizeAtProvider({
  url,
}: Pick<PendingSignIn, 'url'>): Promise<URLSearchParams> {
  const response = await fetch(url, { redirect: 'manual' });
  assert.equal(response.status, 302);
  return new URL(response.headers.get('location') ?? '').searchParams;
}

export const finishSignIn = (
  { ask }: Requests,
  { query, cookie }: Readonly<{ query: URLSearchParams; cookie: string }>,
): Promise<TestAnswer> =>
  ask({
    path: `/auth/oidc/callback?${query.toString()}`,
    headers: { cookie: `gw_sign_in=${cookie}` },
  });

/** Performs the complete sign-in. */
export async function signIn(
  admin: Requests,
  options: Readonly<{ returnTo?: string; session?: string }> = {},
): Promise<TestAnswer> {
  const begun = await beginSignIn(admin, options);
  return finishSignIn(admin, { query: await authorizeAtProvider(begun), cookie: begun.cookie });
}

export const locationOf = ({ headers }: TestAnswer): string => headers.get('location') ?? '';

/** Null after a successful sign-in. */
export const signInErrorOf = (answer: TestAnswer): string | null => {
  assert.equal(answer.status, 302);
  return new URL(locationOf(answer), 'http://gw.test/a/b/').searchParams.get('sign_in');
};

export function signInCookieOf({ headers }: TestAnswer): string {
  const [, value] = /^gw_sign_in=([^;]*);/.exec(cookieNamed(headers, 'gw_sign_in')) ?? [];
  assert.ok(value !== undefined, 'the answer sets the cookie of a sign-in');
  return value;
}

export const cookieNamed = (headers: Headers, name: string): string =>
  headers.getSetCookie().find((one) => one.startsWith(`${name}=`)) ?? '';
