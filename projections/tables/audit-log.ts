// The audit log: one row a command, written with it (specification, "Audit event"). It names the actor as it was called then.

import { sql } from '@databases/pg';
import type { Queryable } from '@databases/pg';

import { rfc3339 } from './table.ts';
import type { Change, JournalTable, Row } from './table.ts';

export const auditLog: JournalTable = {
  name: 'audit_log',
  version: 2,
  columns: {
    // The position of the command's last event: the keyset of `before`.
    id: 'bigint not null',
    tx_id: 'uuid not null',
    at: 'timestamptz not null',
    actor_kind: 'text not null',
    actor_id: 'bigint',
    actor_name: 'text',
    actor_name_ref: 'uuid',
    action: 'text not null',
    target: 'text not null',
    command: 'text not null',
    stream: 'text not null',
    request_id: 'text not null',
    reason_ref: 'uuid',
    first_position: 'bigint not null',
    event_count: 'bigint not null',
  },
  primaryKey: ['id'],
  unique: [['tx_id']],
  indexes: [['actor_id', 'id'], ['at']],
  rows: (change) => [auditRow(change)],
};

function auditRow({ events, actor }: Change): Row {
  const [first] = events;
  const { metadata } = first;
  const actorId = metadata.actor.principal_id;
  return {
    id: first.position + events.length - 1,
    tx_id: first.txId,
    at: rfc3339(first.recordedAt),
    actor_kind: metadata.actor.kind,
    actor_id: actorId,
    actor_name: actorId === null ? metadata.actor.kind : (actor?.name.text ?? null),
    actor_name_ref: actor?.name.ref ?? null,
    action: metadata.action,
    target: metadata.target,
    command: metadata.command,
    stream: first.stream,
    request_id: metadata.request_id,
    reason_ref: metadata.reason_ref,
    first_position: first.position,
    event_count: events.length,
  };
}

export type AuditRow = Readonly<{
  id: number;
  at: Date;
  actor_id: number | null;
  actor_name: string | null;
  actor_name_ref: string | null;
  action: string;
  target: string;
  command: string;
}>;

export type AuditFilter = Readonly<{
  limit: number;
  /** The id of the oldest row held. */
  before: number | null;
  actorId: number | null;
  /** A case-insensitive part of the target. */
  target: string | null;
  /** RFC 3339. */
  since: string | null;
}>;

/** The newest rows first. */
export const listAudit = (db: Queryable, filter: AuditFilter): Promise<AuditRow[]> =>
  db.query(sql`
    select id, at, actor_id, actor_name, actor_name_ref, action, target, command
    from audit_log
    where (${filter.before}::bigint is null or id < ${filter.before})
      and (${filter.actorId}::bigint is null or actor_id = ${filter.actorId})
      and (${filter.target}::text is null
        or position(lower(${filter.target}) in lower(target collate "default")) > 0)
      and (${filter.since}::timestamptz is null or at >= ${filter.since}::timestamptz)
    order by id desc limit ${filter.limit}`);
