// Beats that say nothing new: each refreshes one lease. Those that come while others are written are written together, so that a
// thousand agents that all come back at once do not wait for a thousand commits.

import type { Queryable } from '@databases/pg';

import { refreshLeases } from '../db/leases.ts';
import type { Lease } from '../db/leases.ts';
import type { ProviderId } from '../lib/ids.ts';
import { coalesce } from './coalesce.ts';

/** False when there is no lease to refresh. Rejects when the database is away. */
export type Beat = (lease: Lease) => Promise<boolean>;

type Batch = { leases: Lease[]; refreshed: ReadonlySet<ProviderId> };

const newBatch = (): Batch => ({ leases: [], refreshed: new Set() });

export function createBeat(db: Queryable): Beat {
  let next = newBatch();
  const write = coalesce(async () => {
    const batch = next;
    next = newBatch();
    batch.refreshed = await refreshLeases(db, batch.leases);
  });
  return async (lease) => {
    const batch = next;
    batch.leases.push(lease);
    await write();
    return batch.refreshed.has(lease.providerId);
  };
}
