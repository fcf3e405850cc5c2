// Rows of the audit log, page by page: the newest so many, or all of them.

import { listAudit } from '../../api/audit.ts';
import type { AuditRow } from '../../api/audit.ts';
import type { AuditQuery } from '../../lib/audit.ts';

const pageRows = 1_000;

/** The newest `wanted` rows that fit, or as many as there are. */
export async function newestRows(
  query: AuditQuery,
  { wanted, signal }: Readonly<{ wanted: number; signal?: AbortSignal }>,
): Promise<readonly AuditRow[]> {
  const rows: AuditRow[] = [];
  while (rows.length < wanted) {
    const limit = Math.min(pageRows, wanted - rows.length);
    const { body } = await listAudit({ ...query, limit, before: rows.at(-1)?.id }, signal);
    rows.push(...body);
    if (body.length < limit) break;
  }
  return rows;
}
