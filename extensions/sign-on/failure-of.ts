// Maps errors of openid-client to the program's codes. Drops their text, which may contain data
// from the issuer such as tokens.

import { failure } from './failure.ts';
import type { SignInFailure, Failure } from './failure.ts';

/** By the error's code (oauth4webapi), or first by `<code> <error>` if there is an OAuth error. */
const byCode: Readonly<Record<string, SignInFailure>> = {
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

export function failureOf(error: unknown): Failure {
  const code = textOf(error, 'code');
  if (code === null) return isAway(error) ? failure('away', causeOf(error)) : broken(error);
  const said = textOf(error, 'error');
  const claim = textOf(memberOf(memberOf(error, 'cause'), 'cause'), 'claim');
  const what = byCode[`${code} ${said ?? ''}`] ?? byCode[code] ?? 'broken';
  return failure(what, [code, said, claim].filter((word) => word !== null).join(' '));
}

const broken = (error: unknown): Failure =>
  failure('broken', error instanceof Error ? error.name : 'unknown');

/** fetch reports a failed or lost connection in this way. */
const isAway = (error: unknown): boolean =>
  error instanceof TypeError && memberOf(error, 'cause') !== undefined;

const causeOf = (error: unknown): string => textOf(memberOf(error, 'cause'), 'code') ?? 'no answer';

const memberOf = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;

/** Only known OAuth error codes: an issuer may send any text. */
function textOf(value: unknown, name: string): string | null {
  const found = memberOf(value, name);
  return typeof found === 'string' && /^\w{1,60}$/.test(found) ? found : null;
}
