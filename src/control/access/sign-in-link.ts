// Creates the link that `gw dev` prints and that opens the UI signed in. Its token works once, for
// ten minutes. Only its digest is kept, in memory, so a restart invalidates the link.

import { createHash, timingSafeEqual } from 'node:crypto';

import type { Clock } from '../../lib/clock.ts';
import { refuse } from '../../lib/refusal.ts';
import type { Refusal } from '../../lib/refusal.ts';

export const signInLinkMinutes = 10;
const tokenBytes = 16;

export type SignInLink = Readonly<{
  /** The name of the principal to sign in. */
  name: string;
  /** Null if the token was valid. It is used up then. */
  redeem: (token: string) => Refusal | null;
}>;

type Options = Readonly<{
  name: string;
  clock: Clock;
  randomBytes: (size: number) => Buffer;
}>;

export function createSignInLink({
  name,
  clock,
  randomBytes,
}: Options): Readonly<{ token: string; link: SignInLink }> {
  const token = randomBytes(tokenBytes).toString('base64url');
  const known = digest(token);
  const expiresAt = clock() + signInLinkMinutes * 60_000;
  let isUsed = false;
  const redeem = (given: string): Refusal | null => {
    if (!timingSafeEqual(digest(given), known))
      return refused('is not valid for this run of gw dev');
    if (isUsed) return refused('was already used');
    if (clock() >= expiresAt) return refused('has expired');
    isUsed = true;
    return null;
  };
  return { token, link: { name, redeem } };
}

const digest = (token: string): Buffer => createHash('sha256').update(token).digest();

const refused = (why: string): Refusal =>
  refuse(
    'unauthenticated',
    `the sign-in link ${why}; sign in with the name and password that gw dev printed, or restart it`,
  );
