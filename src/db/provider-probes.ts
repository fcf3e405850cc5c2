// What the sweep last found of each provider, in the database.

import { sql } from '@databases/pg';
import type { Queryable } from '@databases/pg';
import { z } from 'zod';

import { providerId } from '../lib/ids.ts';
import type { ProviderId } from '../lib/ids.ts';
import { readRows, text, time } from './rows.ts';

/** `failingSince` and `reason` are null together: all was well at the last sweep. */
const probe = z.object({
  providerId,
  lastSeenAt: time.nullable(),
  failingSince: time.nullable(),
  reason: text.nullable(),
});
export type Probe = Readonly<z.output<typeof probe>>;

/** What was found of these providers; one that no sweep has met yet is not among them. */
export async function readProbes(
  db: Queryable,
  ids: readonly ProviderId[],
): Promise<ReadonlyMap<ProviderId, Probe>> {
  const rows = await readRows(db, probe)`
    select provider_id as "providerId", last_seen_at as "lastSeenAt",
      failing_since as "failingSince", reason
    from op.provider_probes where provider_id = any(${[...ids]}::bigint[])`;
  return new Map(rows.map((row) => [row.providerId, row]));
}

/**
 * One statement for all of them: a sweep writes what it found once. A provider that was seen meanwhile, by a beat of its agent, is left as
 * it was seen.
 */
export async function writeProbes(db: Queryable, probes: readonly Probe[]): Promise<void> {
  if (probes.length === 0) return;
  const column = <Value>(read: (probe: Probe) => Value): Value[] => probes.map(read);
  await db.query(sql`
    insert into op.provider_probes (provider_id, last_seen_at, failing_since, reason)
    select * from unnest(
      ${column(({ providerId }) => providerId)}::bigint[],
      ${column(({ lastSeenAt }) => lastSeenAt)}::timestamptz[],
      ${column(({ failingSince }) => failingSince)}::timestamptz[],
      ${column(({ reason }) => reason)}::text[])
    on conflict (provider_id) do update set last_seen_at = excluded.last_seen_at,
      failing_since = excluded.failing_since, reason = excluded.reason
    where coalesce(op.provider_probes.last_seen_at, '-infinity')
      <= coalesce(excluded.last_seen_at, '-infinity')`);
}

/** The absence of these providers counts from `now` on, where it counts at all. */
export const countAbsenceAnew = (
  db: Queryable,
  { ids, now }: Readonly<{ ids: readonly ProviderId[]; now: Date }>,
): Promise<unknown> =>
  db.query(sql`
    update op.provider_probes set failing_since = ${now}
    where failing_since is not null and provider_id = any(${[...ids]}::bigint[])`);

export const forgetProbes = (db: Queryable, ids: readonly ProviderId[]): Promise<unknown> =>
  db.query(sql`delete from op.provider_probes where provider_id = any(${[...ids]}::bigint[])`);
