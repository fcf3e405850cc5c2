// Serves the audit log, newest first: who changed what (specification, "Audit event").

import { z } from 'zod';

import { eventMetadata } from '../../../events/event.ts';
import { auditLog, listAudit } from '../../../projections/tables/audit-log.ts';
import type { CommandRow } from '../../../projections/tables/audit-log.ts';
import { countUpTo } from '../../../projections/tables/page.ts';
import { withWords } from '../../control/history/change-words.ts';
import type { ChangeWords } from '../../control/history/change-words.ts';
import { timestamp, timestampField } from '../../lib/fields.ts';
import { changeWords } from './change-words.ts';
import { limitQuery, wholeNumber } from '../http/fields.ts';
import { historyPage } from './history-page.ts';
import type { HistoryNeeds } from './needs.ts';
import { none, route } from '../http/route.ts';

const auditRecord = z.object({
  id: z.int(),
  at: timestamp,
  actor_id: z.int().nullable(),
  actor_name: z.string().nullable(),
  token_id: z.int().nullable(),
  /** HTTP method, or CLI. */
  action: z.string(),
  target: z.string(),
  ...changeWords,
});

export const auditRoutes = [
  route({
    method: 'GET',
    path: '/admin/audit',
    operation: 'listAudit',
    permission: 'usage:read',
    summary: 'List changes, newest first; `before` takes the id of the last row',
    refusals: [],
    params: none,
    query: z.strictObject({
      limit: limitQuery({ standard: 100 }),
      before: wholeNumber({ from: 1 }).optional(),
      /** Use with order=asc. */
      after: wholeNumber({ from: 0 }).optional(),
      order: z.enum(['asc', 'desc']).default('desc'),
      actor_id: wholeNumber({ from: 1 }).optional(),
      actor_kind: eventMetadata.shape.actor.shape.kind.optional(),
      action: z.string().max(64).optional(),
      /** Case-insensitive substring of the target. */
      target: z.string().max(300).optional(),
      since: timestampField.optional(),
      /** Exclusive. */
      until: timestampField.optional(),
    }),
    body: none,
    response: z.array(auditRecord),
    handle: async ({ query }, { path }, { reports: db, vault }: HistoryNeeds) => {
      // The substring search scans every row, which with millions of rows exceeds the timeout of
      // ordinary statements.
      const conditions = {
        order: query.order,
        before: query.before ?? null,
        after: query.after ?? null,
        actorId: query.actor_id ?? null,
        actorKind: query.actor_kind ?? null,
        action: query.action ?? null,
        target: query.target ?? null,
        since: query.since ?? null,
        until: query.until ?? null,
      };
      const { rows, headers } = await historyPage({
        path,
        asked: query,
        rows: (limit) => listAudit(db, { ...conditions, limit }),
        nextQuery: ({ id }) => (query.order === 'asc' ? { after: id } : { before: id }),
        total: () => countUpTo(db, auditLog),
      });
      const refs = rows.flatMap((row) => row.actor_name_ref ?? []);
      const names = await vault.reveal(db, refs);
      const described = await withWords({ db, vault }, rows);
      return { headers, body: described.map((row) => toRecord(row, names)) };
    },
  }),
] as const;

const toRecord = (
  row: Omit<CommandRow, 'stream'> & ChangeWords,
  names: ReadonlyMap<string, string>,
) => ({
  id: row.id,
  at: row.at.toISOString(),
  actor_id: row.actor_id,
  actor_name: row.actor_name ?? names.get(row.actor_name_ref ?? '') ?? null,
  token_id: row.actor_token_id,
  action: row.action,
  target: row.target,
  summary: row.summary,
  subject: row.subject,
});
