// Who calls, and whether the route's permission lets them (Authentication rules 2 and 3): 401 for someone unknown, then 403 for
// someone who lacks it. The permission is that of the matched route; no path is compared here.

import type { IncomingHttpHeaders } from 'node:http';

import type { PrincipalId } from '../lib/ids.ts';
import { refuse } from '../lib/refusal.ts';
import type { Refusal } from '../lib/refusal.ts';
import type { Verb } from '../lib/vocabulary.ts';
import type { Permission } from './route.ts';

export type AdminVerb = Exclude<
  Verb,
  'model:invoke' | 'mcp:invoke' | 'agent:invoke' | 'provider:register'
>;

export type Caller =
  | Readonly<{ kind: 'anonymous' }>
  | Readonly<{ kind: 'proxy' }>
  | Readonly<{ kind: 'session' | 'api_key'; principalId: PrincipalId }>;

/** How each credential is looked up. */
export type Credentials = Readonly<{
  sessionOwner: (token: string) => Promise<PrincipalId | null>;
  apiKeyOwner: (key: string) => PrincipalId | null;
  isProxyToken: (token: string) => boolean;
  /** Null when there is no such principal. */
  verbsOf: (principal: PrincipalId) => ReadonlySet<Verb> | null;
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
  { sessionOwner, verbsOf }: Credentials,
): Promise<Caller | Refusal> {
  const token = sessionToken(headers);
  if (token === null) return refuse('unauthenticated', 'no session cookie');
  const principalId = await sessionOwner(token);
  // A principal that was deleted a moment ago may still have a session.
  const verbs = principalId === null ? null : verbsOf(principalId);
  if (principalId === null || verbs === null) {
    return refuse('unauthenticated', 'the session is unknown or has expired');
  }
  if (permission !== 'session' && !verbs.has(permission)) {
    return refuse('forbidden', `this needs the permission ${permission}`);
  }
  return { kind: 'session', principalId };
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
