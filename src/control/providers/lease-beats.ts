// Beats that say nothing new: each refreshes one lease. They are gathered for a moment, longer where many come, and written together: a
// thousand agents cost four statements a second, and do not wait for a thousand commits when they all come back at once.

import { setTimeout as wait } from 'node:timers/promises';

import type { Queryable } from '@databases/pg';

import type { Provider } from '../../../projections/config/provider.ts';
import type { ConfigState } from '../../../projections/config/state.ts';
import { refreshLeases } from '../../db/leases.ts';
import type { Lease } from '../../db/leases.ts';
import type { ProviderId } from '../../lib/ids.ts';

/** False when there is no lease to refresh. Rejects when the database is away. */
export type Beat = (lease: Lease) => Promise<boolean>;

type Batch = Readonly<{ leases: Lease[]; refreshed: Promise<ReadonlySet<ProviderId>> }>;

const gatherMs = 100;
/** So many at once are a fleet, whose agents can wait: each statement less is a wakeup less here and at the database. */
const fleetBeats = 4;
const fleetGatherMs = 250;

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

/** One statement at a time. How many leases wait for it is bounded by the connections of the listener. */
export function createBeat(db: Queryable): Beat {
  let gathering: Batch | null = null;
  let before: Promise<unknown> = Promise.resolve();
  let beatsBefore = 0;

  const begin = (): Batch => {
    const leases: Lease[] = [];
    const write = async (): Promise<ReadonlySet<ProviderId>> => {
      const isFleet = beatsBefore >= fleetBeats;
      await Promise.all([before, wait(isFleet ? fleetGatherMs : gatherMs)]);
      gathering = null;
      beatsBefore = leases.length;
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
