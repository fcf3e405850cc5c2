// Defines the table of change requests, and of changes made without one. Titles and calls stay in
// the vault; rows contain their refs.

import { sql } from '@databases/pg';
import type { Queryable, SQLQuery } from '@databases/pg';
import { z } from 'zod';

import { failureCause, storedDraft } from '../../events/change-request.ts';
import { idents, rowOf } from '../../src/db/columns.ts';
import { integer, readRow, readRows, readValue, text } from '../../src/db/rows.ts';
import { changeRequestId, principalId } from '../../src/lib/ids.ts';
import type { ChangeRequestId } from '../../src/lib/ids.ts';
import { changeRequestState } from '../../src/lib/vocabulary.ts';
import type { ChangeRequestState } from '../../src/lib/vocabulary.ts';
import type { ChangeRequest } from '../config/change-request.ts';
import type { Page } from './page.ts';
import { rfc3339 } from './table.ts';
import type { EntityTable, Row } from './table.ts';

export const changeRequests = {
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
    return request === undefined ? [] : [requestRow(request)];
  },
} satisfies EntityTable;

function requestRow(request: ChangeRequest): Row {
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

/** For a change made without a request, `digest` is null and `calls` is empty. */
const changeRequestRow = rowOf(changeRequests.columns).extend({
  id: changeRequestId,
  state: changeRequestState,
  author_id: principalId.nullable(),
  kinds: storedDraft.shape.kinds,
  calls: storedDraft.shape.calls,
  approvals: z.array(z.object({ by: principalId, at: text })).readonly(),
  failure: z.object({ cause: failureCause, messageRef: text, at: text }).nullable(),
  ended_by: principalId.nullable(),
});
export type ChangeRequestRow = Readonly<z.output<typeof changeRequestRow>>;

/** A null condition does not filter. */
export type ChangeRequestFilter = Readonly<{
  state: ChangeRequestState | null;
  authorId: number | null;
}>;

const columns = idents(Object.keys(changeRequests.columns));

const meeting = ({ state, authorId }: ChangeRequestFilter): SQLQuery => sql`
  (${state}::text is null or state = ${state})
  and (${authorId}::bigint is null or author_id = ${authorId})`;

type Ordered = Page<number> & Readonly<{ order: 'asc' | 'desc' }>;

export const listChangeRequests = (
  db: Queryable,
  filter: ChangeRequestFilter,
  { after, limit, order }: Ordered,
): Promise<ChangeRequestRow[]> =>
  readRows(db, changeRequestRow)`
    select ${columns} from change_requests
    where ${meeting(filter)} and (${after}::bigint is null
      or id ${order === 'asc' ? sql`>` : sql`<`} ${after})
    order by id ${order === 'asc' ? sql`asc` : sql`desc`} limit ${limit}`;

export async function countChangeRequests(
  db: Queryable,
  filter: ChangeRequestFilter,
): Promise<number> {
  const requests = await readValue(db, integer)`
    select count(*) from change_requests where ${meeting(filter)}`;
  return requests ?? 0;
}

export const readChangeRequest = (
  db: Queryable,
  id: ChangeRequestId,
): Promise<ChangeRequestRow | null> =>
  readRow(db, changeRequestRow)`select ${columns} from change_requests where id = ${id}`;
