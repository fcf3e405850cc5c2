// What an error of openid-client comes to. Of its text nothing is kept: it may hold what the issuer sent, tokens among it.

import { trouble } from './trouble.ts';
import type { SignInTrouble, Trouble } from './trouble.ts';

/** By the error's code (oauth4webapi); where an OAuth error is beside it, by `<code> <error>` first. */
const byCode: Readonly<Record<string, SignInTrouble>> = {
  'OAUTH_AUTHORIZATION_RESPONSE_ERROR access_denied': 'denied',
  'OAUTH_AUTHORIZATION_RESPONSE_ERROR temporarily_unavailable': 'away',
  'OAUTH_AUTHORIZATION_RESPONSE_ERROR server_error': 'broken',
  OAUTH_AUTHORIZATION_RESPONSE_ERROR: 'client',
  'OAUTH_RESPONSE_BODY_ERROR invalid_grant': 'expired',
  OAUTH_RESPONSE_BODY_ERROR: 'client',
  OAUTH_WWW_AUTHENTICATE_CHALLENGE: 'client',
  OAUTH_TIMEOUT: 'away',
  OAUTH_ABORT: 'away',
  OAUTH_JWT_TIMESTAMP_CHECK_FAILED: 'clock',
  OAUTH_JWT_CLAIM_COMPARISON_FAILED: 'token',
  OAUTH_KEY_SELECTION_FAILED: 'token',
  OAUTH_UNSUPPORTED_OPERATION: 'token',
  OAUTH_INVALID_RESPONSE: 'token',
};

export function troubleOf(error: unknown): Trouble {
  const code = textOf(error, 'code');
  if (code === null) return isAway(error) ? trouble('away', causeOf(error)) : broken(error);
  const said = textOf(error, 'error');
  const claim = textOf(memberOf(memberOf(error, 'cause'), 'cause'), 'claim');
  const what = byCode[`${code} ${said ?? ''}`] ?? byCode[code] ?? 'broken';
  return trouble(what, [code, said, claim].filter((word) => word !== null).join(' '));
}

const broken = (error: unknown): Trouble =>
  trouble('broken', error instanceof Error ? error.name : 'unknown');

/** What fetch makes of a connection that was not made, or broke. */
const isAway = (error: unknown): boolean =>
  error instanceof TypeError && memberOf(error, 'cause') !== undefined;

const causeOf = (error: unknown): string => textOf(memberOf(error, 'cause'), 'code') ?? 'no answer';

const memberOf = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;

/** Words of a protocol alone: an issuer may send anything. */
function textOf(value: unknown, name: string): string | null {
  const found = memberOf(value, name);
  return typeof found === 'string' && /^\w{1,60}$/.test(found) ? found : null;
}
