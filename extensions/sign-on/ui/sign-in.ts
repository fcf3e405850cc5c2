// Builds single sign-on links, and explains failed sign-ins.

import { withQuery, writePlace } from '../../../ui/lib/page/place.ts';
import type { Place } from '../../../ui/lib/page/place.ts';
import { capital } from '../../../ui/lib/text/format.ts';
import { signedInScreen } from '../../../ui/state/sign-on.ts';
import type { SignInFailure } from '../failure.ts';

/** `returnTo` is a path of the UI. Without it the tab ends on a page that can be closed. */
export function signInAddress(apiBase: string, returnTo: Place | null): string {
  const place = returnTo === null ? { screen: signedInScreen, rest: [], query: {} } : returnTo;
  const asked = writePlace(withQuery(place, { sign_in: null, request_id: null }), 'ui/');
  return `${apiBase}auth/oidc/login?return_to=${encodeURIComponent(asked)}`;
}

const sentences: Readonly<Record<SignInFailure, string>> = {
  away: 'does not answer. Try again, or use a password.',
  broken: 'sent a response that gw cannot read. An administrator can find details in the log.',
  busy: 'receives too many sign-ins at once. Try again in a moment.',
  too_many: 'sign-ins from your address failed too often. Try again in a minute.',
  denied: 'denied the sign-in.',
  client: 'rejects gw as a client. An administrator must check the client settings.',
  stale: 'sign-in was started in another browser or more than ten minutes ago. Try again.',
  expired: 'sign-in expired or was already used. Try again.',
  clock: 'and gw have different clocks. An administrator must synchronize them.',
  token:
    'sent a token for another sign-in. Try again. An administrator can find details in the log.',
  unnamed: 'did not send your identity. An administrator must check the claims.',
  unverified: 'has not verified your email address. Verify it there, then try again.',
  groups: 'did not send your groups, which determine your roles. Ask an administrator.',
  unknown: 'account is unknown to gw. Ask an administrator for access.',
  removed: 'account was removed from gw. Ask an administrator for access.',
  taken: 'account matches no principal, or several. Ask an administrator to link it.',
};

const isFailure = (word: string): word is SignInFailure => Object.hasOwn(sentences, word);

/** Null if the address reports no failure. */
export function signInFailed(
  { query }: Pick<Place, 'query'>,
  label: string,
): Readonly<{ message: string; requestId: string | null }> | null {
  const word = query['sign_in'];
  if (word === undefined) return null;
  const sentence = isFailure(word) ? sentences[word] : 'sign-in failed. Try again.';
  return { message: capital(`${label} ${sentence}`), requestId: query['request_id'] ?? null };
}
