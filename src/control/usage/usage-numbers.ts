// Stores the numbers of usage rows that a replica reports while it cannot deliver the rows, and counts dropped rows in the
// log.

import { randomUUID } from 'node:crypto';

import type { Database } from '../../db/pool.ts';
import {
  addDropped,
  markAnnounced,
  raiseAssigned,
  unannouncedDrops,
} from '../../db/usage/usage-runs.ts';
import type { Clock } from '../../lib/clock.ts';
import { isRefusal, refuse } from '../../lib/refusal.ts';
import type { HealthReport } from '../../snapshot/health-report.ts';
import { oncePerReplica } from '../fleet/once-per-replica.ts';
import type { ControlPlane } from '../plane.ts';
import { droppedBefore } from './usage-sorting.ts';

/**
 * Never rejects: a health report is accepted even if the database is unreachable, and the next one
 * repeats the numbers.
 */
export type TakeNumbers = (report: HealthReport) => Promise<void>;

type Dependencies = Readonly<{
  db: Database;
  clock: Clock;
  onFailure: (error: unknown) => void;
}>;

export function createTakeNumbers({ db, clock, onFailure }: Dependencies): TakeNumbers {
  const take = oncePerReplica('', onFailure);
  return async ({ replica, usage }) => {
    if (usage === undefined) return;
    const sender = { ...usage, replica };
    const record = (): Promise<void> =>
      db.tx(async (tx) => {
        await addDropped(tx, droppedBefore(sender));
        await raiseAssigned(tx, [sender], new Date(clock()));
      });
    await take({ replica, mark: JSON.stringify(usage), record });
  };
}

/** At most one event per reason in this time, of all replicas of the control plane together. */
const announceMs = 60_000;

type Announcing = Readonly<{ plane: Pick<ControlPlane, 'db' | 'execute'>; clock: Clock }>;

/** Appends an event for each reason for which rows were dropped since the last one. */
export async function announceDrops({ plane, clock }: Announcing): Promise<void> {
  const at = new Date(clock());
  const before = new Date(at.getTime() - announceMs);
  const drops = await unannouncedDrops(plane.db, before);
  if (drops.length === 0) return;
  const found = JSON.stringify(drops);
  const outcome = await plane.execute(
    { command: { type: 'RecordUsageDrops', drops } },
    {
      actor: { kind: 'system', principal_id: null },
      action: 'COUNT',
      target: 'usage',
      requestId: randomUUID(),
      reason: null,
      exclusive: 'usage-drops',
      precondition: async (_state, tx) =>
        JSON.stringify(await unannouncedDrops(tx, before)) === found
          ? null
          : refuse('conflict', 'more rows were dropped, or another replica counted them'),
      conclude: (_outcome, tx) => markAnnounced(tx, drops, at),
    },
  );
  if (!isRefusal(outcome) || outcome.refused === 'conflict') return;
  throw new Error(`counting dropped usage rows: ${outcome.message}`);
}
