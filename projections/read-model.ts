// Read models in SQL: built, advanced and verified here and nowhere else. A generation of them lives in a schema named by the
// fingerprint of its description; a release with another description builds its own beside it, and both stay live.

import { hash } from 'node:crypto';

import { IsolationLevel, sql } from '@databases/pg';
import type { Queryable, SQLQuery, Transaction } from '@databases/pg';
import { z } from 'zod';

import { integer, readRow, readValue, text, time } from '../src/db/rows.ts';
import { canonicalJson } from '../src/lib/canonical-json.ts';
import { lockLog, readHead } from '../src/db/log/event-log.ts';
import { LogForkedError } from '../src/db/log/log-forked.ts';
import type { Database } from '../src/db/pool.ts';
import { snapshotSchemaVersion } from '../src/snapshot/schema.ts';
import { emptyState, foldVersion } from './config/state.ts';
import type { ConfigState } from './config/state.ts';
import { contentHashOf, movedContentHash } from './content-hash.ts';
import { foldStateTo } from './read-model-fold.ts';
import { readPage, writePages } from './read-model-pages.ts';
import type { Page, Pages } from './read-model-pages.ts';
import {
  createTables,
  indexTables,
  tableDigest,
  textCollation,
  writeTables,
} from './read-model-sql.ts';
import { presentWrites, writesOf } from './rows.ts';
import type { CommandEvents, Cursor, PageTables } from './rows.ts';
import { entityTables, journalTables } from './tables/all.ts';

/** Names this release's read models: 16 hex digits over all that decides what is in them. */
export const fingerprint = hash(
  'sha256',
  canonicalJson({
    foldVersion,
    snapshotSchemaVersion,
    textCollation,
    entityTables,
    journalTables,
  }),
).slice(0, 16);

export const readModelSchema = `rm_${fingerprint}`;

export const emptyCursor = (): Cursor => ({
  state: emptyState,
  content: contentHashOf(emptyState),
});

/**
 * How many events a transaction of a build applies; with no more than `tailEvents` left, the last one applies them under the
 * log lock.
 */
export type BuildSizes = Readonly<{ pageEvents: number; tailEvents: number }>;
const buildSizes: BuildSizes = { pageEvents: 5000, tailEvents: 1000 };
const { pageEvents } = buildSizes;

/** Replicas that start together wait for each other's pages, not only for commands. */
const buildWait = { lockTimeoutMilliseconds: 60_000 };
/** On a machine with much other work a page is computed for seconds, while its transaction holds nothing that a command needs. */
const pageWait = { ...buildWait, idleInTransactionSessionTimeoutMilliseconds: 60_000 };

/**
 * Makes this release's read models stand at the head of the log, from nothing if they are new. Pages are transactions of their
 * own: a kill costs one page. The last one runs under the log lock, so that no append slips past.
 */
export async function buildReadModel(db: Database, sizes = buildSizes): Promise<Cursor> {
  let cursor = await foldTo(db, await openGeneration(db));
  const { pageEvents, tailEvents } = sizes;
  for (;;) {
    const { position: to } = await readHead(db);
    if (to - cursor.state.position <= tailEvents) break;
    cursor = await buildPages(db, cursor, { schema: readModelSchema, to, pageEvents }, 'all');
    // Where another process has written a page, its rows are there, and only what they come to is folded.
    if (cursor.state.position < to)
      cursor = await db.tx((tx) => holdCheckpoint(tx, cursor), pageWait);
  }
  await db.tx(async (tx) => {
    await tx.query(sql`select set_config('role', 'gw_app', true)`);
    cursor = await holdCheckpoint(tx, cursor);
    // They are only added to, and nobody reads them yet.
    await indexTables(tx, readModelSchema, journalTables);
  }, pageWait);
  return db.tx(async (tx) => {
    const head = await lockLog(tx);
    const current = await advanceTo(tx, await holdCheckpoint(tx, cursor), head.position, sizes);
    await tx.query(sql`
      update es.read_models set status = 'live', built_at = coalesce(built_at, now()),
        last_used_at = now() where fingerprint = ${fingerprint}`);
    return current;
  }, buildWait);
}

/** In a transaction of its own: the next page behind wherever the checkpoint stands, at `cursor` or later. */
const advanceOnePage = (db: Database, cursor: Cursor, pages: Pages): Promise<Cursor> =>
  db.tx(async (tx) => {
    const held = await holdCheckpoint(tx, cursor);
    const target = { schema: readModelSchema, ...pages };
    return held.state.position < pages.to ? advancePage(tx, held, target) : held;
  }, pageWait);

/**
 * Writes the pages behind `cursor` up to `to` into a schema that is built, each in a transaction of its own; ends before where another
 * process has written one of them.
 */
export const buildPages = (
  db: Database,
  cursor: Cursor,
  { schema, ...pages }: Target,
  tables: PageTables,
) =>
  writePages(db, cursor, {
    pages,
    tables,
    write: (page) =>
      db.tx(async (tx) => {
        await tx.query(sql`select set_config('role', 'gw_app', true)`);
        return writePage(tx, schema, page);
      }, pageWait),
  });

/** False when the checkpoint does not stand where the page begins. */
async function writePage(
  tx: Transaction,
  schema: string,
  { from, after, writes }: Page,
): Promise<boolean> {
  if (!(await moveCheckpoint(tx, { schema, from: from.state, to: after.state }))) return false;
  await writeTables(tx, schema, writes);
  return true;
}

/** Throws where the checkpoint does not stand at `cursor`: another process writes the tables too. None will, until `tx` ends. */
export async function holdPlace(tx: Transaction, schema: string, cursor: Cursor): Promise<void> {
  const place = { schema, from: cursor.state, to: cursor.state };
  if (!(await moveCheckpoint(tx, place))) throw strayed(schema, cursor);
}

/** Completes tables of which the journals alone were written, up to `cursor`. */
export async function fillTables(tx: Transaction, schema: string, cursor: Cursor): Promise<void> {
  await holdPlace(tx, schema, cursor);
  // One table at a time, so that no more than its rows are there beside the state.
  for (const write of presentWrites(cursor.state)) await writeTables(tx, schema, [write]);
  await indexTables(tx, schema, [...entityTables, ...journalTables]);
}

/**
 * `cursor`, moved to where the checkpoint stands: another replica may have moved it. None will, until this transaction ends. Throws a
 * LogForkedError when `cursor` was folded from another past than the log holds.
 */
async function holdCheckpoint(tx: Transaction, cursor: Cursor): Promise<Cursor> {
  const position = await readValue(tx, integer)`
    select position from es.read_models where fingerprint = ${fingerprint} for update`;
  if (position === null) throw neverBuilt();
  const held = await foldTo(tx, position, cursor);
  // A statement of its own: one that waited for the lock would not see the events that were appended in the meantime.
  const hash = await readValue(tx, text)`
    select encode(hash, 'hex') as hash from es.events where position = ${position}`;
  if (position > 0 && held.state.hash !== hash) throw new LogForkedError(held.state);
  return held;
}

/** Creates the schema and its checkpoint if they are missing or were retired, and says where they stand. */
async function openGeneration(db: Database): Promise<number> {
  return db.tx(async (tx) => {
    await lockLog(tx);
    const held = await standing(tx);
    if (held !== null && !held.isRetired) return held.position;
    await createTables(tx, readModelSchema);
    await indexTables(tx, readModelSchema, entityTables);
    await tx.query(sql`
      insert into es.read_models (fingerprint, schema_name, position, status, last_used_at)
      values (${fingerprint}, ${readModelSchema}, 0, 'building', now())
      on conflict (fingerprint) do update
        set position = 0, status = 'building', built_at = null, last_used_at = now()`);
    return 0;
  });
}

/** The state at `position`, folded from the log: on from `from`, unless that is later. */
export async function foldTo(
  db: Queryable,
  position: number,
  from: Cursor = emptyCursor(),
): Promise<Cursor> {
  if (from.state.position === position) return from;
  if (from.state.position > position) return foldTo(db, position);
  const streams = new Set<string>();
  const state = await foldStateTo(db, from.state, position, ({ stream }) => streams.add(stream));
  return { state, content: movedContentHash(from.content, state, [...streams]) };
}

/** What whole commands do to the read models, in two steps. */
export type Advance = Readonly<{
  /** Where the read models stand when it is done. */
  after: Cursor;
  /** Moves their checkpoint; returns a row, unless they do not stand right before the commands. */
  move: SQLQuery;
  /**
   * Writes the rows. `tables` is where the read models were last seen, or earlier: with `isMoved` false they are brought up from
   * there first.
   */
  write: (tx: Transaction, state: Readonly<{ isMoved: boolean; tables: Cursor }>) => Promise<void>;
}>;

/** For an append's transaction, under the log lock. `cursor` stands right before the commands `fresh`. */
export function beginAdvance(cursor: Cursor, fresh: readonly CommandEvents[]): Advance {
  const { after, writes } = writesOf(cursor, fresh);
  const move = { schema: readModelSchema, from: cursor.state, to: after.state };
  return {
    after,
    move: checkpointMove(move),
    write: async (tx, { isMoved, tables }) => {
      if (!isMoved) {
        // Replicas of another release have appended since, or a build is under way.
        await advanceTo(tx, await holdCheckpoint(tx, tables), cursor.state.position);
        if (!(await moveCheckpoint(tx, move))) throw strayed(move.schema, cursor);
      }
      await writeTables(tx, readModelSchema, writes);
    },
  };
}

/** Both steps at once. `tables` is where the read models were last seen or earlier. */
export async function advanceReadModel(
  tx: Transaction,
  { cursor, tables = cursor }: Readonly<{ cursor: Cursor; tables?: Cursor }>,
  fresh: CommandEvents,
): Promise<Cursor> {
  const advance = beginAdvance(cursor, [fresh]);
  const moved: unknown[] = await tx.query(advance.move);
  await advance.write(tx, { isMoved: moved.length === 1, tables });
  return advance.after;
}

const standingRow = z.object({ position: integer, head: integer, status: text });

/** Where this release's read models and the head stood at one moment; null when they were never built. */
async function standing(
  db: Queryable,
): Promise<{ position: number; head: number; isRetired: boolean } | null> {
  const row = await readRow(db, standingRow)`
    select read_models.position, log_head.position as head, status
    from es.read_models, es.log_head where fingerprint = ${fingerprint}`;
  return row === null ? null : { ...row, isRetired: row.status === 'retired' };
}

const builtRow = z.object({ position: integer, builtAt: time.nullable() });

/** Where this release's read models stand, and when they were last built; null when they never were, or are retired. */
export const readModelStanding = (
  db: Queryable,
): Promise<Readonly<{ position: number; builtAt: Date | null }> | null> =>
  readRow(db, builtRow)`
    select position, built_at as "builtAt" from es.read_models
    where fingerprint = ${fingerprint} and status <> 'retired'`;

/** Read models stand at `position`, or later; `cursor` stands there, or earlier. */
export type Standing = Readonly<{ position: number; cursor: Cursor }>;

/**
 * Brings the read models up to the head, page by page from where they stand, when replicas of another release have appended.
 * `from` is where they were last seen, or earlier: no event before it is read. Appends go on meanwhile.
 */
export async function catchUpReadModel(db: Database, from: Cursor): Promise<Standing> {
  let cursor = from;
  for (;;) {
    const held = await standing(db);
    if (held === null || held.isRetired) {
      cursor = await buildReadModel(db);
      return { position: cursor.state.position, cursor };
    }
    if (held.position >= held.head) return { position: held.position, cursor };
    cursor = await advanceOnePage(db, cursor, { to: held.head, pageEvents });
  }
}

async function advanceTo(
  tx: Transaction,
  from: Cursor,
  to: number,
  { pageEvents } = buildSizes,
): Promise<Cursor> {
  let cursor = from;
  while (cursor.state.position < to) {
    cursor = await advancePage(tx, cursor, { schema: readModelSchema, to, pageEvents });
  }
  return cursor;
}

type Target = Pages & Readonly<{ schema: string }>;

/** Applies the commands of one page. */
export async function advancePage(
  tx: Transaction,
  cursor: Cursor,
  { schema, ...pages }: Target,
): Promise<Cursor> {
  const { commands } = await readPage(tx, cursor.state.position, pages);
  const page = { from: cursor, ...writesOf(cursor, commands) };
  if (!(await writePage(tx, schema, page))) throw strayed(schema, cursor);
  return page.after;
}

const neverBuilt = (): Error => new Error(`read model ${fingerprint} was never built`);

type Position = Pick<ConfigState, 'position'>;
type Move = { schema: string; from: Position; to: Position };

/** False when the checkpoint does not stand where it should be moved from. */
async function moveCheckpoint(tx: Transaction, move: Move): Promise<boolean> {
  const moved: unknown[] = await tx.query(checkpointMove(move));
  return moved.length === 1;
}

const checkpointMove = ({ schema, from, to }: Move): SQLQuery => sql`
  update es.read_models set position = ${to.position}, last_used_at = now()
  where schema_name = ${schema} and position = ${from.position} returning 1`;

const strayed = (schema: string, { state }: Cursor): Error =>
  new Error(`read model ${schema} does not stand at ${state.position}`);

export type TableCheck = Readonly<{ table: string; equal: boolean; live: string; rebuilt: string }>;

/** `position` is where the live tables stood. */
export type ReadModelCheck = Readonly<{ position: number; tables: readonly TableCheck[] }>;

/**
 * Rebuilds every table from the log in a schema of its own, up to where the live ones stand, and compares. Nothing of it stays.
 * Throws when this release's read models were never built here.
 */
export async function verifyReadModel(db: Database): Promise<ReadModelCheck> {
  const shadow = `${readModelSchema}_verify`;
  const tables: TableCheck[] = [];
  let position = 0;
  const rollback = new Error('the shadow is rolled back');
  const attempt = db.tx(
    async (tx) => {
      await tx.query(sql`select set_config('role', 'gw_app', true)`);
      const held = await standing(tx);
      if (held === null || held.isRetired) throw neverBuilt();
      const to = held.position;
      position = to;
      await createTables(tx, shadow);
      await tx.query(sql`
        insert into es.read_models (fingerprint, schema_name, position, status, last_used_at)
        values (${shadow}, ${shadow}, 0, 'building', now())`);
      if (to > 0) {
        const after = await writePages(tx, emptyCursor(), {
          pages: { to, pageEvents },
          tables: 'journals',
          write: (page) => writePage(tx, shadow, page),
        });
        await fillTables(tx, shadow, after);
      }
      for (const table of [...entityTables, ...journalTables]) {
        const live = await tableDigest(tx, readModelSchema, table);
        const rebuilt = await tableDigest(tx, shadow, table);
        tables.push({ table: table.name, equal: live === rebuilt, live, rebuilt });
      }
      throw rollback;
    },
    // One snapshot of the database for the log and the tables, so that no lock is needed.
    {
      isolationLevel: IsolationLevel.REPEATABLE_READ,
      statementTimeoutMilliseconds: 600_000,
      idleInTransactionSessionTimeoutMilliseconds: 60_000,
    },
  );
  await attempt.catch((error: unknown) => {
    if (error !== rollback) throw error;
  });
  return { position, tables };
}
