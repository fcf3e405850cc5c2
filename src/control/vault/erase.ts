// Erases on demand: a person's names, contact data and texts, and superseded items before their
// retention ends. The event and the erasure are one transaction. The log's chain stays valid, and
// the history shows the erasure.

import type { Queryable } from '@databases/pg';

import { listReasons } from '../../../projections/tables/audit-log.ts';
import type { ConfigState } from '../../../projections/config/state.ts';
import { eraseAnswers } from '../../db/idempotency.ts';
import type { Database } from '../../db/pool.ts';
import { eraseUsageNames } from '../../db/usage/usage-names.ts';
import { countUnerased, listPersonal, listSuperseded } from '../../db/vault-retention.ts';
import type { ErasableItem } from '../../deciders/settings.ts';
import type { Clock } from '../../lib/clock.ts';
import type { PrincipalId } from '../../lib/ids.ts';
import { refuse } from '../../lib/refusal.ts';
import { erasedKind } from '../../lib/vocabulary.ts';
import type { ErasedKind } from '../../lib/vocabulary.ts';
import type { Mutation, MutationContext, Outcome } from '../commands/execute.ts';

/** Per request. The rest waits for the next one. */
const itemsMax = 5_000;

/** `principalId` is null for superseded items of any owner. */
export type Erasure = Readonly<{ items: readonly ErasableItem[]; principalId: PrincipalId | null }>;

/**
 * All names, addresses and password hashes that the principal ever had, even if it was deleted, and
 * the reasons that it gave.
 */
export async function personalData(db: Queryable, principalId: PrincipalId): Promise<Erasure> {
  const own = await listPersonal(db, { principalId, limit: itemsMax });
  const given = await listReasons(db, { actorId: principalId, limit: itemsMax - own.length });
  const reasons = given.map(({ ref, subject }) => ({ ref, subject, kind: 'reason' }) as const);
  return { items: [...own, ...reasons], principalId };
}

/**
 * Returns true if rows are left for the next request. Does not hold the log lock, because there may
 * be many rows.
 */
export const eraseNamesInUsage = async (
  db: Database,
  { principal }: ConfigState,
  principalId: PrincipalId,
): Promise<boolean> => !principal.byId.has(principalId) && (await eraseUsageNames(db, principalId));

/** Items that the configuration no longer refers to. */
export const superseded = async (db: Queryable, clock: Clock): Promise<Erasure> => ({
  items: await listSuperseded(db, { horizon: new Date(clock() + 1), limit: itemsMax }),
  principalId: null,
});

type Erasing = Mutation & Required<Pick<MutationContext, 'precondition'>>;

/** Refuses if an item was erased since it was listed. */
export const erasing = (erasure: Erasure): Erasing => ({
  command: { type: 'EraseVaultItems', ...erasure },
  precondition: async (_state, tx) => {
    const refs = erasure.items.map(({ ref }) => ref);
    const isWhole = (await countUnerased(tx, refs)) === refs.length;
    return isWhole
      ? null
      : refuse('conflict', 'some of these items were erased concurrently; retry');
  },
});

/** By kind. `left` is true if there may be more for the next request. */
export type Erased = Readonly<{
  erased: Readonly<Partial<Record<ErasedKind, number>>>;
  left: boolean;
}>;

/**
 * Counts what the events of `outcome` erased. Erases stored responses in the same transaction,
 * since they may contain personal data.
 */
export async function concludeErasure(
  tx: Queryable,
  { outcome, erasure }: Readonly<{ outcome: Outcome; erasure: Erasure }>,
): Promise<Erased> {
  if (erasure.principalId !== null) await eraseAnswers(tx);
  const erased: Partial<Record<ErasedKind, number>> = {};
  for (const { type, data } of outcome.events) {
    if (type !== 'VaultItemsErased') continue;
    for (const kind of erasedKind.options) {
      const items = data.kinds?.[kind] ?? 0;
      if (items > 0) erased[kind] = (erased[kind] ?? 0) + items;
    }
  }
  return { erased, left: erasure.items.length === itemsMax };
}
