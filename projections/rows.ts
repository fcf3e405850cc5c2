// Computes the table rows that result from commands, as data: the pure half of read-model.ts.

import { parseStream } from '../events/catalogue.ts';
import type { RecordedEvent } from '../events/catalogue.ts';
import type { Noun } from '../events/nouns.ts';
import type { Principal } from './config/principal.ts';
import { sliceOf } from './config/slice.ts';
import { applyEvent, closeDraft, openDraft } from './config/state.ts';
import type { ConfigState, Draft } from './config/state.ts';
import { closeContent, draftHashText, moveContent, openContent } from './content-hash.ts';
import type { ContentHash } from './content-hash.ts';
import { entityTables, journalTables } from './tables/all.ts';
import { rfc3339 } from './tables/table.ts';
import type { EntityTable, JournalTable, Row } from './tables/table.ts';

export type Cursor = Readonly<{ state: ConfigState; content: ContentHash }>;

/** In an entity table, the rows of `owners` are deleted first. */
export type TableWrite = Readonly<{
  table: EntityTable | JournalTable;
  owners: readonly number[];
  rows: readonly Row[];
}>;

export type PageDraft = Readonly<{
  take: (commands: readonly CommandEvents[]) => void;
  /** Nothing may be added afterwards. */
  close: () => { after: Cursor; writes: TableWrite[] };
}>;

/** If no one reads the tables during a rebuild, entity tables are written once at the end. */
export type PageTables = 'all' | 'journals';

/** Behind `cursor`. */
export function openPage(cursor: Cursor, tables: PageTables = 'all'): PageDraft {
  const draft = openDraft(cursor.state);
  const touched: Touched = new Map();
  const added = new Map<JournalTable, Row[]>(journalTables.map((table) => [table, []]));
  const content = openContent(cursor.content);
  const takeOne = (events: CommandEvents): void => {
    const actor = actorOf(draft, events);
    for (const event of events) applyEvent(draft, event);
    const state = closeDraft(draft);
    moveContent(
      content,
      state,
      events.map((event) => event.stream),
    );
    const change = {
      events,
      at: rfc3339(events[0].recordedAt),
      state,
      actor,
      contentHash: draftHashText(content),
    };
    for (const [table, rows] of added) rows.push(...table.rows(change));
    if (tables === 'all') touch(touched, events);
  };
  return {
    take: (commands) => {
      for (const events of commands) takeOne(events);
    },
    close: () => {
      const state = closeDraft(draft);
      const journals = [...added].map(([table, rows]) => ({ table, owners: [], rows }));
      const after = { state, content: closeContent(content) };
      return { after, writes: [...entityWrites(state, touched), ...journals] };
    },
  };
}

export function writesOf(
  cursor: Cursor,
  commands: readonly CommandEvents[],
): { after: Cursor; writes: TableWrite[] } {
  const page = openPage(cursor);
  page.take(commands);
  return page.close();
}

/** The state before the command, because it may rename or delete its actor. */
function actorOf(draft: Draft, [{ metadata }]: CommandEvents): Principal | null {
  const id = metadata.actor.principal_id;
  return id === null ? null : (sliceOf(draft.principal).byId.get(id) ?? null);
}

/** By noun. True if the entity had no rows before. */
type Touched = Map<Noun, Map<number, boolean>>;

function touch(touched: Touched, events: readonly RecordedEvent[]): void {
  for (const event of events) {
    const { noun, id } = parseStream(event.stream);
    const ids = touched.get(noun) ?? new Map<number, boolean>();
    touched.set(noun, ids);
    if (!ids.has(id)) ids.set(id, event.version === 1);
  }
}

/** New entities need no deletion first. */
const entityWrites = (state: ConfigState, touched: Touched): TableWrite[] =>
  entityTables.flatMap((table) => {
    const ids = touched.get(table.noun);
    if (ids === undefined) return [];
    return {
      table,
      owners: [...ids].filter(([, isNew]) => !isNew).map(([id]) => id),
      rows: [...ids.keys()].flatMap((id) => table.rows(state, id)),
    };
  });

export function* presentWrites(state: ConfigState): Generator<TableWrite> {
  for (const table of entityTables) {
    const ids = [...state[table.noun].byId.keys()];
    yield { table, owners: [], rows: ids.flatMap((id) => table.rows(state, id)) };
  }
}

/** In order. */
export type CommandEvents = readonly [RecordedEvent, ...RecordedEvent[]];

/** The events of an incomplete last command are in `rest`. */
export function splitCommands(events: readonly RecordedEvent[]): {
  commands: CommandEvents[];
  rest: readonly RecordedEvent[];
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
