// Stores refusals without a principal: no valid key (401) or unknown model (404), by replica and
// minute (specification, "Usage event").

import { sql } from '@databases/pg';
import type { Queryable } from '@databases/pg';
import { z } from 'zod';

import type { Database } from '../pool.ts';
import { integer, readRow } from '../rows.ts';

/** Counted by a replica since it started. */
export type UnattributedCounts = Readonly<{ unauthenticated: number; modelNotFound: number }>;

export type UnattributedReport = UnattributedCounts & Readonly<{ replica: string; at: Date }>;

const lastReport = z.object({ unauthenticated: integer, model_not_found: integer });

/**
 * Adds the increase since the replica's last report to the current minute. The last report is
 * stored in the database, because the next may reach another control replica. A lower count means
 * that the replica has restarted.
 */
export const addUnattributed = (db: Database, report: UnattributedReport): Promise<void> =>
  db.tx(async (tx) => {
    const { replica, at, unauthenticated, modelNotFound } = report;
    await tx.query(sql`
      insert into op.refused_reports (replica, unauthenticated, model_not_found, reported_at)
      values (${replica}, 0, 0, ${at.toISOString()}::timestamptz)
      on conflict (replica) do nothing`);
    const last = await readRow(tx, lastReport)`
      select unauthenticated, model_not_found from op.refused_reports
      where replica = ${replica} for update`;
    await tx.query(sql`
      update op.refused_reports set unauthenticated = ${unauthenticated},
        model_not_found = ${modelNotFound}, reported_at = ${at.toISOString()}::timestamptz
      where replica = ${replica}`);
    const isRestarted =
      unauthenticated < (last?.unauthenticated ?? 0) ||
      modelNotFound < (last?.model_not_found ?? 0);
    const fresh = {
      unauthenticated: unauthenticated - (isRestarted ? 0 : (last?.unauthenticated ?? 0)),
      modelNotFound: modelNotFound - (isRestarted ? 0 : (last?.model_not_found ?? 0)),
    };
    if (fresh.unauthenticated + fresh.modelNotFound === 0) return;
    await tx.query(sql`
      insert into op.refused_unattributed as held
        (minute, replica, unauthenticated, model_not_found)
      values (date_trunc('minute', ${at.toISOString()}::timestamptz), ${replica},
        ${fresh.unauthenticated}, ${fresh.modelNotFound})
      on conflict (minute, replica) do update set
        unauthenticated = held.unauthenticated + excluded.unauthenticated,
        model_not_found = held.model_not_found + excluded.model_not_found`);
  });

/**
 * Turns minutes before the horizon into hours without a replica, and deletes replicas whose counts
 * have not changed since.
 */
export async function foldUnattributed(
  db: Queryable,
  { horizon, forgotten }: Readonly<{ horizon: Date; forgotten: Date }>,
): Promise<void> {
  const before = horizon.toISOString();
  await db.query(sql`
    with gone as (
      delete from op.refused_unattributed
      where minute < ${before}::timestamptz and replica <> '' returning *
    )
    insert into op.refused_unattributed as held (minute, replica, unauthenticated, model_not_found)
    select date_trunc('hour', minute at time zone 'UTC') at time zone 'UTC', '',
      sum(unauthenticated), sum(model_not_found)
    from gone group by 1
    on conflict (minute, replica) do update set
      unauthenticated = held.unauthenticated + excluded.unauthenticated,
      model_not_found = held.model_not_found + excluded.model_not_found`);
  await db.query(
    sql`delete from op.refused_reports where reported_at < ${forgotten.toISOString()}::timestamptz`,
  );
}
