// Stores the response of each mutation with an Idempotency-Key for 24 hours. It is written in the
// mutation's transaction, so a response exists exactly if the change does. It is sealed because it
// may contain an API key.

import { createHash } from 'node:crypto';

import type { Queryable } from '@databases/pg';
import { z } from 'zod';

import { deleteExpiredAnswers, findAnswer, insertAnswer } from '../../db/idempotency.ts';
import type { KeyOwner } from '../../db/idempotency.ts';
import type { Database } from '../../db/pool.ts';
import type { Vault } from '../../db/vault.ts';
import { canonicalJson } from '../../lib/canonical-json.ts';
import type { Clock } from '../../lib/clock.ts';
import type { PrincipalId } from '../../lib/ids.ts';
import { refuse } from '../../lib/refusal.ts';
import type { Refusal } from '../../lib/refusal.ts';

export const answerKeptHours = 24;

/** `body` is the JSON as sent. */
const keptAnswer = z.object({
  status: z.int(),
  headers: z.record(z.string(), z.string()),
  body: z.string(),
});
export type KeptAnswer = Readonly<z.output<typeof keptAnswer>>;

/** The fingerprint is equal for the same method, path and body. */
export type KeyedRequest = KeyOwner & Readonly<{ fingerprint: string }>;

type Asked = Readonly<{
  principalId: PrincipalId;
  key: string;
  method: string;
  path: string;
  /** Parsed, so that the order of members does not matter. */
  body: unknown;
}>;

export type Idempotency = Readonly<{
  read: (asked: Asked) => KeyedRequest;
  /**
   * Null if the key is unused. Refuses with `conflict` if another request used it or its response
   * cannot be opened.
   */
  find: (request: KeyedRequest, tx?: Queryable) => Promise<KeptAnswer | Refusal | null>;
  /**
   * Runs in the transaction of the mutation, under the log lock, after `find` returned null there.
   */
  keep: (tx: Queryable, request: KeyedRequest, answer: KeptAnswer) => Promise<void>;
  purge: () => Promise<void>;
}>;

type Dependencies = Readonly<{
  db: Database;
  vault: Pick<Vault, 'seal' | 'open' | 'fingerprint'>;
  clock: Clock;
}>;

const purgedRowsMax = 1_000;

export function createIdempotency({ db, vault, clock }: Dependencies): Idempotency {
  return {
    read: ({ principalId, key, method, path, body }) => ({
      principalId,
      keyDigest: createHash('sha256').update(key).digest(),
      fingerprint: vault.fingerprint(canonicalJson([method, path, body ?? null])),
    }),
    find: async (request, tx = db) => {
      const stored = await findAnswer(tx, request, new Date(clock()));
      if (stored === null) return null;
      if (stored.requestFingerprint !== request.fingerprint) return otherRequest;
      const { answer } = stored;
      const text = answer === null ? null : vault.open(placeOf(request), answer);
      return text === null ? unreadable : keptAnswer.parse(JSON.parse(text));
    },
    keep: (tx, request, answer) =>
      insertAnswer(tx, request, {
        requestFingerprint: request.fingerprint,
        answer: vault.seal(placeOf(request), JSON.stringify(answer)),
        expiresAt: new Date(clock() + answerKeptHours * 60 * 60 * 1000),
      }),
    purge: async () => {
      const now = new Date(clock());
      while ((await deleteExpiredAnswers(db, { now, limit: purgedRowsMax })) === purgedRowsMax);
    },
  };
}

const param = 'idempotency-key';
const otherRequest = refuse(
  'conflict',
  `${param} was already used for a different request; use a new key`,
  { param },
);
const unreadable = refuse(
  'conflict',
  `${param} was already used: the change was made, but its response can no longer be shown`,
  { param },
);

/** Binds a sealed response to its row. */
const placeOf = ({ principalId, keyDigest, fingerprint }: KeyedRequest): string =>
  `idempotent-answer|${principalId}|${keyDigest.toString('hex')}|${fingerprint}`;
