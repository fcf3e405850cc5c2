// Stores the reports of comparisons of a bill with the ledger.

import { sql } from '@databases/pg';
import type { Queryable } from '@databases/pg';
import { z } from 'zod';

import { integer, readRow, readRows, text, time } from '../rows.ts';

const reportRow = z.object({
  id: text,
  created_at: time,
  principal_id: integer.nullable(),
  /** Another release may have written another format. */
  report: z.unknown(),
});
export type ReportRow = Readonly<z.output<typeof reportRow>>;

const wholeReportRow = reportRow.extend({ differences: z.unknown() });
export type WholeReportRow = Readonly<z.output<typeof wholeReportRow>>;

/** Older ones are deleted. */
export const reportsKept = 200;

export async function insertReport(db: Queryable, row: WholeReportRow): Promise<void> {
  const { id, created_at: at, principal_id: by } = row;
  await db.query(sql`
    insert into op.bill_reconciliations (id, created_at, principal_id, report, differences)
    values (${id}, ${at}, ${by}, ${JSON.stringify(row.report)}::jsonb,
      ${JSON.stringify(row.differences)}::jsonb)`);
  await db.query(sql`
    delete from op.bill_reconciliations where id in (
      select id from op.bill_reconciliations
      order by created_at desc, id desc offset ${reportsKept})`);
}

/** Newest first. */
export const listReports = (db: Queryable): Promise<ReportRow[]> =>
  readRows(db, reportRow)`
    select id, created_at, principal_id, report from op.bill_reconciliations
    order by created_at desc, id desc limit ${reportsKept}`;

export const readReport = (db: Queryable, id: string): Promise<WholeReportRow | null> =>
  readRow(db, wholeReportRow)`
    select id, created_at, principal_id, report, differences
    from op.bill_reconciliations where id = ${id}::uuid`;
