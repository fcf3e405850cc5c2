// Hashes and verifies passwords with Argon2id. Limits concurrency, so that a flood of logins cannot
// exhaust memory or the thread pool (Authentication rule 10).

import { argon2id, hash, verify } from 'argon2';

import { refuse } from '../../lib/refusal.ts';
import type { Refusal } from '../../lib/refusal.ts';
import { createSlots } from '../slots.ts';

/** For new passwords. Existing shorter ones still work. */
const passwordCharactersMin = 12;
/** Rejects repetitions such as twelve spaces. The list of common passwords has none. */
const differentCharactersMin = 5;
/** UTF-8 bytes. Bounds the hashing time of a request. Passwords are never truncated. */
export const passwordBytesMax = 1024;

export const passwordRules =
  `At least ${passwordCharactersMin} characters, ${differentCharactersMin} of them different, and at most ` +
  `${passwordBytesMax} bytes; the most common passwords are refused.`;

const cost = { type: argon2id, memoryCost: 19_456, timeCost: 2, parallelism: 1 } as const;

/** Verified if there is no password: takes the same time and never matches. */
const dummyHash = `$argon2id$v=19$m=19456,p=1,t=2$${'A'.repeat(22)}$${'A'.repeat(43)}`;

const parallelMax = 2;
/**
 * About as many attempts as the login limit admits at once from a few networks. A check takes about
 * 30 ms.
 */
const waitingMax = 64;

export type Passwords = Readonly<{
  hash: (password: string) => Promise<string | Refusal>;
  /** `stored` is null if the principal has no password. */
  verify: (stored: string | null, password: string) => Promise<boolean | Refusal>;
}>;

export function createPasswords(): Passwords {
  const slots = createSlots({ parallelMax, waitingMax, what: 'password checks' });
  return {
    hash: async (password) => {
      const unfit = await unfitPassword(password);
      return unfit ?? slots.run(() => hash(password, cost));
    },
    verify: async (stored, password) => {
      if (Buffer.byteLength(password) > passwordBytesMax) return false;
      const matches = await slots.run(() => verify(stored ?? dummyHash, password));
      return stored === null && matches === true ? false : matches;
    },
  };
}

async function unfitPassword(password: string): Promise<Refusal | null> {
  const rule = await brokenRule(password);
  return rule === null ? null : refuse('invalid', `password: ${rule}`, { param: 'password' });
}

async function brokenRule(password: string): Promise<string | null> {
  const bytes = Buffer.byteLength(password);
  if (bytes > passwordBytesMax) return `at most ${passwordBytesMax} bytes; this one has ${bytes}`;
  const characters = Array.from(password);
  if (characters.length < passwordCharactersMin) {
    return `at least ${passwordCharactersMin} characters; this one has ${characters.length}`;
  }
  if (new Set(characters).size < differentCharactersMin) {
    return `at least ${differentCharactersMin} different characters`;
  }
  return (await isCommon(password))
    ? 'this is one of the most common passwords; choose another'
    : null;
}

/** Loaded on first use: the list has about 50,000 words. */
async function isCommon(password: string): Promise<boolean> {
  const { dictionary } = await import('@zxcvbn-ts/language-common');
  return dictionary['passwords-common'].includes(password.toLowerCase());
}
