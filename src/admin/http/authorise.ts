// Who calls, and whether the route's permission lets them (Authentication rules 2 and 3): 401 for someone unknown, then 403 for
// someone who lacks it. The permission is that of the matched route; no path is compared here.

import type { IncomingHttpHeaders } from 'node:http';

import { adminTokenPrefix } from '../../control/access/admin-tokens.ts';
import type { Holder } from '../../../projections/config/grants.ts';
import type { AdminTokenId, PrincipalId } from '../../lib/ids.ts';
import { isRefusal, refuse } from '../../lib/refusal.ts';
import type { Refusal } from '../../lib/refusal.ts';
import type { AdminVerb, Verb } from '../../lib/vocabulary.ts';

/** Who may call: anyone, a person with a session, a person with a permission (Authentication rule 3), or a machine. */
export type Permission = 'open' | 'session' | 'api_key' | 'proxy_token' | AdminVerb;

export type Caller =
  | Readonly<{ kind: 'anonymous' }>
  | Readonly<{ kind: 'proxy' }>
  | Readonly<{ kind: 'session' | 'api_key'; principalId: PrincipalId }>
  | Readonly<{ kind: 'admin_token'; principalId: PrincipalId; tokenId: AdminTokenId }>;

/** How each credential is looked up. */
export type Credentials = Readonly<{
  sessionOwner: (token: string) => Promise<PrincipalId | null>;
  apiKeyOwner: (key: string) => PrincipalId | null;
  isProxyToken: (token: string) => boolean;
  /** The token is set. */
  adminTokenHolder: (token: string) => Promise<Holder | null>;
  /** Null when there is no such principal. */
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
      return known ? { kind: 'proxy' } : refuse('unauthenticated', 'not a proxy token');
    }
    case 'api_key': {
      const key = bearerToken(headers);
      const principalId = key === null ? null : credentials.apiKeyOwner(key);
      if (principalId === null) return refuse('unauthenticated', 'not an API key');
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
  // A principal that was deleted a moment ago may still have a session.
  if (verbs === null) return unknownSession;
  if (permission !== 'session' && !verbs.has(permission)) {
    return refuse('forbidden', `this needs the permission ${permission}`);
  }
  return caller;
}

type Person = Extract<Caller, { kind: 'session' | 'admin_token' | 'api_key' }>;

/** A request with an admin token is judged by the token alone: a browser cannot be made to send one. */
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

const noCredential = refuse('unauthenticated', 'no session cookie and no admin token');
const notAdminToken = refuse(
  'unauthenticated',
  `the bearer token is not an admin token, which begins with ${adminTokenPrefix}`,
);
const unknownToken = refuse('unauthenticated', 'the admin token is unknown, revoked or expired');
const unknownSession = refuse('unauthenticated', 'the session is unknown or has expired');

/** Null when the request bears none. */
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
