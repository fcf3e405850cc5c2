// Compares the sums of rolled-up usage with their control totals.

import { sql } from '@databases/pg';
import type { Queryable } from '@databases/pg';
import { z } from 'zod';

import { integer, readRow, readRows, text } from '../../rows.ts';
import { appliedCorrections } from '../usage-amounts.ts';
import { foldTotals } from '../usage-rollups.ts';

const strayDay = z.object({ day: text, hours: integer, folded: integer });

/** Days whose hours do not add up to what was rolled up: the requests of both. */
export const strayDays = (db: Queryable) =>
  readRows(db, strayDay)`
    select to_char(day, 'YYYY-MM-DD') as day, coalesce(hours.requests, 0)::bigint as hours,
      coalesce(folded.requests, 0)::bigint as folded
    from (${foldTotals(sql`op.usage_hours`)}) hours full join op.usage_fold_totals folded using (day)
    where (hours.requests, hours.prompt_tokens, hours.completion_tokens, hours.amounts)
      is distinct from
      (folded.requests, folded.prompt_tokens, folded.completion_tokens, folded.amounts)
    order by day`;

const rolledUp = z.object({ requests: integer, numbered: integer, folded: integer });

/** Rolled-up requests: all, those with a number, and the numbers that were rolled up. */
export const rolledUpCounts = async (db: Queryable): Promise<z.output<typeof rolledUp>> =>
  (await readRow(db, rolledUp)`
    select coalesce(sum(requests), 0)::bigint as requests,
      coalesce(sum(numbered_requests), 0)::bigint as numbered,
      (select coalesce(sum(upper(one) - lower(one)), 0)
        from op.usage_runs, unnest(folded) one)::bigint as folded
    from op.usage_hours`) ?? { requests: 0, numbered: 0, folded: 0 };

const strayCorrection = z.object({ usage_id: text, reprice_id: integer });

/** Gives all statements of the transaction one state of the database. */
export async function readOneState(tx: Queryable): Promise<void> {
  await tx.query(sql`set transaction isolation level repeatable read, read only`);
}

/** Corrections of rows that are not in the ledger. */
export const strayCorrections = (db: Queryable, limit: number) =>
  readRows(db, strayCorrection)`
    select c.usage_id, c.reprice_id from ${appliedCorrections}
    where not exists (
      select from op.usage_events held where held.id = c.usage_id and held.at = c.at)
    order by c.at, c.usage_id limit ${limit}`;
