// Lists the files of an evidence pack. Each is generated while it is written, so a pack of any size
// needs little memory. The same log gives the same bytes.

import type { Queryable } from '@databases/pg';

import { eventMetadata } from '../../events/event.ts';
import { accessChanges, accessOf } from '../../projections/access.ts';
import type { ConfigState } from '../../projections/config/state.ts';
import { listCommands } from '../../projections/tables/audit-log.ts';
import type { CommandFilter } from '../../projections/tables/audit-log.ts';
import { readStored } from '../../src/db/log/event-log.ts';
import { listErasedFacts, listServedAt, listServedFacts } from '../../src/db/log/evidence-facts.ts';
import type { ErasedFact, FactsWindow, ServedFact } from '../../src/db/log/evidence-facts.ts';
import { listSignedCheckpoints } from '../../src/db/log/signed-checkpoints.ts';
import type { Vault } from '../../src/db/vault.ts';
import { reviewer } from '../../src/control/history/access.ts';
import { historyCommands } from '../../src/control/history/commands.ts';
import { exportLog, noteLine } from '../../src/control/log/export.ts';
import { auditKeys } from '../../src/control/log/log-range.ts';

/** Keys must be valid at `atMs`. */
type End = Readonly<{ state: ConfigState; atMs: number }>;

export type PackContents = Readonly<{
  db: Queryable;
  logId: string;
  /** Covers events after `from`, up to and including `to`. */
  from: End;
  to: End;
  /** Facts that are not in the log. */
  window: FactsWindow;
  /** Reveals names and reasons, or shows references into the vault instead. */
  vault: Pick<Vault, 'reveal'>;
  /** Describes the process that makes the pack, without secrets. */
  settings: readonly object[];
}>;

export type PackFile = Readonly<{ name: string; pieces: AsyncIterable<string> }>;

/** In the order in which they are written. */
export function packFiles(contents: PackContents): readonly PackFile[] {
  const { db, logId, from, to, window } = contents;
  const range = { from: from.state.position + 1, to: to.state.position };
  return [
    file('README.txt', one(readme)),
    file('log.ndjson', exportLog(db, { logId }, range)),
    file('checkpoints.ndjson', checkpoints(contents)),
    file(
      'audit-keys.ndjson',
      lines(async () => (await auditKeys(db, { logId })).filter(({ since }) => since <= range.to)),
    ),
    file('changes.ndjson', changes(contents)),
    file('access-before.ndjson', access(contents, from)),
    file('access-after.ndjson', access(contents, to)),
    file('access-difference.ndjson', accessDifference(contents)),
    file('restores.ndjson', restores(contents)),
    file('served.ndjson', served(contents)),
    file(
      'erased.ndjson',
      pages<ErasedFact>((after) => listErasedFacts(db, window, { after, limit: pageRows })),
    ),
    file(
      'settings.ndjson',
      lines(async () => contents.settings),
    ),
  ];
}

const file = (name: string, pieces: AsyncIterable<string>): PackFile => ({ name, pieces });

const readme = `Evidence pack of a gw event log. Each line is JSON; positions are positions of the log.
Verify it with Node alone: node verify.mjs <this directory>

manifest.json             the period, the time, the gw version, and the SHA-256 of each file
manifest.sig              the SHA-256 of manifest.json, and its signature by the log's audit key
log.ndjson                the exact bytes of the events, with their signed checkpoints
checkpoints.ndjson        only the checkpoints, as --anchor reads them
audit-keys.ndjson         the public keys that sign checkpoints, and their first position
changes.ndjson            each mutation: who, when, what, why, and the snapshot versions around it
access-before.ndjson      who could call what before the first event of the pack
access-after.ndjson       who could call what after the last event of the pack
access-difference.ndjson  the differences between the two
restores.ndjson           mutations that restored an earlier configuration, and its version
served.ndjson             the snapshot versions that each replica served, and when
erased.ndjson             erased secrets and personal data that the log still refers to
settings.ndjson           the settings of the process that made the pack, without secrets
`;

const pageRows = 1_000;

async function* one(text: string): AsyncGenerator<string> {
  yield text;
}

const line = (record: object): string => `${JSON.stringify(record)}\n`;

async function* lines(read: () => Promise<readonly object[]>): AsyncGenerator<string> {
  for (const record of await read()) yield line(record);
}

/** A page starts after the last row of the previous one. */
async function* pages<Row extends object>(
  read: (after: Row | null) => Promise<readonly Row[]>,
): AsyncGenerator<string> {
  for (let after: Row | null = null; ;) {
    const rows: readonly Row[] = await read(after);
    if (rows.length > 0) yield rows.map(line).join('');
    if (rows.length < pageRows) return;
    after = rows.at(-1) ?? null;
  }
}

/** Oldest first. */
const anyCommand = { actorId: null, stream: null, from: null, to: null } as const;
const commandPage = { ...anyCommand, order: 'asc', limit: pageRows } as const;

async function* commands<Row extends Readonly<{ id: number }>>(
  { from, to }: PackContents,
  read: (filter: typeof commandPage & Readonly<{ after: number }>) => Promise<readonly Row[]>,
): AsyncGenerator<readonly Row[]> {
  for (let after = from.state.position; after < to.state.position;) {
    const found = await read({ ...commandPage, after });
    const within = found.filter(({ id }) => id <= to.state.position);
    yield within;
    if (within.length < pageRows) return;
    after = within.at(-1)?.id ?? after;
  }
}

async function* restores(contents: PackContents): AsyncGenerator<string> {
  const { db } = contents;
  for await (const rows of commands(contents, (filter) => listCommands(db, filter))) {
    for (const { command, first_position: position, tx_id, at, actor_id } of rows) {
      if (command !== 'RestoreSnapshot') continue;
      const [event] = await readStored(db, { after: position - 1, limit: 1 });
      const { causation } = eventMetadata.parse(JSON.parse(event?.metadata ?? '{}'));
      const restored = causation === undefined ? null : causation.position;
      yield line({ position, restored, tx_id, at: at.toISOString(), actor_id });
    }
  }
}

async function* checkpoints({ db, from, to }: PackContents): AsyncGenerator<string> {
  const end = { to: to.state.position, limit: pageRows };
  for (let after = from.state.position; ;) {
    const notes = await listSignedCheckpoints(db, { after, ...end });
    yield notes.map(({ note }) => noteLine(note)).join('');
    if (notes.length < pageRows) return;
    after = notes.at(-1)?.position ?? after;
  }
}

/** The version that each replica served at the start of the period, and those it served since. */
async function* served({ db, window }: PackContents): AsyncGenerator<string> {
  const { since } = window;
  if (since !== null) yield* lines(() => listServedAt(db, since));
  yield* pages<ServedFact>((after) => listServedFacts(db, window, { after, limit: pageRows }));
}

async function* changes(contents: PackContents): AsyncGenerator<string> {
  const { db, vault } = contents;
  const read = (filter: CommandFilter) => historyCommands({ db, vault }, filter);
  for await (const rows of commands(contents, read)) yield rows.map(line).join('');
}

async function* access({ db, vault }: PackContents, end: End): AsyncGenerator<string> {
  const review = await reviewer({ db, vault }, end);
  for (const row of accessOf(end.state)) yield line(review(row));
}

async function* accessDifference({ db, vault, from, to }: PackContents): AsyncGenerator<string> {
  const review = {
    lost: await reviewer({ db, vault }, from),
    gained: await reviewer({ db, vault }, to),
  };
  for (const { change, access } of accessChanges(from.state, to.state)) {
    yield line({ change, ...review[change](access) });
  }
}
