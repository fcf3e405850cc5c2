// Leases of dynamic providers in the database.

import { sql } from '@databases/pg';
import type { Queryable } from '@databases/pg';

import type { ProviderId } from '../lib/ids.ts';
import { operations } from './operations.ts';

export type Lease = Readonly<{
  providerId: ProviderId;
  ttlSeconds: number;
  expiresAt: Date;
}>;

/** The leases that these providers have; one without a lease is not among them. */
export async function readLeases(
  db: Queryable,
  ids: readonly ProviderId[],
): Promise<ReadonlyMap<ProviderId, Lease>> {
  const rows: Lease[] = await db.query(sql`
    select provider_id as "providerId", ttl_seconds as "ttlSeconds",
      lease_expires_at as "expiresAt"
    from op.provider_leases where provider_id = any(${[...ids]}::bigint[])`);
  return new Map(rows.map((lease) => [lease.providerId, lease]));
}

/** Refreshes a lease; false when there is none. */
export async function refreshLease(
  db: Queryable,
  { providerId, ttlSeconds, expiresAt }: Lease,
): Promise<boolean> {
  const rows: unknown[] = await db.query(sql`
    update op.provider_leases
    set ttl_seconds = ${ttlSeconds}, lease_expires_at = ${expiresAt}
    where provider_id = ${providerId} returning 1`);
  return rows.length > 0;
}

/** Makes a lease, or refreshes the one there is. */
export async function writeLease(db: Queryable, lease: Lease): Promise<void> {
  await operations.provider_leases(db).insertOrUpdate(['provider_id'], {
    provider_id: lease.providerId,
    ttl_seconds: lease.ttlSeconds,
    lease_expires_at: lease.expiresAt,
  });
}

/** No lease ends sooner than its whole length from `now`. */
export const renewLeases = (db: Queryable, now: Date): Promise<unknown> =>
  db.query(sql`
    update op.provider_leases
    set lease_expires_at = greatest(lease_expires_at, ${now}::timestamptz + make_interval(secs => ttl_seconds))`);

export const endLeases = (db: Queryable, ids: readonly ProviderId[]): Promise<unknown> =>
  db.query(sql`delete from op.provider_leases where provider_id = any(${[...ids]}::bigint[])`);
