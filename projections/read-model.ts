// Builds, advances and verifies read models in SQL. No other code writes them. One generation is a
// schema named by the fingerprint of its description. A release with another description builds its
// own schema, and both stay live.

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

/** 16 hex digits over everything that determines the content of this release's read models. */
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
 * Events per transaction of a build. When at most `tailEvents` remain, the last transaction applies
 * them under the log lock.
 */
export type BuildSizes = Readonly<{ pageEvents: number; tailEvents: number }>;
const buildSizes: BuildSizes = { pageEvents: 5000, tailEvents: 1000 };
const { pageEvents } = buildSizes;

/** Replicas that start together wait for each other's pages, not only for commands. */
const buildWait = { lockTimeoutMilliseconds: 60_000 };
/** Computing a page may take seconds, while its transaction blocks no command. */
const pageWait = { ...buildWait, idleInTransactionSessionTimeoutMilliseconds: 60_000 };

/**
 * Brings this release's read models up to the head of the log, from scratch if they are new. Each
 * page is a transaction, so a crash loses at most one page. The last transaction runs under the log
 * lock, so that no append is missed.
 */
export async function buildReadModel(db: Database, sizes = buildSizes): Promise<Cursor> {
  let cursor = await foldTo(db, await openGeneration(db));
  const { pageEvents, tailEvents } = sizes;
  for (;;) {
    const { position: to } = await readHead(db);
    if (to - cursor.state.position <= tailEvents) break;
    cursor = await buildPages(db, cursor, { schema: readModelSchema, to, pageEvents }, 'all');
    // If another process wrote a page, only the state is folded.
    if (cursor.state.position < to)
      cursor = await db.tx((tx) => holdCheckpoint(tx, cursor), pageWait);
  }
  await db.tx(async (tx) => {
    await tx.query(sql`select set_config('role', 'gw_app', true)`);
    cursor = await holdCheckpoint(tx, cursor);
    // Journals only grow, and no one reads them yet.
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

/** The checkpoint is at `cursor` or later. */
const advanceOnePage = (db: Database, cursor: Cursor, pages: Pages): Promise<Cursor> =>
  db.tx(async (tx) => {
    const held = await holdCheckpoint(tx, cursor);
    const target = { schema: readModelSchema, ...pages };
    return held.state.position < pages.to ? advancePage(tx, held, target) : held;
  }, pageWait);

/**
 * Writes pages into a schema that is being built, each in its own transaction. Stops early if
 * another process has written one of them.
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

/** Returns false if the checkpoint is not at the start of the page. */
async function writePage(
  tx: Transaction,
  schema: string,
  { from, after, writes }: Page,
): Promise<boolean> {
  if (!(await moveCheckpoint(tx, { schema, from: from.state, to: after.state }))) return false;
  await writeTables(tx, schema, writes);
  return true;
}

/** Locks the checkpoint until `tx` ends. Throws if it is not at `cursor`. */
export async function holdPlace(tx: Transaction, schema: string, cursor: Cursor): Promise<void> {
  const place = { schema, from: cursor.state, to: cursor.state };
  if (!(await moveCheckpoint(tx, place))) throw strayed(schema, cursor);
}

/** Completes tables after only the journals were written. */
export async function fillTables(tx: Transaction, schema: string, cursor: Cursor): Promise<void> {
  await holdPlace(tx, schema, cursor);
  // One table at a time limits the memory for its rows.
  for (const write of presentWrites(cursor.state)) await writeTables(tx, schema, [write]);
  await indexTables(tx, schema, [...entityTables, ...journalTables]);
}

/**
 * Locks the checkpoint until this transaction ends and moves `cursor` to it, because another
 * replica may have moved it. Throws a LogForkedError if `cursor` was folded from events that the
 * log does not contain.
 */
async function holdCheckpoint(tx: Transaction, cursor: Cursor): Promise<Cursor> {
  const position = await readValue(tx, integer)`
    select position from es.read_models where fingerprint = ${fingerprint} for update`;
  if (position === null) throw neverBuilt();
  const held = await foldTo(tx, position, cursor);
  // A separate statement: one that waited for the lock would not see events appended in the
  // meantime.
  const hash = await readValue(tx, text)`
    select encode(hash, 'hex') as hash from es.events where position = ${position}`;
  if (position > 0 && held.state.hash !== hash) throw new LogForkedError(held.state);
  return held;
}

/**
 * Creates the schema and its checkpoint if they are missing or were retired. Returns the
 * checkpoint's position.
 */
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

/** Starts at `from` unless that is later than `position`. */
export async function foldTo(
  db: Queryable,
  position: number,
  from: Cursor = emptyCursor(),
): Promise<Cursor> {
  if (from.state.position === position) return from;
  if (from.state.position > position) return foldTo(db, position);
  if (from.state.position === 0) {
    const state = await foldStateTo(db, from.state, position);
    return { state, content: contentHashOf(state) };
  }
  const streams = new Set<string>();
  const state = await foldStateTo(db, from.state, position, ({ stream }) => streams.add(stream));
  return { state, content: movedContentHash(from.content, state, [...streams]) };
}

/** The effect of whole commands on the read models, in two steps. */
export type Advance = Readonly<{
  /** The state of the read models afterwards. */
  after: Cursor;
  /**
   * Moves the checkpoint. Returns a row, unless the checkpoint is not directly before the commands.
   */
  move: SQLQuery;
  /**
   * `tables` is the last known state of the read models, or an earlier one. If `isMoved` is false,
   * they are first brought up to date from there.
   */
  write: (tx: Transaction, state: Readonly<{ isMoved: boolean; tables: Cursor }>) => Promise<void>;
}>;

/** For an append, under the log lock. `cursor` is directly before `fresh`. */
export function beginAdvance(cursor: Cursor, fresh: readonly CommandEvents[]): Advance {
  const { after, writes } = writesOf(cursor, fresh);
  const move = { schema: readModelSchema, from: cursor.state, to: after.state };
  return {
    after,
    move: checkpointMove(move),
    write: async (tx, { isMoved, tables }) => {
      if (!isMoved) {
        // Replicas of another release have appended, or a build is running.
        await advanceTo(tx, await holdCheckpoint(tx, tables), cursor.state.position);
        if (!(await moveCheckpoint(tx, move))) throw strayed(move.schema, cursor);
      }
      await writeTables(tx, readModelSchema, writes);
    },
  };
}

/** `tables` is the last known state of the read models, or earlier. */
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

/** At one time; null if never built. */
async function standing(
  db: Queryable,
): Promise<{ position: number; head: number; isRetired: boolean } | null> {
  const row = await readRow(db, standingRow)`
    select read_models.position, log_head.position as head, status
    from es.read_models, es.log_head where fingerprint = ${fingerprint}`;
  return row === null ? null : { ...row, isRetired: row.status === 'retired' };
}

const builtRow = z.object({ position: integer, builtAt: time.nullable() });

/** The position and the time of the last build; null if they were never built or are retired. */
export const readModelStanding = (
  db: Queryable,
): Promise<Readonly<{ position: number; builtAt: Date | null }> | null> =>
  readRow(db, builtRow)`
    select position, built_at as "builtAt" from es.read_models
    where fingerprint = ${fingerprint} and status <> 'retired'`;

/** Read models are at `position` or later; `cursor` is there or earlier. */
export type Standing = Readonly<{ position: number; cursor: Cursor }>;

/**
 * Brings the read models up to the head, page by page, after replicas of another release have
 * appended. `from` is their last known state, or an earlier one. Appends continue.
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

/** Returns false if the checkpoint is not at the expected position. */
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

/** `position` is that of the live tables. */
export type ReadModelCheck = Readonly<{ position: number; tables: readonly TableCheck[] }>;

/**
 * Rebuilds every table from the log in a temporary schema, up to the position of the live tables,
 * and compares them. Rolls everything back. Throws if this release's read models were never built
 * here.
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
    // One database snapshot for the log and the tables, so that no lock is needed.
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
