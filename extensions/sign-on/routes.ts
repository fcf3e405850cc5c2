// Single sign-on by an OpenID provider: the way to it, and the way back with a session (docs/adr/0039-single-sign-on.md). A browser is
// sent on by both; what went wrong comes to the login screen by a word of a closed list, never by a text of somebody else's.

import { z } from 'zod';

import { sessionDigest } from '../../src/control/access/sessions.ts';
import { transactionSeconds } from './transaction.ts';
import { isTrouble, trouble } from './trouble.ts';
import type { SignInTrouble, Trouble } from './trouble.ts';
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

/** A place of the UI, from its own root: it leads nowhere else, however a browser reads it. */
const place = z
  .string()
  .max(2_000)
  .regex(
    /^ui\/(?!\/)(?:[\w.~!$&'()*+,;=:@-]|%[0-9A-Fa-f]{2}|\/(?!\/))*(?:\?[\w.~!$&'()*+,;=:@/?%-]*)?$/,
    {
      error: 'must be a place of this UI, such as ui/keys',
    },
  )
  .refine((text) => !/(?:^|\/)(?:\.|%2e){1,2}(?:$|[/?])/i.test(text), {
    error: 'must be a place of this UI, without . and ..',
  })
  // Without the look-ahead, which clients in Go cannot compile.
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

/** `null`: single sign-on is not set up. */
type OpenSignOn = () => SignOn | null;

type SignInNeeds = AccessNeeds & Readonly<{ signOn: SignOn }>;

export const signOnRoutes = (open: OpenSignOn) =>
  [
    route({
      ...page,
      path: '/auth/oidc/login',
      operation: 'beginSignIn',
      summary: 'Send the browser to the OpenID provider; it comes back to a place of this UI',
      refusals: ['absent'],
      query: z.strictObject({
        return_to: place.describe('Where in the UI the browser goes after signing in.'),
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
        if (isTrouble(begun)) return refused(call, needs, begun);
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
      summary: 'Where the OpenID provider sends the browser back: begins a session',
      refusals: ['absent'],
      // What a provider adds is its own affair (RFC 6749, section 4.1.2); the library reads it, as it was sent.
      query: z.looseObject({
        code: z.unknown().optional().describe('The authorization code of the OpenID provider.'),
        state: z.unknown().optional().describe('The state parameter that the sign-in began with.'),
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
        if (isTrouble(finished)) return refused(call, needs, finished);
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

/** As it was sent: a parameter that is there twice stays so. */
function searchOf(query: Readonly<Record<string, unknown>>): string {
  const pairs = Object.entries(query).flatMap(([name, value]) =>
    [value].flat().map((one): [string, string] => [name, String(one)]),
  );
  return String(new URLSearchParams(pairs));
}

const off = refuse('absent', 'single sign-on is not set up');

/** Where the provider is to send the browser: at the host that it asked, unless a setting says where that is seen from outside. */
function redirectUriOf(
  { headers }: Call,
  { secureCookies }: SignInNeeds,
  publicUrl: string | null,
): string | Refusal {
  const scheme = secureCookies ? 'https' : 'http';
  const base = publicUrl ?? `${scheme}://${headers.host ?? ''}`;
  return URL.canParse(base)
    ? base + callbackPath
    : refuse('invalid', 'the host of the request is none', { param: 'host' });
}

/** What the provider, or its settings, bring about: no guess of anybody's, and no reason to let nobody log in from an address. */
const ofProvider: ReadonlySet<SignInTrouble> = new Set([
  'away',
  'busy',
  'broken',
  'client',
  'clock',
  'groups',
]);

/** As a login by password: only what fails is counted, and a name that nobody else has waits for nobody. */
async function limited<Value extends object>(
  { address, requestId }: Call,
  { loginTurns, clock }: SignInNeeds,
  work: () => Promise<Value | Trouble>,
): Promise<Value | Trouble> {
  const attempt = { name: `sign-in ${requestId}`, address };
  const turnMs = await loginTurns.enter(attempt, clock);
  if (isRefusal(turnMs)) return trouble('too_many', turnMs.message);
  let failed = false;
  try {
    const done = await work();
    failed = isTrouble(done) && !ofProvider.has(done.trouble);
    return done;
  } finally {
    loginTurns.conclude(attempt, { failed });
  }
}

/** To the login screen, which finds the request's id beside the word. */
function refused(
  { requestId, address }: Call,
  needs: SignInNeeds,
  { trouble: what, why }: Trouble,
) {
  needs.log.warn({ request_id: requestId, address, trouble: what, why }, 'a sign-in failed');
  const search = new URLSearchParams({ sign_in: what, request_id: requestId });
  return sent(`../../ui/?${search.toString()}`, [spentCookie(needs)]);
}

/** The address is relative, for a listener behind a path of a reverse proxy. */
const sent = (location: string, cookies: string[]) => ({
  status: 302,
  headers: { location, 'set-cookie': cookies },
  bytes: null,
});

const spentCookie = (needs: SignInNeeds): string => signInCookieOf(needs, '');

/** Whether browsers reach the listener by TLS, its own or that of a proxy before it. */
const isSecure = ({ secureCookies, signOn }: SignInNeeds): boolean =>
  secureCookies || signOn.publicUrl?.startsWith('https:') === true;

/** Lax: the browser brings it along when the provider, another site, sends it back. */
function signInCookieOf(needs: SignInNeeds, value: string): string {
  const age = value === '' ? 0 : transactionSeconds;
  return (
    `${signInCookie}=${value}; HttpOnly; SameSite=Lax; Path=/; Max-Age=${age}` +
    (isSecure(needs) ? '; Secure' : '')
  );
}
