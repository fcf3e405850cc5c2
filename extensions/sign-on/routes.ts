// Serves single sign-on by an OpenID provider: redirects to the provider and starts the session on
// return (docs/adr/0039-single-sign-on.md). Failures reach the login screen as a code from a closed
// list, so that no external text is shown.

import { z } from 'zod';

import { sessionDigest } from '../../src/control/access/sessions.ts';
import { transactionSeconds } from './transaction.ts';
import { isFailure, failure } from './failure.ts';
import type { SignInFailure, Failure } from './failure.ts';
import { isRefusal, refuse } from '../../src/lib/refusal.ts';
import type { Refusal } from '../../src/lib/refusal.ts';
import { cookieIn, sessionToken } from '../../src/admin/http/authorise.ts';
import type { AccessNeeds } from '../../src/admin/access/needs.ts';
import type { ExtensionNeeds } from '../../src/admin/extension.ts';
import type { SignOn } from './sign-on.ts';
import { openedCookie } from '../../src/admin/access/login.ts';
import { none, route } from '../../src/admin/http/route.ts';
import type { Call } from '../../src/admin/http/route.ts';

const signInCookie = 'gw_sign_in';
const callbackPath = '/auth/oidc/callback';

/**
 * Relative to the root of the UI. The pattern prevents open redirects in any browser's reading of
 * the path.
 */
const place = z
  .string()
  .max(2_000)
  .regex(
    /^ui\/(?!\/)(?:[\w.~!$&'()*+,;=:@-]|%[0-9A-Fa-f]{2}|\/(?!\/))*(?:\?[\w.~!$&'()*+,;=:@/?%-]*)?$/,
    {
      error: 'must be a path of the UI, such as ui/keys',
    },
  )
  .refine((text) => !/(?:^|\/)(?:\.|%2e){1,2}(?:$|[/?])/i.test(text), {
    error: 'must be a path of the UI without . and .. segments',
  })
  // The look-ahead is left out of the document because Go's RE2 cannot compile it.
  .meta({ pattern: '^ui/' })
  .default('ui/');

const page = {
  method: 'GET',
  permission: 'open',
  status: 302,
  mediaType: 'text/html',
  params: none,
  body: none,
  response: z.string().meta({ examples: [''] }),
} as const;

/** Null if single sign-on is not configured. */
type OpenSignOn = () => SignOn | null;

type SignInNeeds = AccessNeeds & Readonly<{ signOn: SignOn }>;

export const signOnRoutes = (open: OpenSignOn) =>
  [
    route({
      ...page,
      path: '/auth/oidc/login',
      operation: 'beginSignIn',
      summary: 'Redirect the browser to the OpenID provider to sign in',
      refusals: ['absent'],
      query: z.strictObject({
        return_to: place.describe('The path of the UI to open after signing in.'),
      }),
      handle: async ({ query }, call, { access }: ExtensionNeeds) => {
        const { headers } = call;
        const signOn = open();
        if (signOn === null) return off;
        const needs = { ...access, signOn };
        const redirectUri = redirectUriOf(call, needs, signOn.publicUrl);
        if (isRefusal(redirectUri)) return redirectUri;
        const old = sessionToken(headers);
        const oldSession = old === null ? null : sessionDigest(old).toString('base64url');
        const begun = await signOn.begin({ redirectUri, returnTo: query.return_to, oldSession });
        if (isFailure(begun)) return refused(call, needs, begun);
        const cookie = signInCookieOf(needs, begun.sealed);
        return {
          status: 302,
          headers: { location: begun.url.href, 'set-cookie': cookie },
          bytes: null,
        };
      },
    }),
    route({
      ...page,
      path: callbackPath,
      operation: 'finishSignIn',
      summary: 'Receive the browser from the OpenID provider and start a session',
      refusals: ['absent'],
      // A provider may add parameters (RFC 6749, section 4.1.2). The library reads the query as it
      // was sent.
      query: z.looseObject({
        code: z.unknown().optional().describe('The authorization code of the OpenID provider.'),
        state: z
          .unknown()
          .optional()
          .describe('The state parameter from the start of the sign-in.'),
      }),
      handle: async ({ query }, call, { access }: ExtensionNeeds) => {
        const signOn = open();
        if (signOn === null) return off;
        const needs = { ...access, signOn };
        const { sessions } = access;
        const finished = await limited(call, needs, () =>
          signOn.finish({
            sealed: cookieIn(call.headers, signInCookie) ?? '',
            search: searchOf(query),
            requestId: call.requestId,
            path: callbackPath,
          }),
        );
        if (isRefusal(finished)) return finished;
        if (isFailure(finished)) return refused(call, needs, finished);
        const { login, returnTo, oldSession } = finished;
        if (oldSession !== null) {
          await sessions.endOf(Buffer.from(oldSession, 'base64url'));
        }
        const token = await sessions.start(login);
        const opened = openedCookie({ secureCookies: isSecure(needs) }, token);
        return sent(`../../${returnTo}`, [opened, spentCookie(needs)]);
      },
    }),
  ] as const;

/** Keeps repeated parameters. */
function searchOf(query: Readonly<Record<string, unknown>>): string {
  const pairs = Object.entries(query).flatMap(([name, value]) =>
    [value].flat().map((one): [string, string] => [name, String(one)]),
  );
  return String(new URLSearchParams(pairs));
}

const off = refuse('absent', 'single sign-on is not configured');

/** At the configured public URL, otherwise at the Host header of the request. */
function redirectUriOf(
  { headers }: Call,
  { secureCookies }: SignInNeeds,
  publicUrl: string | null,
): string | Refusal {
  const scheme = secureCookies ? 'https' : 'http';
  const base = publicUrl ?? `${scheme}://${headers.host ?? ''}`;
  return URL.canParse(base)
    ? base + callbackPath
    : refuse('invalid', 'host: the Host header is not a valid host name', { param: 'host' });
}

/**
 * The provider or its settings cause these. They do not count as failed login attempts of the
 * address.
 */
const ofProvider: ReadonlySet<SignInFailure> = new Set([
  'away',
  'busy',
  'broken',
  'client',
  'clock',
  'groups',
]);

/**
 * Applies the login rate limit. Only failures count. The name is unique per request, so that only
 * the address is limited.
 */
async function limited<Value extends object>(
  { address, requestId }: Call,
  { loginTurns, clock }: SignInNeeds,
  work: () => Promise<Value | Failure>,
): Promise<Value | Failure> {
  const attempt = { name: `sign-in ${requestId}`, address };
  const turnMs = await loginTurns.enter(attempt, clock);
  if (isRefusal(turnMs)) return failure('too_many', turnMs.message);
  let failed = false;
  try {
    const done = await work();
    failed = isFailure(done) && !ofProvider.has(done.failure);
    return done;
  } finally {
    loginTurns.conclude(attempt, { failed });
  }
}

/** The login screen shows the error code and the request id. */
function refused(
  { requestId, address }: Call,
  needs: SignInNeeds,
  { failure: what, why }: Failure,
) {
  needs.log.warn({ request_id: requestId, address, trouble: what, why }, 'sign-in failed');
  const search = new URLSearchParams({ sign_in: what, request_id: requestId });
  return sent(`../../ui/?${search.toString()}`, [spentCookie(needs)]);
}

/** Relative, for reverse proxies with a path prefix. */
const sent = (location: string, cookies: string[]) => ({
  status: 302,
  headers: { location, 'set-cookie': cookies },
  bytes: null,
});

const spentCookie = (needs: SignInNeeds): string => signInCookieOf(needs, '');

/** Browsers use TLS, either to this listener or to a proxy in front of it. */
const isSecure = ({ secureCookies, signOn }: SignInNeeds): boolean =>
  secureCookies || signOn.publicUrl?.startsWith('https:') === true;

/** SameSite=Lax, so that the browser sends the cookie when the provider redirects back. */
function signInCookieOf(needs: SignInNeeds, value: string): string {
  const age = value === '' ? 0 : transactionSeconds;
  return (
    `${signInCookie}=${value}; HttpOnly; SameSite=Lax; Path=/; Max-Age=${age}` +
    (isSecure(needs) ? '; Secure' : '')
  );
}
