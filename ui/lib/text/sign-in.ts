// Single sign-on as a page sees it: where it begins, and why nobody came back from it.

import type { SignInTrouble } from '../../../src/admin/access/sign-on.ts';
import { capital } from './format.ts';
import { withQuery, writePlace } from '../page/place.ts';
import type { Place } from '../page/place.ts';

/** A place of its own, for a tab that is opened to sign in and to be closed. */
export const signedInScreen = 'signed-in';

/** `returnTo` is a place; without one the tab ends at a page that says that it can be closed. */
export function signInAddress(apiBase: string, returnTo: Place | null): string {
  const place = returnTo === null ? { screen: signedInScreen, rest: [], query: {} } : returnTo;
  const asked = writePlace(withQuery(place, { sign_in: null, request_id: null }), 'ui/');
  return `${apiBase}auth/oidc/login?return_to=${encodeURIComponent(asked)}`;
}

const sentences: Readonly<Record<SignInTrouble, string>> = {
  away: 'does not answer. Try again, or use a password.',
  broken: 'answered what gw cannot read. An administrator finds more in the log.',
  busy: 'is asked by too many at once. Try again in a moment.',
  too_many: 'sign-ins failed too often from here. Try again in a minute.',
  denied: 'did not let you in.',
  client: 'does not take gw as its client. An administrator has to compare the settings.',
  stale: 'sign-in was not begun in this browser, or more than ten minutes ago. Try again.',
  expired: 'sign-in took too long, or was used before. Try again.',
  clock: 'and gw disagree about the time. An administrator has to set their clocks.',
  token:
    'sent a token that is not for this sign-in. Try again; an administrator finds more in the log.',
  unnamed: 'does not say who you are. An administrator has to look at its claims.',
  unverified: 'has not verified your e-mail address. Verify it there, then try again.',
  groups: 'did not send your groups, which your roles follow from. Ask an administrator.',
  unknown: 'account is not known here. Ask an administrator to let you in.',
  removed: 'account was removed here. Ask an administrator to let you in again.',
  taken: 'account fits no one principal. Ask an administrator to link yours.',
};

const isTrouble = (word: string): word is SignInTrouble => Object.hasOwn(sentences, word);

/** What the address says of a sign-in that failed; null when it says nothing of one. */
export function signInFailed(
  { query }: Pick<Place, 'query'>,
  label: string,
): Readonly<{ message: string; requestId: string | null }> | null {
  const word = query['sign_in'];
  if (word === undefined) return null;
  const sentence = isTrouble(word) ? sentences[word] : 'sign-in failed. Try again.';
  return { message: capital(`${label} ${sentence}`), requestId: query['request_id'] ?? null };
}
