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

/**
 * Refreshes leases in one statement; answers whose lease there was. It holds them in the order of their providers, as all do that
 * write several: two never wait for each other.
 */
export async function refreshLeases(
  db: Queryable,
  leases: readonly Lease[],
): Promise<ReadonlySet<ProviderId>> {
  const ids = leases.map(({ providerId }) => providerId);
  const rows: { id: ProviderId }[] = await db.query(sql`
    with held as (
      select provider_id from op.provider_leases where provider_id = any(${ids}::bigint[])
      order by provider_id for update
    ), given as (
      select * from unnest(
        ${ids}::bigint[],
        ${leases.map(({ ttlSeconds }) => ttlSeconds)}::bigint[],
        ${leases.map(({ expiresAt }) => expiresAt)}::timestamptz[]
      ) given (provider_id, ttl_seconds, lease_expires_at)
    )
    update op.provider_leases lease
    set ttl_seconds = given.ttl_seconds, lease_expires_at = given.lease_expires_at
    from held join given using (provider_id)
    where lease.provider_id = held.provider_id
    returning lease.provider_id as id`);
  return new Set(rows.map(({ id }) => id));
}

/** Makes a lease, or refreshes the one there is. */
export async function writeLease(db: Queryable, lease: Lease): Promise<void> {
  await operations.provider_leases(db).insertOrUpdate(['provider_id'], {
    provider_id: lease.providerId,
    ttl_seconds: lease.ttlSeconds,
    lease_expires_at: lease.expiresAt,
  });
}

/** No lease that had not lapsed at `since` ends sooner than its whole length from `now`. */
export const renewLeases = (
  db: Queryable,
  { since, now }: Readonly<{ since: Date; now: Date }>,
): Promise<unknown> =>
  db.query(sql`
    with held as (
      select provider_id from op.provider_leases where lease_expires_at > ${since}
      order by provider_id for update
    )
    update op.provider_leases lease
    set lease_expires_at =
      greatest(lease_expires_at, ${now}::timestamptz + make_interval(secs => ttl_seconds))
    from held where lease.provider_id = held.provider_id`);

export const endLeases = (db: Queryable, ids: readonly ProviderId[]): Promise<unknown> =>
  db.query(sql`delete from op.provider_leases where provider_id = any(${[...ids]}::bigint[])`);
