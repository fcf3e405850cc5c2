// Seals everything in the vault anew with the present encryption key, so that the previous one can be dropped (Authentication
// rule 8). In batches: it may be interrupted and run again, and goes on where it was.

import type { Resealed } from '../../db/vault.ts';
import { isRefusal } from '../../lib/refusal.ts';
import type { Refusal } from '../../lib/refusal.ts';
import type { ControlPlane } from '../plane.ts';

export type ResealReport = Readonly<{
  /** Items that another key had sealed. */
  resealed: number;
  /** Refs of those that could not be opened; they stay as they are. */
  unreadable: readonly string[];
}>;

type Dependencies = Readonly<{
  plane: Pick<ControlPlane, 'db' | 'execute' | 'vault'>;
  /** Of the present encryption key. */
  keyId: string;
  newId: () => string;
}>;

/** Rows that are locked at once, while mutations may want to read them. */
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
