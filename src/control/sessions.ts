// Sessions of people: 12 hours from the login, not prolonged by use; only the digest of a token is stored.

import { createHash } from 'node:crypto';

import type { Database } from '../db/pool.ts';
import {
  deleteExpiredSessions,
  deleteSession,
  deleteSessionsOf,
  findSession,
  insertSession,
} from '../db/sessions.ts';
import type { Clock } from '../lib/clock.ts';
import type { PrincipalId } from '../lib/ids.ts';

export const sessionSeconds = 12 * 60 * 60;
const tokenBytes = 32;

export type Sessions = Readonly<{
  /** Answers with the new session's token. */
  start: (principalId: PrincipalId) => Promise<string>;
  owner: (token: string) => Promise<PrincipalId | null>;
  end: (token: string) => Promise<void>;
  /** Ends every session of a principal: after a new password, and after its deletion. */
  endAllOf: (principalId: PrincipalId) => Promise<void>;
}>;

type Dependencies = Readonly<{
  db: Database;
  clock: Clock;
  randomBytes: (size: number) => Buffer;
}>;

export function createSessions({ db, clock, randomBytes }: Dependencies): Sessions {
  return {
    start: async (principalId) => {
      const now = clock();
      // A login is rare and finds the expired by an index: no timer is needed to be rid of them.
      await deleteExpiredSessions(db, new Date(now));
      const token = randomBytes(tokenBytes).toString('base64url');
      await insertSession(db, {
        tokenDigest: digest(token),
        principalId,
        createdAt: new Date(now),
        expiresAt: new Date(now + sessionSeconds * 1000),
      });
      return token;
    },
    owner: (token) => findSession(db, { tokenDigest: digest(token), now: new Date(clock()) }),
    end: (token) => deleteSession(db, digest(token)),
    endAllOf: (principalId) => deleteSessionsOf(db, principalId),
  };
}

const digest = (token: string): Buffer => createHash('sha256').update(token).digest();
