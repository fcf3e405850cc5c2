// Leases of dynamic providers in the database.

import { sql } from '@databases/pg';
import type { Queryable } from '@databases/pg';

import type { ProviderId } from '../lib/ids.ts';

export type Lease = Readonly<{
  providerId: ProviderId;
  node: string;
  engine: string | null;
  ttlSeconds: number;
  expiresAt: Date;
}>;

/** The leases that these providers have; one without a lease is not among them. */
export async function readLeases(
  db: Queryable,
  ids: readonly ProviderId[],
): Promise<ReadonlyMap<ProviderId, Lease>> {
  const rows: Lease[] = await db.query(sql`
    select provider_id as "providerId", node, engine, ttl_seconds as "ttlSeconds",
      lease_expires_at as "expiresAt"
    from op.provider_leases where provider_id = any(${[...ids]}::bigint[])`);
  return new Map(rows.map((lease) => [lease.providerId, lease]));
}

export const endLeases = (db: Queryable, ids: readonly ProviderId[]): Promise<unknown> =>
  db.query(sql`delete from op.provider_leases where provider_id = any(${[...ids]}::bigint[])`);
