// Reads mutations for the history: actor, time, changes, reason and the snapshot versions around
// each.

import type { Queryable } from '@databases/pg';

import { historyCommandOf } from '../../../projections/history-command.ts';
import type { HistoryCommand } from '../../../projections/history-command.ts';
import { listCommands, readCommands } from '../../../projections/tables/audit-log.ts';
import type { CommandFilter, CommandRow } from '../../../projections/tables/audit-log.ts';
import { versionsAt } from '../../../projections/tables/snapshot-versions.ts';
import type { Vault } from '../../db/vault.ts';

type Dependencies = Readonly<{ db: Queryable; vault: Pick<Vault, 'reveal'> }>;

export const historyCommands = async (
  dependencies: Dependencies,
  filter: CommandFilter,
): Promise<HistoryCommand[]> =>
  toCommands(dependencies, await listCommands(dependencies.db, filter));

/** By transaction id. */
export async function commandsOf(
  dependencies: Dependencies,
  txIds: readonly string[],
): Promise<ReadonlyMap<string, HistoryCommand>> {
  const rows = await readCommands(dependencies.db, txIds);
  const commands = await toCommands(dependencies, rows);
  return new Map(commands.map((command) => [command.tx_id, command]));
}

async function toCommands(
  { db, vault }: Dependencies,
  rows: readonly CommandRow[],
): Promise<HistoryCommand[]> {
  const before = await versionsAt(
    db,
    rows.map((row) => row.first_position - 1),
  );
  const after = await versionsAt(
    db,
    rows.map((row) => row.id),
  );
  const refs = rows.flatMap(({ actor_name_ref: name, reason_ref: reason }) =>
    [name, reason].filter((ref) => ref !== null),
  );
  const texts = await vault.reveal(db, [...new Set(refs)]);
  return rows.map((row, index) => {
    const reason = texts.get(row.reason_ref ?? '') ?? null;
    return historyCommandOf(row, row.at, {
      actor_name: row.actor_name ?? texts.get(row.actor_name_ref ?? '') ?? null,
      reason,
      reason_erased: row.reason_ref !== null && reason === null,
      version_before: before[index] ?? 0,
      version_after: after[index] ?? 0,
    });
  });
}
