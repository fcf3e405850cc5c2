// Authenticates the caller and checks the permission of the matched route (Authentication rules 2
// and 3): 401 for an unknown caller, then 403 for a missing permission. It never compares paths.

import type { IncomingHttpHeaders } from 'node:http';

import { adminTokenPrefix } from '../../control/access/admin-tokens.ts';
import type { Holder } from '../../../projections/config/grants.ts';
import type { AdminTokenId, PrincipalId } from '../../lib/ids.ts';
import { isRefusal, refuse } from '../../lib/refusal.ts';
import type { Refusal } from '../../lib/refusal.ts';
import type { AdminVerb, Verb } from '../../lib/vocabulary.ts';

/**
 * The required caller: anyone, a signed-in person, an API key, a proxy, or a person with this
 * permission (Authentication rule 3).
 */
export type Permission = 'open' | 'session' | 'api_key' | 'proxy_token' | AdminVerb;

export type Caller =
  | Readonly<{ kind: 'anonymous' }>
  | Readonly<{ kind: 'proxy' }>
  | Readonly<{ kind: 'session' | 'api_key'; principalId: PrincipalId }>
  | Readonly<{ kind: 'admin_token'; principalId: PrincipalId; tokenId: AdminTokenId }>;

export type Credentials = Readonly<{
  sessionOwner: (token: string) => Promise<PrincipalId | null>;
  apiKeyOwner: (key: string) => PrincipalId | null;
  isProxyToken: (token: string) => boolean;
  /** The holder always has a token id. */
  adminTokenHolder: (token: string) => Promise<Holder | null>;
  /** Null if the principal does not exist. */
  verbsOf: (holder: Holder) => ReadonlySet<Verb> | null;
}>;

export const sessionCookie = 'gw_session';

export async function authorise(
  permission: Permission,
  headers: IncomingHttpHeaders,
  credentials: Credentials,
): Promise<Caller | Refusal> {
  switch (permission) {
    case 'open':
      return { kind: 'anonymous' };
    case 'proxy_token': {
      const token = bearerToken(headers);
      const known = token !== null && credentials.isProxyToken(token);
      return known
        ? { kind: 'proxy' }
        : refuse('unauthenticated', 'the bearer token is missing or is not a proxy token');
    }
    case 'api_key': {
      const key = bearerToken(headers);
      const principalId = key === null ? null : credentials.apiKeyOwner(key);
      if (principalId === null)
        return refuse('unauthenticated', 'the bearer token is missing or is not a valid API key');
      return { kind: 'api_key', principalId };
    }
    case 'session':
    case 'usage:read':
    case 'key:create':
    case 'key:revoke':
    case 'config:write':
      return authorisePerson(permission, headers, credentials);
  }
}

async function authorisePerson(
  permission: 'session' | AdminVerb,
  headers: IncomingHttpHeaders,
  credentials: Credentials,
): Promise<Caller | Refusal> {
  const caller = await personIn(headers, credentials);
  if (isRefusal(caller)) return caller;
  const { principalId } = caller;
  const tokenId = caller.kind === 'admin_token' ? caller.tokenId : null;
  const verbs = credentials.verbsOf({ principalId, tokenId });
  // A session may outlive its principal for a moment.
  if (verbs === null) return unknownSession;
  if (permission !== 'session' && !verbs.has(permission)) {
    return refuse('forbidden', `this call requires the permission ${permission}`);
  }
  return caller;
}

type Person = Extract<Caller, { kind: 'session' | 'admin_token' | 'api_key' }>;

/**
 * An admin token takes precedence over a session, because no website can make a browser send one.
 */
async function personIn(
  headers: IncomingHttpHeaders,
  { sessionOwner, adminTokenHolder }: Credentials,
): Promise<Person | Refusal> {
  const token = adminTokenIn(headers);
  if (token !== null) {
    const holder = await adminTokenHolder(token);
    if (holder === null || holder.tokenId === null) return unknownToken;
    return { kind: 'admin_token', principalId: holder.principalId, tokenId: holder.tokenId };
  }
  const session = sessionToken(headers);
  if (session === null) return bearerToken(headers) === null ? noCredential : notAdminToken;
  const principalId = await sessionOwner(session);
  return principalId === null ? unknownSession : { kind: 'session', principalId };
}

const noCredential = refuse(
  'unauthenticated',
  'the request has neither a session cookie nor an admin token',
);
const notAdminToken = refuse(
  'unauthenticated',
  `the bearer token is not an admin token, which begins with ${adminTokenPrefix}`,
);
const unknownToken = refuse('unauthenticated', 'the admin token is unknown, revoked or expired');
const unknownSession = refuse('unauthenticated', 'the session is unknown or has expired');

export function adminTokenIn(headers: IncomingHttpHeaders): string | null {
  const token = bearerToken(headers);
  return token?.startsWith(adminTokenPrefix) === true ? token : null;
}

export const sessionToken = (headers: IncomingHttpHeaders): string | null =>
  cookieIn(headers, sessionCookie);

export function cookieIn(headers: IncomingHttpHeaders, wanted: string): string | null {
  for (const pair of (headers.cookie ?? '').split(';')) {
    const [name = '', value = ''] = pair.trim().split('=', 2);
    if (name === wanted && value !== '') return value;
  }
  return null;
}

const bearerToken = (headers: IncomingHttpHeaders): string | null =>
  /^Bearer +(\S+)$/i.exec(headers.authorization ?? '')?.[1] ?? null;
