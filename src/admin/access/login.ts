// Serves login and logout (Authentication rules 1 and 2). All refusals of a password have the same
// text and take the same time.

import { z } from 'zod';

import { sessionSeconds } from '../../control/access/sessions.ts';
import type { Login } from '../../control/access/sessions.ts';
import { checkPassword, limitedLogin, redeemLink } from '../../control/access/login.ts';
import { verbsOf } from '../../../projections/config/grants.ts';
import { principalId } from '../../lib/ids.ts';
import { isRefusal, refuse } from '../../lib/refusal.ts';
import type { Refusal } from '../../lib/refusal.ts';
import { verb } from '../../lib/vocabulary.ts';
import { sessionCookie, sessionToken } from '../http/authorise.ts';
import type { AccessNeeds } from './needs.ts';
import { none, route } from '../http/route.ts';
import type { Call } from '../http/route.ts';

const credentials = z.strictObject({
  name: z.string().max(1_000),
  password: z.string().max(4_096),
});

const signedIn = z.object({
  id: principalId,
  name: z.string(),
  permissions: z.array(verb).readonly(),
});

export const loginRoutes = [
  route({
    method: 'POST',
    path: '/login',
    operation: 'login',
    permission: 'open',
    summary: 'Start a session of 12 hours',
    refusals: ['unauthenticated', 'too_many'],
    params: none,
    query: none,
    body: credentials,
    response: signedIn,
    handle: ({ body }, call, needs: AccessNeeds) =>
      signIn(needs, call, { name: body.name, check: () => checkPassword(needs, call, body) }),
  }),
  route({
    method: 'POST',
    path: '/login/link',
    operation: 'signInByLink',
    permission: 'open',
    summary: 'Start a session of 12 hours with the sign-in link of gw dev, which works once',
    refusals: ['absent', 'unauthenticated', 'too_many'],
    params: none,
    query: none,
    body: z.strictObject({ token: z.string().max(100) }),
    response: signedIn,
    handle: ({ body: { token } }, call, needs: AccessNeeds) => {
      const { signInLink: link } = needs;
      if (link === null) return refuse('absent', 'only gw dev has a sign-in link');
      const check = () => redeemLink(needs, call, { link, token });
      return signIn(needs, call, { name: link.name, check });
    },
  }),
  route({
    method: 'POST',
    path: '/logout',
    operation: 'logout',
    permission: 'open',
    summary: 'End the current session, if any',
    refusals: [],
    params: none,
    query: none,
    body: none,
    response: z.object({}),
    handle: async (_input, { headers }, needs: AccessNeeds) => {
      const token = sessionToken(headers);
      if (token !== null) await needs.sessions.end(token);
      return {
        headers: { 'set-cookie': clearedCookie(needs) },
        body: {},
      };
    },
  }),
] as const;

type Asked = Readonly<{ name: string; check: () => Promise<Login | Refusal> }>;

async function signIn(
  needs: AccessNeeds,
  { config, headers, address }: Call,
  { name, check }: Asked,
) {
  const { sessions } = needs;
  const login = await limitedLogin(needs, { name, address }, check);
  if (isRefusal(login)) return login;
  const old = sessionToken(headers);
  if (old !== null) await sessions.end(old);
  const token = await sessions.start(login);
  const verbs = verbsOf(config.state(), login.principalId) ?? new Set();
  return {
    headers: { 'set-cookie': openedCookie(needs, token) },
    body: { id: login.principalId, name, permissions: [...verbs].toSorted() },
  };
}

export const clearedCookie = (needs: Pick<AccessNeeds, 'secureCookies'>): string =>
  cookie(needs, { token: '', maxAgeSeconds: 0 });

export const openedCookie = (needs: Pick<AccessNeeds, 'secureCookies'>, token: string): string =>
  cookie(needs, { token, maxAgeSeconds: sessionSeconds });

type Cookie = Readonly<{ token: string; maxAgeSeconds: number }>;

const cookie = (
  { secureCookies }: Pick<AccessNeeds, 'secureCookies'>,
  { token, maxAgeSeconds }: Cookie,
): string =>
  `${sessionCookie}=${token}; HttpOnly; SameSite=Strict; Path=/; Max-Age=${maxAgeSeconds}` +
  (secureCookies ? '; Secure' : '');
