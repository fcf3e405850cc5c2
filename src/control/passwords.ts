// Passwords: hashed and checked with Argon2id, a few at a time, so that a flood of logins can neither fill the memory nor
// starve the thread pool (Authentication rule 10).

import { argon2id, hash, verify } from 'argon2';

import { refuse } from '../lib/refusal.ts';
import type { Refusal } from '../lib/refusal.ts';
import { createSlots } from './slots.ts';

/** In bytes of UTF-8; the upper bound keeps a request from buying hash time by length. Nothing is cut off. */
const passwordBytesMin = 8;
export const passwordBytesMax = 1024;

const cost = { type: argon2id, memoryCost: 19_456, timeCost: 2, parallelism: 1 } as const;

/** Stands in for a name that does not exist or has no password: it takes the same time to check and matches nothing. */
const dummyHash = `$argon2id$v=19$m=19456,p=1,t=2$${'A'.repeat(22)}$${'A'.repeat(43)}`;

const parallelMax = 2;
const waitingMax = 16;

export type Passwords = Readonly<{
  hash: (password: string) => Promise<string | Refusal>;
  /** `stored` null is a principal that cannot log in. */
  verify: (stored: string | null, password: string) => Promise<boolean | Refusal>;
}>;

export function createPasswords(): Passwords {
  const slots = createSlots({ parallelMax, waitingMax, what: 'password checks' });
  return {
    hash: async (password) => {
      const unfit = unfitPassword(password);
      return unfit ?? slots.run(() => hash(password, cost));
    },
    verify: async (stored, password) => {
      if (Buffer.byteLength(password) > passwordBytesMax) return false;
      const matches = await slots.run(() => verify(stored ?? dummyHash, password));
      return stored === null && matches === true ? false : matches;
    },
  };
}

function unfitPassword(password: string): Refusal | null {
  const bytes = Buffer.byteLength(password);
  if (bytes >= passwordBytesMin && bytes <= passwordBytesMax) return null;
  const message = `password must have ${passwordBytesMin} to ${passwordBytesMax} bytes, it has ${bytes}`;
  return refuse('invalid', message, { param: 'password' });
}
