// Commands as the history shows them: one row a mutation, with who, when, what, why, and the snapshot versions around it.

import type { Queryable } from '@databases/pg';

import type { EventMetadata } from '../../../events/event.ts';
import { listCommands, readCommands } from '../../../projections/tables/audit-log.ts';
import type { CommandFilter, CommandRow } from '../../../projections/tables/audit-log.ts';
import { versionsAt } from '../../../projections/tables/snapshot-versions.ts';
import type { Vault } from '../../db/vault.ts';

export type HistoryCommand = Readonly<{
  /** The position of its last event. */
  id: number;
  tx_id: string;
  at: string;
  actor_kind: EventMetadata['actor']['kind'];
  actor_id: number | null;
  /** As it was called then; null when the name was erased. */
  actor_name: string | null;
  command: string;
  action: string;
  target: string;
  /** That of its first event. */
  stream: string;
  request_id: string;
  /** Null when none was given, or when it was erased. */
  reason: string | null;
  reason_erased: boolean;
  first_position: number;
  event_count: number;
  /** Equal when the command left the snapshot as it was; 0 is none. */
  version_before: number;
  version_after: number;
}>;

type Dependencies = Readonly<{ db: Queryable; vault: Pick<Vault, 'reveal'> }>;

export const historyCommands = async (
  dependencies: Dependencies,
  filter: CommandFilter,
): Promise<HistoryCommand[]> =>
  toCommands(dependencies, await listCommands(dependencies.db, filter));

/** By the id of the transaction. */
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
    const { at, actor_name, actor_name_ref, actor_token_id: _token, reason_ref, ...rest } = row;
    const reason = texts.get(reason_ref ?? '') ?? null;
    return {
      ...rest,
      at: at.toISOString(),
      actor_name: actor_name ?? texts.get(actor_name_ref ?? '') ?? null,
      reason,
      reason_erased: reason_ref !== null && reason === null,
      version_before: before[index] ?? 0,
      version_after: after[index] ?? 0,
    };
  });
}
