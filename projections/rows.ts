// Which rows a run of commands leaves behind, as data: the pure half of read-model.ts.

import { parseStream } from '../events/catalogue.ts';
import type { RecordedEvent } from '../events/catalogue.ts';
import type { ConfigState } from './config/state.ts';
import type { Change, EntityTable, JournalTable, Row } from './tables/table.ts';

/** For each entity table: the owners whose rows are replaced, and their new rows. For each journal: its new rows. */
export type PageOfRows = Readonly<{
  replaced: readonly Readonly<{
    table: EntityTable;
    owners: readonly number[];
    rows: readonly Row[];
  }>[];
  added: readonly Readonly<{ table: JournalTable; rows: readonly Row[] }>[];
}>;

/** The rows of the entities in `streams`, as `state` has them. Owners that are new need no deletion first. */
export function replacedRows(
  tables: readonly EntityTable[],
  state: ConfigState,
  touched: Touched,
): PageOfRows['replaced'] {
  return tables.flatMap((table) => {
    const ids = touched.get(table.noun);
    if (ids === undefined) return [];
    return {
      table,
      owners: [...ids].filter(([, isNew]) => !isNew).map(([id]) => id),
      rows: [...ids.keys()].flatMap((id) => table.rows(state, id)),
    };
  });
}

/** By noun: the entities touched, and whether each had no row before. */
export type Touched = Map<string, Map<number, boolean>>;

/** Marks the entities that `events` touched. */
export function touch(touched: Touched, events: readonly RecordedEvent[]): void {
  for (const event of events) {
    const { noun, id } = parseStream(event.stream);
    const ids = touched.get(noun) ?? new Map<number, boolean>();
    touched.set(noun, ids);
    if (!ids.has(id)) ids.set(id, event.version === 1);
  }
}

export const journalRows = (tables: readonly JournalTable[], change: Change): Row[][] =>
  tables.map((table) => [...table.rows(change)]);

/** Splits `events` into commands. The last one may continue behind the page: `rest` holds it then. */
export function splitCommands(events: readonly RecordedEvent[]): {
  commands: [RecordedEvent, ...RecordedEvent[]][];
  rest: RecordedEvent[];
} {
  const commands: [RecordedEvent, ...RecordedEvent[]][] = [];
  for (const event of events) {
    const open = commands.at(-1);
    if (open !== undefined && open[0].txId === event.txId) open.push(event);
    else commands.push([event]);
  }
  const last = commands.at(-1);
  if (last === undefined || last.length === last[0].metadata.count) return { commands, rest: [] };
  return { commands: commands.slice(0, -1), rest: last };
}
