// Defines the table of snapshot versions: one row per command that touched the snapshot, with the
// hash of the resulting configuration.

import { sql } from '@databases/pg';
import type { Queryable } from '@databases/pg';
import { z } from 'zod';

import { touchesSnapshot } from '../../events/catalogue.ts';
import { rowOf } from '../../src/db/columns.ts';
import { integer, readRow, readRows, readValues, text } from '../../src/db/rows.ts';
import { positionsMax } from '../../src/lib/snapshot-version.ts';
import { snapshotSchemaVersion } from '../../src/snapshot/schema.ts';
import type { JournalTable } from './table.ts';

export const snapshotVersions = {
  name: 'snapshot_versions',
  version: 3,
  columns: {
    version: 'bigint not null',
    tx_id: 'uuid not null',
    snapshot_schema: 'bigint not null',
    content_hash: 'text not null',
    changed: 'jsonb not null',
    created_at: 'timestamptz not null',
  },
  primaryKey: ['version'],
  rows: ({ events, at, state, contentHash }) => {
    const touching = events.filter((event) => touchesSnapshot(event.type));
    if (touching.length === 0) return [];
    return [
      {
        version: state.version,
        tx_id: events[0].txId,
        snapshot_schema: snapshotSchemaVersion,
        content_hash: contentHash,
        changed: JSON.stringify([...new Set(touching.map((event) => event.stream))]),
        created_at: at,
      },
    ];
  },
} satisfies JournalTable;

/**
 * `content_hash` is 64 hex digits; `changed` has the streams of the entities that the version
 * changed.
 */
const snapshotVersionRow = rowOf(snapshotVersions.columns).extend({
  changed: z.array(text).readonly(),
});
export type SnapshotVersionRow = Readonly<z.output<typeof snapshotVersionRow>>;

/** Times are RFC 3339; `to` is exclusive. */
export type VersionFilter = Readonly<{
  from: string | null;
  to: string | null;
  /** Versions, both bounds exclusive; absent if not filtered. */
  before: number | null;
  after?: number | null;
  /** Newest first by default. */
  order?: 'asc' | 'desc';
  limit: number;
}>;

export const listSnapshotVersions = (
  db: Queryable,
  { from, to, before, after = null, order = 'desc', limit }: VersionFilter,
): Promise<SnapshotVersionRow[]> =>
  readRows(db, snapshotVersionRow)`
    select version, tx_id, snapshot_schema, content_hash, changed, created_at
    from snapshot_versions
    where (${from}::timestamptz is null or created_at >= ${from}::timestamptz)
      and (${to}::timestamptz is null or created_at < ${to}::timestamptz)
      and (${before}::bigint is null or version < ${before})
      and (${after}::bigint is null or version > ${after})
    order by version ${order === 'asc' ? sql`asc` : sql`desc`} limit ${limit}`;

/** Null if no snapshot has that version. */
export const readSnapshotVersion = (
  db: Queryable,
  version: number,
): Promise<SnapshotVersionRow | null> =>
  readRow(db, snapshotVersionRow)`
    select version, tx_id, snapshot_schema, content_hash, changed, created_at
    from snapshot_versions where version = ${version}`;

/** In the order of the positions; 0 before the first version. */
export const versionsAt = (
  db: Queryable,
  positions: readonly number[],
): Promise<readonly number[]> =>
  // Uses the index in each epoch: searching from the newest version down would scan all versions
  // for an old position.
  readValues(db, integer)`
    select coalesce(max(found.version), 0) as version
    from unnest(${[...positions]}::bigint[]) with ordinality as asked (position, at)
    cross join generate_series(0,
      (select coalesce(max(version), 0) / ${positionsMax}::bigint from snapshot_versions)) as epoch
    left join lateral (
      select version from snapshot_versions
      where version between epoch * ${positionsMax}::bigint
        and epoch * ${positionsMax}::bigint + asked.position
      order by version desc limit 1) found on true
    group by asked.at order by asked.at`;
