// What is known of providers beside the log: their leases, and what the sweep found.

import type { Queryable } from '@databases/pg';

import { readLeases } from '../../db/leases.ts';
import { readProbes } from '../../db/provider-probes.ts';
import type { ProviderId } from '../../lib/ids.ts';

export type Beside = Readonly<{
  leases: Awaited<ReturnType<typeof readLeases>>;
  probes: Awaited<ReturnType<typeof readProbes>>;
}>;

/** Of a moment of the past. */
export const nothingBeside: Beside = { leases: new Map(), probes: new Map() };

export const readBeside = async (db: Queryable, ids: readonly ProviderId[]): Promise<Beside> => ({
  leases: await readLeases(db, ids),
  probes: await readProbes(db, ids),
});
