// Beats that say nothing new: each refreshes one lease. Those that come while others are written are written together, so that a
// thousand agents that all come back at once do not wait for a thousand commits.

import type { Queryable } from '@databases/pg';

import type { Provider } from '../../projections/config/provider.ts';
import type { ConfigState } from '../../projections/config/state.ts';
import { refreshLeases } from '../db/leases.ts';
import type { Lease } from '../db/leases.ts';
import type { ProviderId } from '../lib/ids.ts';
import { coalesce } from './coalesce.ts';

/** False when there is no lease to refresh. Rejects when the database is away. */
export type Beat = (lease: Lease) => Promise<boolean>;

type Batch = { leases: Lease[]; refreshed: ReadonlySet<ProviderId> };

const newBatch = (): Batch => ({ leases: [], refreshed: new Set() });

/** The providers at an address, of the state as it is: looked up for each beat, and sorted anew only when providers have changed. */
export function createProvidersAt(
  state: () => ConfigState,
): (apiBase: string) => readonly Provider[] {
  let byId: ConfigState['provider']['byId'] | null = null;
  let byAddress: ReadonlyMap<string, readonly Provider[]> = new Map();
  return (apiBase) => {
    const present = state().provider.byId;
    if (present !== byId) {
      byId = present;
      byAddress = Map.groupBy(present.values(), ({ endpoint }) => endpoint.api_base);
    }
    return byAddress.get(apiBase) ?? [];
  };
}

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
