// What an Idempotency-Key promises: the first answer of a mutation is kept for 24 hours, written in the mutation's own
// transaction, so that there is an answer exactly when there is a change. It is sealed, because it may show an API key.

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

/** As it went out; `body` is its JSON. */
const keptAnswer = z.object({
  status: z.int(),
  headers: z.record(z.string(), z.string()),
  body: z.string(),
});
export type KeptAnswer = Readonly<z.output<typeof keptAnswer>>;

/** A request that carries a key. `fingerprint` is equal for the same method, path and body. */
export type KeyedRequest = KeyOwner & Readonly<{ fingerprint: string }>;

type Asked = Readonly<{
  principalId: PrincipalId;
  key: string;
  method: string;
  path: string;
  /** As it was sent, parsed; the order of its members does not count. */
  body: unknown;
}>;

export type Idempotency = Readonly<{
  read: (asked: Asked) => KeyedRequest;
  /** Null when the key is free. Refuses with `conflict` when it belongs to another request, or its answer cannot be opened. */
  find: (request: KeyedRequest, tx?: Queryable) => Promise<KeptAnswer | Refusal | null>;
  /** In the transaction of the mutation, under the lock of the log, after `find` found none there. */
  keep: (tx: Queryable, request: KeyedRequest, answer: KeptAnswer) => Promise<void>;
  /** Deletes what has expired, in batches. */
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
const otherRequest = refuse('conflict', `${param} was used for another request`, { param });
const unreadable = refuse(
  'conflict',
  `${param} was used; the change was made, and its answer can no longer be shown`,
  { param },
);

/** Binds a sealed answer to its row. */
const placeOf = ({ principalId, keyDigest, fingerprint }: KeyedRequest): string =>
  `idempotent-answer|${principalId}|${keyDigest.toString('hex')}|${fingerprint}`;
