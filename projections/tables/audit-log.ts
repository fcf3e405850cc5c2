// Defines the audit log: one row per command, written in its transaction (specification, "Audit
// event"), with the actor's name at that time.

import { sql } from '@databases/pg';
import type { Queryable, SQLQuery } from '@databases/pg';
import { z } from 'zod';

import { eventMetadata } from '../../events/event.ts';
import type { EventMetadata } from '../../events/event.ts';
import { idents, rowOf } from '../../src/db/columns.ts';
import { readRows, text } from '../../src/db/rows.ts';
import type { Change, JournalTable, Row } from './table.ts';

export const auditLog = {
  name: 'audit_log',
  version: 3,
  columns: {
    // The position of the command's last event: the keyset of `before`.
    id: 'bigint not null',
    tx_id: 'uuid not null',
    at: 'timestamptz not null',
    actor_kind: 'text not null',
    actor_id: 'bigint',
    actor_token_id: 'bigint',
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
  indexes: [
    ['actor_id', 'id'],
    ['actor_kind', 'id'],
    ['command', 'id'],
    ['request_id', 'id'],
    ['at'],
  ],
  rows: (change) => [auditRow(change)],
} satisfies JournalTable;

function auditRow({ events, at, actor }: Change): Row {
  const [first] = events;
  const { metadata } = first;
  const actorId = metadata.actor.principal_id;
  return {
    id: first.position + events.length - 1,
    tx_id: first.txId,
    at,
    actor_kind: metadata.actor.kind,
    actor_id: actorId,
    actor_token_id: metadata.actor.token_id ?? null,
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

/** A null condition does not filter. Times are RFC 3339; `until` is exclusive. */
export type AuditFilter = Readonly<{
  limit: number;
  /** Both ids are exclusive. */
  before: number | null;
  after: number | null;
  order: 'asc' | 'desc';
  actorId: number | null;
  actorKind: ActorKind | null;
  action: string | null;
  /** Case-insensitive substring. */
  target: string | null;
  since: string | null;
  until: string | null;
}>;

type ActorKind = EventMetadata['actor']['kind'];

export const listAudit = (db: Queryable, filter: AuditFilter): Promise<CommandRow[]> =>
  readRows(db, commandRow)`
    select ${commandColumns} from audit_log
    where (${filter.before}::bigint is null or id < ${filter.before})
      and (${filter.after}::bigint is null or id > ${filter.after})
      and (${filter.actorId}::bigint is null or actor_id = ${filter.actorId})
      and (${filter.actorKind}::text is null or actor_kind = ${filter.actorKind})
      and (${filter.action}::text is null or action = ${filter.action})
      and (${filter.target}::text is null
        or position(lower(${filter.target}) in lower(target collate "default")) > 0)
      and (${filter.since}::timestamptz is null or at >= ${filter.since}::timestamptz)
      and (${filter.until}::timestamptz is null or at < ${filter.until}::timestamptz)
    order by id ${direction(filter)} limit ${filter.limit}`;

const direction = ({ order }: Readonly<{ order: 'asc' | 'desc' }>): SQLQuery =>
  order === 'asc' ? sql`asc` : sql`desc`;

/** `reason_ref` and `actor_name_ref` reference the vault. */
const commandRow = rowOf(auditLog.columns).extend({
  actor_kind: eventMetadata.shape.actor.shape.kind,
});
export type CommandRow = Readonly<z.output<typeof commandRow>>;

/** A null or absent condition does not filter. Times are RFC 3339; `to` is exclusive. */
export type CommandFilter = Readonly<{
  actorId: number | null;
  actorKind?: ActorKind | null;
  /** The name of the command, and the id of the request. */
  command?: string | null;
  requestId?: string | null;
  /** Selects commands with an event of this stream or type. */
  stream: string | null;
  from: string | null;
  to: string | null;
  /** The last id already read, in the requested order. */
  after: number | null;
  order: 'asc' | 'desc';
  limit: number;
}>;

/** By the position of the last event. */
export const listCommands = (db: Queryable, filter: CommandFilter): Promise<CommandRow[]> =>
  readRows(db, commandRow)`
    select ${commandColumns} from audit_log
    where (${filter.actorId}::bigint is null or actor_id = ${filter.actorId})
      and (${filter.actorKind ?? null}::text is null or actor_kind = ${filter.actorKind ?? null})
      and (${filter.command ?? null}::text is null or command = ${filter.command ?? null})
      and (${filter.requestId ?? null}::text is null or request_id = ${filter.requestId ?? null})
      and (${filter.stream}::text is null or tx_id in (
        select events.tx_id from es.events where events.stream = ${filter.stream}))
      and (${filter.from}::timestamptz is null or at >= ${filter.from}::timestamptz)
      and (${filter.to}::timestamptz is null or at < ${filter.to}::timestamptz)
      and ${behind(filter)}
    order by id ${direction(filter)} limit ${filter.limit}`;

export const transactionsOf = (requestId: string): SQLQuery =>
  sql`select tx_id from audit_log where request_id = ${requestId}`;

const commandColumns = idents(Object.keys(auditLog.columns));

const behind = ({ after, order }: CommandFilter): SQLQuery =>
  order === 'asc'
    ? sql`(${after}::bigint is null or id > ${after})`
    : sql`(${after}::bigint is null or id < ${after})`;

const givenReason = z.object({ ref: text, subject: text });

/**
 * The vault items with reasons and change request titles that a principal wrote: not erased yet,
 * oldest first. `subject` is a stream.
 */
export const listReasons = (
  db: Queryable,
  { actorId, limit }: Readonly<{ actorId: number; limit: number }>,
) =>
  readRows(db, givenReason)`
    select ref, subject from (
      select id, reason_ref as ref from audit_log where actor_id = ${actorId}
      union all
      select id, coalesce(payload ->> 'title_ref', payload ->> 'why_ref')::uuid
      from audit_log join es.events using (tx_id)
      where actor_id = ${actorId}
        and type in ('ChangeRequestDrafted', 'ChangeRequestEdited', 'ChangeMadeUnapproved')
    ) given join vault.items using (ref)
    where body is not null group by ref, subject order by min(id), ref limit ${limit}`;

export const readCommands = (db: Queryable, txIds: readonly string[]): Promise<CommandRow[]> =>
  readRows(db, commandRow)`
    select ${commandColumns} from audit_log where tx_id = any(${[...txIds]}::uuid[])`;
