// Reads snapshot versions for the history: authors, changes, the configuration of one and the
// difference between two. Contains no credential or verifier, nor a ref to one.

import type { Queryable } from '@databases/pg';

import type { ConfigState } from '../../../projections/config/state.ts';
import type { Difference } from '../../../projections/diff.ts';
import { shownDifference } from '../../../projections/shown-difference.ts';
import type { ShownDifference } from '../../../projections/shown-difference.ts';
import { snapshotConfig } from '../../../projections/snapshot.ts';
import {
  listSnapshotVersions,
  readSnapshotVersion,
} from '../../../projections/tables/snapshot-versions.ts';
import type {
  SnapshotVersionRow,
  VersionFilter,
} from '../../../projections/tables/snapshot-versions.ts';
import type { Vault } from '../../db/vault.ts';
import type { SnapshotConfig } from '../../snapshot/schema.ts';
import { withWords } from './change-words.ts';
import type { ChangeWords } from './change-words.ts';
import { commandsOf } from './commands.ts';
import type { HistoryCommand } from '../../../projections/history-command.ts';

type Dependencies = Readonly<{ db: Queryable; vault: Pick<Vault, 'reveal'> }>;

export type HistoryVersion = Readonly<{
  version: number;
  created_at: string;
  snapshot_schema: number;
  /** 64 hex digits over the configuration. */
  content_hash: string;
  /** As `<kind>-<id>`. */
  changed: readonly string[];
  made_by: (Omit<HistoryCommand, 'stream'> & ChangeWords) | null;
}>;

export async function historyVersions(
  dependencies: Dependencies,
  filter: VersionFilter,
): Promise<HistoryVersion[]> {
  const rows = await listSnapshotVersions(dependencies.db, filter);
  return toVersions(dependencies, rows);
}

export async function historyVersion(
  dependencies: Dependencies,
  version: number,
): Promise<HistoryVersion | null> {
  const row = await readSnapshotVersion(dependencies.db, version);
  const [held = null] = row === null ? [] : await toVersions(dependencies, [row]);
  return held;
}

async function toVersions(
  dependencies: Dependencies,
  rows: readonly SnapshotVersionRow[],
): Promise<HistoryVersion[]> {
  const commands = await commandsOf(
    dependencies,
    rows.map((row) => row.tx_id),
  );
  const described = await withWords(dependencies, [...commands.values()]);
  const made = new Map(described.map((one) => [one.tx_id, one]));
  return rows.map(({ tx_id, created_at, ...row }) => ({
    ...row,
    created_at: created_at.toISOString(),
    made_by: made.get(tx_id) ?? null,
  }));
}

/** Omits the refs to secrets. */
export function redactedConfig(state: ConfigState) {
  const config: SnapshotConfig = snapshotConfig(state);
  return {
    ...config,
    api_keys: config.api_keys.map(({ verifier_ref: _ref, ...key }) => key),
    providers: config.providers.map(withoutRef),
  };
}

function withoutRef({ credential_ref: ref, ...provider }: SnapshotConfig['providers'][number]) {
  return { ...provider, has_credential: ref !== null };
}

export async function shownDifferences(
  { db, vault }: Dependencies,
  differences: readonly Difference[],
): Promise<ShownDifference[]> {
  const values = differences.flatMap(({ name, fields }) => [
    name,
    ...fields.flatMap(({ before, after }) => [before, after]),
  ]);
  const refs = values.flatMap((value) =>
    value !== null && 'personal' in value ? [value.personal] : [],
  );
  const texts = await vault.reveal(db, [...new Set(refs)]);
  return differences.map((one) => shownDifference(one, (ref) => texts.get(ref) ?? null));
}
