// Manages sessions of people. A session ends 12 hours after sign-in, also if it is used. Only the
// digest of its token is stored. It is valid while its row matches its seal and its principal still
// has the password or identity that opened it.

import { createHash } from 'node:crypto';

import type { Queryable } from '@databases/pg';

import type { ConfigState } from '../../../projections/config/state.ts';
import { readModelSchema } from '../../../projections/read-model.ts';
import type { Database } from '../../db/pool.ts';
import {
  countSessions,
  deleteAllSessions,
  deleteExpiredSessions,
  deleteSession,
  findSession,
  insertSession,
} from '../../db/sessions.ts';
import type { FoundSession } from '../../db/sessions.ts';
import type { Clock } from '../../lib/clock.ts';
import type { PrincipalId } from '../../lib/ids.ts';
import type { SessionSealer } from './session-seal.ts';

export const sessionSeconds = 12 * 60 * 60;
const tokenBytes = 32;

const purgedMax = 5_000;

export type Sessions = Readonly<{
  /** Returns the session's token. */
  start: (login: Login) => Promise<string>;
  /** The owner at the head of the log, including other replicas' events. */
  owner: (token: string) => Promise<PrincipalId | null>;
  /** `state` is at the head of the log, which `tx` has locked. */
  ownerIn: (state: ConfigState, tx: Queryable, token: string) => Promise<PrincipalId | null>;
  count: () => Promise<number>;
  end: (token: string) => Promise<void>;
  /** Ends the session with this `sessionDigest`. */
  endOf: (digest: Buffer) => Promise<void>;
  /** Returns the number of sessions ended. */
  endAll: (tx: Queryable) => Promise<number>;
  purge: () => Promise<void>;
}>;

/** `credentialRef` is the ref of the password or identity that was used. */
export type Login = Readonly<{ principalId: PrincipalId; credentialRef: string }>;

type Dependencies = Readonly<{
  db: Database;
  state: () => ConfigState;
  /** Brings the state and the read models to the head of the log. */
  catchUp: () => Promise<void>;
  clock: Clock;
  randomBytes: (size: number) => Buffer;
  sealer: SessionSealer;
}>;

export function createSessions(dependencies: Dependencies): Sessions {
  const { db, state, catchUp, clock, randomBytes, sealer } = dependencies;
  const find = async (db: Queryable, token: string): Promise<FoundSession | null> => {
    const [tokenDigest, now] = [sessionDigest(token), clock()];
    const found = await findSession(db, {
      tokenDigest,
      now: new Date(now),
      schema: readModelSchema,
    });
    return found !== null && isOwn(found, { tokenDigest, now, sealer }) ? found : null;
  };
  return {
    start: async ({ principalId, credentialRef }) => {
      const now = clock();
      const token = randomBytes(tokenBytes).toString('base64url');
      const row = {
        tokenDigest: sessionDigest(token),
        principalId,
        credentialRef,
        createdAt: new Date(now),
        expiresAt: new Date(now + sessionSeconds * 1000),
      };
      await insertSession(db, { ...row, seal: sealer.seal(row) });
      return token;
    },
    owner: async (token) => {
      const before = state();
      const found = await find(db, token);
      if (found === null) return null;
      // Decides whether to read the log: a request must see what other replicas wrote before it
      // arrived.
      const reached = Math.min(state().position, found.tablesPosition ?? 0);
      if (found.headPosition > reached || !isHeld(before, found)) await catchUp();
      return holderOf(found, state());
    },
    ownerIn: async (state, tx, token) => {
      const found = await find(tx, token);
      return found === null ? null : holderOf(found, state);
    },
    count: async () => {
      const found = await countSessions(db, new Date(clock()));
      return found
        .filter((one) => holderOf(one, state()) !== null)
        .reduce((sum, { sessions }) => sum + sessions, 0);
    },
    end: (token) => deleteSession(db, sessionDigest(token)),
    endOf: (digest) => deleteSession(db, digest),
    endAll: deleteAllSessions,
    purge: async () => {
      const now = new Date(clock());
      let deleted: number;
      do deleted = await deleteExpiredSessions(db, { now, limit: purgedMax });
      while (deleted === purgedMax);
    },
  };
}

/**
 * True if a log with this head can contain the events of the state. If the log is longer, it must
 * be read to find out.
 */
const isHeld = (
  { position, hash }: ConfigState,
  { headPosition, headHash }: Pick<FoundSession, 'headPosition' | 'headHash'>,
): boolean => position < headPosition || (position === headPosition && hash === headHash);

type Judged = Readonly<{ tokenDigest: Buffer; now: number; sealer: SessionSealer }>;

/**
 * True if a control plane wrote this row and nothing modified it, and the session is at most 12
 * hours old.
 */
function isOwn(
  { principalId, credentialRef, createdAt, expiresAt, seal }: FoundSession,
  { tokenDigest, now, sealer }: Judged,
): boolean {
  if (seal === null || credentialRef === null) return false;
  if (now - createdAt.getTime() >= sessionSeconds * 1000) return false;
  return sealer.isSealed({ tokenDigest, principalId, credentialRef, createdAt, expiresAt }, seal);
}

function holderOf(
  { principalId, credentialRef }: Pick<FoundSession, 'principalId' | 'credentialRef'>,
  { principal }: ConfigState,
): PrincipalId | null {
  const holder = principal.byId.get(principalId);
  if (holder === undefined || credentialRef === null) return null;
  const { id, passwordRef, identity } = holder;
  return credentialRef === passwordRef || credentialRef === identity?.ref ? id : null;
}

/** Tokens are stored only in this form, SHA-256. */
export const sessionDigest = (token: string): Buffer => createHash('sha256').update(token).digest();
