// Stores the last result of the sweep for each provider.

import { sql } from '@databases/pg';
import type { Queryable } from '@databases/pg';
import { z } from 'zod';

import { providerId } from '../lib/ids.ts';
import type { ProviderId } from '../lib/ids.ts';
import { readRows, text, time } from './rows.ts';

/** `failingSince` and `reason` are both null if the last sweep succeeded. */
const probe = z.object({
  providerId,
  lastSeenAt: time.nullable(),
  failingSince: time.nullable(),
  reason: text.nullable(),
});
export type Probe = Readonly<z.output<typeof probe>>;

/** Omits providers that no sweep has reached yet. */
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

/** Skips providers that were seen more recently, by a heartbeat of their agent. */
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

/** Absent providers count as absent only from `now` on. */
export const restartAbsence = (
  db: Queryable,
  { ids, now }: Readonly<{ ids: readonly ProviderId[]; now: Date }>,
): Promise<unknown> =>
  db.query(sql`
    update op.provider_probes set failing_since = ${now}
    where failing_since is not null and provider_id = any(${[...ids]}::bigint[])`);

export const forgetProbes = (db: Queryable, ids: readonly ProviderId[]): Promise<unknown> =>
  db.query(sql`delete from op.provider_probes where provider_id = any(${[...ids]}::bigint[])`);
