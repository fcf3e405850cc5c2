// Reads what is known of providers in addition to the log: leases and sweep results.

import type { Queryable } from '@databases/pg';

import { readLeases } from '../../db/leases.ts';
import { readProbes } from '../../db/provider-probes.ts';
import type { ProviderId } from '../../lib/ids.ts';

export type ProviderStatus = Readonly<{
  leases: Awaited<ReturnType<typeof readLeases>>;
  probes: Awaited<ReturnType<typeof readProbes>>;
}>;

/** For states of the past, for which neither is known. */
export const noProviderStatus: ProviderStatus = { leases: new Map(), probes: new Map() };

export const readProviderStatus = async (
  db: Queryable,
  ids: readonly ProviderId[],
): Promise<ProviderStatus> => ({
  leases: await readLeases(db, ids),
  probes: await readProbes(db, ids),
});
