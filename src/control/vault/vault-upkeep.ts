// Erases secrets and personal data at the end of their retention. Any replica can run it. Each item
// is erased once, in the transaction of the event that records it, and the log's chain stays valid.

import { randomUUID } from 'node:crypto';

import { countSuperseded, keepItems, listSuperseded } from '../../db/vault-retention.ts';
import type { SupersededItem } from '../../db/vault-retention.ts';
import type { Clock } from '../../lib/clock.ts';
import { isRefusal, refuse } from '../../lib/refusal.ts';
import type { Outcome } from '../commands/execute.ts';
import type { ControlPlane } from '../plane.ts';
import { erasedRefs } from './vault-rows.ts';

const dayMs = 24 * 60 * 60 * 1000;
/** Per event, and events per run. */
const erasedMax = 500;
const erasuresMax = 100;

type Dependencies = Readonly<{
  plane: Pick<ControlPlane, 'db' | 'execute'>;
  clock: Clock;
  retentionDays: number;
}>;

/** Returns the number of erased items. Throws if the log could not be written. */
export async function eraseSuperseded(dependencies: Dependencies): Promise<number> {
  const { plane, clock, retentionDays } = dependencies;
  const horizon = new Date(clock() - retentionDays * dayMs);
  let erased = 0;
  for (let erasures = 0; erasures < erasuresMax; erasures++) {
    const items = await listSuperseded(plane.db, { horizon, limit: erasedMax });
    if (items.length === 0) return erased;
    const outcome = await erase(dependencies, items);
    if (outcome === null) return erased;
    erased += erasedRefs(outcome.events).length;
  }
  return erased;
}

/** Null if another replica has erased some of them. It will erase the rest too. */
async function erase(
  { plane }: Pick<Dependencies, 'plane'>,
  items: readonly SupersededItem[],
): Promise<Outcome | null> {
  const refs = items.map(({ ref }) => ref);
  const outcome = await plane.execute(
    { command: { type: 'EraseVaultItems', items, principalId: null } },
    {
      actor: { kind: 'system', principal_id: null },
      action: 'ERASE',
      target: 'vault',
      requestId: randomUUID(),
      reason: null,
      precondition: async (_state, tx) =>
        (await countSuperseded(tx, refs)) === refs.length
          ? null
          : refuse('conflict', 'some of these items were erased or are referred to again'),
      conclude: async (made, tx) => {
        const gone = new Set(erasedRefs(made.events));
        await keepItems(
          tx,
          refs.filter((ref) => !gone.has(ref)),
        );
      },
    },
  );
  if (!isRefusal(outcome)) return outcome;
  if (outcome.refused === 'conflict') return null;
  throw new Error(`erasing from the vault: ${outcome.message}`);
}
