// Reseals the vault with the current encryption key, so that the previous one can be removed
// (Authentication rule 8). Works in batches: it can be interrupted and run again.

import type { Resealed } from '../../db/vault.ts';
import { isRefusal } from '../../lib/refusal.ts';
import type { Refusal } from '../../lib/refusal.ts';
import type { ControlPlane } from '../plane.ts';

export type ResealReport = Readonly<{
  resealed: number;
  /** The refs of items that could not be opened and stay unchanged. */
  unreadable: readonly string[];
}>;

type Dependencies = Readonly<{
  plane: Pick<ControlPlane, 'db' | 'execute' | 'vault'>;
  keyId: string;
  newId: () => string;
}>;

/** Few, because mutations may need to read the locked rows. */
const batchItems = 200;

export async function resealVault({
  plane,
  keyId,
  newId,
}: Dependencies): Promise<ResealReport | Refusal> {
  let resealed = 0;
  const unreadable: string[] = [];
  let after: Resealed['last'] = null;
  do {
    const batch: Resealed = await plane.vault.reseal(plane.db, { after, limit: batchItems });
    resealed += batch.resealed;
    unreadable.push(...batch.unreadable);
    after = batch.last;
  } while (after !== null);
  if (resealed === 0) return { resealed, unreadable };
  const recorded = await plane.execute(
    { command: { type: 'RecordReseal', keyId, items: resealed } },
    {
      actor: { kind: 'cli', principal_id: null },
      action: 'CLI',
      target: 'reencrypt-backends',
      requestId: newId(),
      reason: null,
    },
  );
  return isRefusal(recorded) ? recorded : { resealed, unreadable };
}
