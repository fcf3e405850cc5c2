// Batches heartbeats that only refresh a lease. They are collected briefly, longer under load, and
// written together: a thousand agents cost four statements a second, also when all reconnect at
// once.

import { setTimeout as wait } from 'node:timers/promises';

import type { Queryable } from '@databases/pg';

import type { Provider } from '../../../projections/config/provider.ts';
import type { ConfigState } from '../../../projections/config/state.ts';
import { refreshLeases } from '../../db/leases.ts';
import type { Lease } from '../../db/leases.ts';
import type { ProviderId } from '../../lib/ids.ts';

/** False if there is no lease to refresh. Rejects if the database is unreachable. */
export type Heartbeat = (lease: Lease) => Promise<boolean>;

type Batch = Readonly<{ leases: Lease[]; refreshed: Promise<ReadonlySet<ProviderId>> }>;

const gatherMs = 100;
/** From this many concurrent heartbeats on, collect longer to save round trips. */
const fleetHeartbeats = 4;
const fleetGatherMs = 250;

/** Groups the providers of the current state by address, and again only after a change. */
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

/** Runs one statement at a time. The connection limit of the listener bounds the waiting leases. */
export function createHeartbeats(db: Queryable): Heartbeat {
  let gathering: Batch | null = null;
  let before: Promise<unknown> = Promise.resolve();
  let heartbeatsBefore = 0;

  const begin = (): Batch => {
    const leases: Lease[] = [];
    const write = async (): Promise<ReadonlySet<ProviderId>> => {
      const isFleet = heartbeatsBefore >= fleetHeartbeats;
      await Promise.all([before, wait(isFleet ? fleetGatherMs : gatherMs)]);
      gathering = null;
      heartbeatsBefore = leases.length;
      const refreshed = refreshLeases(db, leases);
      before = refreshed.catch(() => undefined);
      return refreshed;
    };
    return { leases, refreshed: write() };
  };

  return async (lease) => {
    gathering ??= begin();
    const { leases, refreshed } = gathering;
    leases.push(lease);
    return (await refreshed).has(lease.providerId);
  };
}
