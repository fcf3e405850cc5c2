// The snapshot versions: one row a command that touched the snapshot, with the hash of the configuration it made.

import { touchesSnapshot } from '../../events/catalogue.ts';
import { snapshotSchemaVersion } from '../../src/snapshot/schema.ts';
import { rfc3339 } from './table.ts';
import type { JournalTable } from './table.ts';

export const snapshotVersions: JournalTable = {
  name: 'snapshot_versions',
  version: 2,
  columns: {
    version: 'bigint not null',
    tx_id: 'uuid not null',
    snapshot_schema: 'bigint not null',
    content_hash: 'text not null',
    changed: 'jsonb not null',
    created_at: 'timestamptz not null',
  },
  primaryKey: ['version'],
  rows: ({ events, state, contentHash }) => {
    const touching = events.filter((event) => touchesSnapshot(event.type));
    if (touching.length === 0) return [];
    return [
      {
        version: state.version,
        tx_id: events[0].txId,
        snapshot_schema: snapshotSchemaVersion,
        content_hash: contentHash,
        changed: JSON.stringify([...new Set(touching.map((event) => event.stream))]),
        created_at: rfc3339(events[0].recordedAt),
      },
    ];
  },
};
