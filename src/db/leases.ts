// Stores the leases of dynamic providers.

import { sql } from '@databases/pg';
import type { Queryable } from '@databases/pg';
import { z } from 'zod';

import { providerId } from '../lib/ids.ts';
import type { ProviderId } from '../lib/ids.ts';
import { integer, readRows, readValues, time } from './rows.ts';

const lease = z.object({ providerId, ttlSeconds: integer, expiresAt: time });
export type Lease = Readonly<z.output<typeof lease>>;

/** Omits providers without a lease. */
export async function readLeases(
  db: Queryable,
  ids: readonly ProviderId[],
): Promise<ReadonlyMap<ProviderId, Lease>> {
  const rows = await readRows(db, lease)`
    select provider_id as "providerId", ttl_seconds as "ttlSeconds",
      lease_expires_at as "expiresAt"
    from op.provider_leases where provider_id = any(${[...ids]}::bigint[])`;
  return new Map(rows.map((row) => [row.providerId, row]));
}

/**
 * Returns the ids of the leases that exist. Locks them in order of provider, like every statement
 * that writes several, so that deadlocks cannot occur.
 */
export async function refreshLeases(
  db: Queryable,
  leases: readonly Lease[],
): Promise<ReadonlySet<ProviderId>> {
  const ids = leases.map(({ providerId }) => providerId);
  const refreshed = await readValues(db, providerId)`
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
    returning lease.provider_id`;
  return new Set(refreshed);
}

export async function writeLease(
  db: Queryable,
  { providerId, ttlSeconds, expiresAt }: Lease,
): Promise<void> {
  await db.query(sql`
    insert into op.provider_leases (provider_id, ttl_seconds, lease_expires_at)
    values (${providerId}, ${ttlSeconds}, ${expiresAt})
    on conflict (provider_id) do update
    set ttl_seconds = excluded.ttl_seconds, lease_expires_at = excluded.lease_expires_at`);
}

/** Extends every lease that had not lapsed at `since` to at least its full length from `now`. */
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
