// The table of change requests, and of changes that were made without one. Titles and calls stay in the vault: the rows hold their refs.

import { sql } from '@databases/pg';
import type { Queryable, SQLQuery } from '@databases/pg';

import type { FailureCause } from '../../events/change-request.ts';
import type { ChangeRequestId, PrincipalId } from '../../src/lib/ids.ts';
import type { ChangeKind, ChangeRequestState } from '../../src/lib/vocabulary.ts';
import type { ChangeRequest } from '../config/change-request.ts';
import type { Page } from './page.ts';
import { rfc3339 } from './table.ts';
import type { EntityTable, Row } from './table.ts';

export const changeRequests: EntityTable = {
  name: 'change_requests',
  version: 1,
  noun: 'change_request',
  owner: 'id',
  columns: {
    id: 'bigint not null',
    state: 'text not null',
    author_id: 'bigint',
    title_ref: 'uuid not null',
    kinds: 'jsonb not null',
    event_count: 'bigint not null',
    body_ref: 'uuid',
    digest: 'text',
    calls: 'jsonb not null',
    drafted_at: 'timestamptz not null',
    approvals: 'jsonb not null',
    apply_at: 'timestamptz',
    failure: 'jsonb',
    created_at: 'timestamptz not null',
    ended_at: 'timestamptz',
    ended_by: 'bigint',
  },
  primaryKey: ['id'],
  indexes: [
    ['state', 'id'],
    ['author_id', 'id'],
  ],
  rows: (state, id) => {
    const request = state.change_request.byId.get(id);
    return request === undefined ? [] : [rowOf(request)];
  },
};

function rowOf(request: ChangeRequest): Row {
  const { draft, failure, ended, applyAt } = request;
  const approvals = request.approvals.map(({ by, at }) => ({ by, at: rfc3339(at) }));
  const failed = failure === null ? null : { ...failure, at: rfc3339(failure.at) };
  return {
    id: request.id,
    state: request.state,
    author_id: request.authorId,
    title_ref: request.titleRef,
    kinds: JSON.stringify(request.kinds),
    event_count: request.eventCount,
    body_ref: draft?.body_ref ?? null,
    digest: draft?.digest ?? null,
    calls: JSON.stringify(draft?.calls ?? []),
    drafted_at: rfc3339(request.draftedAt),
    approvals: JSON.stringify(approvals),
    apply_at: applyAt === null ? null : rfc3339(applyAt),
    failure: failed === null ? null : JSON.stringify(failed),
    created_at: rfc3339(request.createdAt),
    ended_at: ended === null ? null : rfc3339(ended.at),
    ended_by: ended?.by ?? null,
  };
}

/** `digest` and `calls` are null and none of a change that was made without a request. */
export type ChangeRequestRow = Readonly<{
  id: ChangeRequestId;
  state: ChangeRequestState;
  author_id: PrincipalId | null;
  title_ref: string;
  kinds: readonly ChangeKind[];
  event_count: number;
  body_ref: string | null;
  digest: string | null;
  calls: readonly Readonly<{ method: string; path: string }>[];
  drafted_at: Date;
  approvals: readonly Readonly<{ by: PrincipalId; at: string }>[];
  apply_at: Date | null;
  failure: Readonly<{ cause: FailureCause; messageRef: string; at: string }> | null;
  created_at: Date;
  ended_at: Date | null;
  ended_by: PrincipalId | null;
}>;

/** Null where nothing is asked. */
export type ChangeRequestFilter = Readonly<{
  state: ChangeRequestState | null;
  authorId: number | null;
}>;

const columns = sql`id, state, author_id, title_ref, kinds, event_count, body_ref, digest, calls,
  drafted_at, approvals, apply_at, failure, created_at, ended_at, ended_by`;

const meeting = ({ state, authorId }: ChangeRequestFilter): SQLQuery => sql`
  (${state}::text is null or state = ${state})
  and (${authorId}::bigint is null or author_id = ${authorId})`;

type Ordered = Page<number> & Readonly<{ order: 'asc' | 'desc' }>;

export const listChangeRequests = (
  db: Queryable,
  filter: ChangeRequestFilter,
  { after, limit, order }: Ordered,
): Promise<ChangeRequestRow[]> =>
  db.query(sql`
    select ${columns} from change_requests
    where ${meeting(filter)} and (${after}::bigint is null
      or id ${order === 'asc' ? sql`>` : sql`<`} ${after})
    order by id ${order === 'asc' ? sql`asc` : sql`desc`} limit ${limit}`);

export async function countChangeRequests(
  db: Queryable,
  filter: ChangeRequestFilter,
): Promise<number> {
  const [row]: { requests: number }[] = await db.query(
    sql`select count(*) as requests from change_requests where ${meeting(filter)}`,
  );
  return row?.requests ?? 0;
}

export async function readChangeRequest(
  db: Queryable,
  id: ChangeRequestId,
): Promise<ChangeRequestRow | null> {
  const [row]: ChangeRequestRow[] = await db.query(
    sql`select ${columns} from change_requests where id = ${id}`,
  );
  return row ?? null;
}
