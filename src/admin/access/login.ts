// Login and logout (Authentication rules 1 and 2). Every refusal of a login by password is the same, in words and in time.

import { setTimeout as wait } from 'node:timers/promises';

import { z } from 'zod';

import { sessionSeconds } from '../../control/access/sessions.ts';
import type { Login } from '../../control/access/sessions.ts';
import type { SignInLink } from '../../control/access/sign-in-link.ts';
import { verbsOf } from '../../../projections/config/grants.ts';
import { holderOfName } from '../../deciders/callers/principal.ts';
import { principalId } from '../../lib/ids.ts';
import { isRefusal, refuse } from '../../lib/refusal.ts';
import type { Refusal } from '../../lib/refusal.ts';
import { verb } from '../../lib/vocabulary.ts';
import { sessionCookie, sessionToken } from '../http/authorise.ts';
import type { Control } from '../control.ts';
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
    summary: 'Begin a session of 12 hours',
    refusals: ['unauthenticated', 'too_many'],
    params: none,
    query: none,
    body: credentials,
    response: signedIn,
    handle: ({ body }, call) => signIn(call, body.name, () => checkPassword(call, body)),
  }),
  route({
    method: 'POST',
    path: '/login/link',
    operation: 'signInByLink',
    permission: 'open',
    summary: 'Begin a session of 12 hours with the sign-in link of gw dev, which works once',
    refusals: ['absent', 'unauthenticated', 'too_many'],
    params: none,
    query: none,
    body: z.strictObject({ token: z.string().max(100) }),
    response: signedIn,
    handle: ({ body }, call) => {
      const { signInLink } = call.control;
      if (signInLink === null) return refuse('absent', 'only gw dev has a sign-in link');
      return signIn(call, signInLink.name, () => redeemLink(call, signInLink, body.token));
    },
  }),
  route({
    method: 'POST',
    path: '/logout',
    operation: 'logout',
    permission: 'open',
    summary: 'End the session, if there is one',
    refusals: [],
    params: none,
    query: none,
    body: none,
    response: z.object({}),
    handle: async (_input, { control, headers }) => {
      const token = sessionToken(headers);
      if (token !== null) await control.sessions.end(token);
      return {
        headers: { 'set-cookie': clearedCookie(control) },
        body: {},
      };
    },
  }),
] as const;

type Given = z.output<typeof credentials>;

type Check = () => Promise<Login | Refusal>;

/** The session of the same browser, if there is one, ends. */
async function signIn(call: Call, name: string, check: Check) {
  const { control } = call;
  const login = await limited(call, name, check);
  if (isRefusal(login)) return login;
  const old = sessionToken(call.headers);
  if (old !== null) await control.sessions.end(old);
  const token = await control.sessions.start(login);
  const verbs = verbsOf(control.state(), login.principalId) ?? new Set();
  return {
    headers: { 'set-cookie': openedCookie(control, token) },
    body: { id: login.principalId, name, permissions: [...verbs].toSorted() },
  };
}

/** Only a wrong credential is counted; a check that could not be made is not. */
async function limited(call: Call, name: string, check: Check): Promise<Login | Refusal> {
  const { loginTurns, clock } = call.control;
  const attempt = { name, address: call.address };
  const turnMs = await loginTurns.enter(attempt, clock);
  if (isRefusal(turnMs)) return turnMs;
  let failed = false;
  try {
    if (turnMs > 0) await wait(turnMs);
    const checked = await check();
    failed = isRefusal(checked) && checked.refused === 'unauthenticated';
    return checked;
  } finally {
    loginTurns.conclude(attempt, { failed });
  }
}

/** Asked for in the place of a password that is not there, so that the time is that of one that is. */
const noRef = '00000000-0000-0000-0000-000000000000';

async function checkPassword(
  { control, address, requestId }: Call,
  { name, password }: Given,
): Promise<Login | Refusal> {
  const { passwords, vault, db } = control;
  // A password that was just set elsewhere opens here at once, and the one before it no more.
  await control.refresh();
  const principal = holderOfName(control.state(), { fingerprint: vault.fingerprint(name) });
  const passwordRef = principal?.passwordRef ?? noRef;
  const stored = (await vault.reveal(db, [passwordRef])).get(passwordRef) ?? null;
  const matches = await passwords.verify(stored, password);
  if (isRefusal(matches)) return matches;
  if (principal !== undefined && matches) {
    return { principalId: principal.id, credentialRef: passwordRef };
  }
  const known = principal?.id ?? null;
  control.log.warn({ request_id: requestId, address, principal_id: known }, 'a login failed');
  return refuse('unauthenticated', 'invalid credentials');
}

/** The link stands for the principal's password, as it is now: a new password ends this session too. */
async function redeemLink(call: Call, link: SignInLink, token: string): Promise<Login | Refusal> {
  const { control, method, path, requestId } = call;
  const { vault, state, execute } = control;
  // Before the token is used up: a database that is away must not cost it.
  await control.refresh();
  const principal = holderOfName(state(), { fingerprint: vault.fingerprint(link.name) });
  if (principal === undefined || principal.passwordRef === null) {
    return refuse('absent', `${link.name}, whom the sign-in link is for, cannot sign in any more`);
  }
  const refused = link.redeem(token);
  if (refused !== null) return refused;
  const { id, passwordRef } = principal;
  const made = await execute(
    { command: { type: 'SignInByLink', id } },
    {
      actor: { kind: 'session', principal_id: id },
      action: method,
      target: path,
      requestId,
      reason: null,
    },
  );
  return isRefusal(made) ? made : { principalId: id, credentialRef: passwordRef };
}

/** Takes the cookie out of the browser. */
export const clearedCookie = (control: Control): string =>
  cookie(control, { token: '', maxAgeSeconds: 0 });

/** Begins the session of `token` in the browser. */
export const openedCookie = (control: Pick<Control, 'secureCookies'>, token: string): string =>
  cookie(control, { token, maxAgeSeconds: sessionSeconds });

type Cookie = Readonly<{ token: string; maxAgeSeconds: number }>;

const cookie = (
  { secureCookies }: Pick<Control, 'secureCookies'>,
  { token, maxAgeSeconds }: Cookie,
): string =>
  `${sessionCookie}=${token}; HttpOnly; SameSite=Strict; Path=/; Max-Age=${maxAgeSeconds}` +
  (secureCookies ? '; Secure' : '');
