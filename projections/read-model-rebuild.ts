// Rebuilds read models while the live ones serve: page by page in a second schema, which replaces
// the live one at the end.

import { setTimeout as wait } from 'node:timers/promises';

import { sql } from '@databases/pg';
import type { Transaction } from '@databases/pg';

import { lockLog, readHead } from '../src/db/log/event-log.ts';
import type { Database } from '../src/db/pool.ts';
import {
  advancePage,
  buildPages,
  emptyCursor,
  fillTables,
  fingerprint,
  holdPlace,
  readModelSchema,
} from './read-model.ts';
import { createTables } from './read-model-sql.ts';
import type { Cursor } from './rows.ts';

const shadow = `${readModelSchema}_rebuild`;
const former = `${readModelSchema}_former`;
const pageEvents = 5_000;
/** When at most this number of events remain, they are applied while appends wait. */
const tailEvents = 1_000;
const waits = {
  lockTimeoutMilliseconds: 60_000,
  idleInTransactionSessionTimeoutMilliseconds: 60_000,
};

/**
 * Returns the position of the read models. Starts from scratch, also after an interrupted rebuild.
 */
export async function rebuildReadModel(db: Database): Promise<number> {
  await dropFormer(db);
  await db.tx(async (tx) => {
    await lockLog(tx);
    await tx.query(sql`drop schema if exists ${sql.ident(shadow)} cascade`);
    await createTables(tx, shadow);
    await tx.query(sql`
      insert into es.read_models (fingerprint, schema_name, position, status, last_used_at)
      values (${shadow}, ${shadow}, 0, 'building', now())
      on conflict (fingerprint) do update
        set position = 0, status = 'building', last_used_at = now()`);
  }, waits);
  let cursor = emptyCursor();
  for (;;) {
    const { position: head } = await readHead(db);
    if (head - cursor.state.position <= tailEvents) break;
    cursor = await buildPages(db, cursor, { schema: shadow, to: head, pageEvents }, 'journals');
    if (cursor.state.position < head) throw new Error('another rebuild is under way');
  }
  await db.tx(async (tx) => {
    await tx.query(sql`select set_config('role', 'gw_app', true)`);
    await fillTables(tx, shadow, cursor);
  }, waits);
  const position = await putInPlace(db, cursor);
  await dropFormer(db);
  return position;
}

/**
 * Renaming does not wait for readers of the tables. Every statement finds either the old or the new
 * tables, which have equal contents.
 */
const putInPlace = (db: Database, cursor: Cursor): Promise<number> =>
  db.tx(async (tx) => {
    const { position } = await lockLog(tx);
    // A concurrent rebuild may have started over since.
    await holdPlace(tx, shadow, cursor);
    const pages = { schema: shadow, to: position, pageEvents };
    let last = cursor;
    while (last.state.position < position) last = await advancePage(tx, last, pages);
    const held: unknown[] = await tx.query(
      sql`select 1 from pg_catalog.pg_namespace where nspname = ${readModelSchema}`,
    );
    if (held.length > 0) await renameSchema(tx, readModelSchema, former);
    await renameSchema(tx, shadow, readModelSchema);
    await tx.query(sql`
      update es.read_models set position = ${position}, status = 'live', built_at = now(),
        last_used_at = now() where fingerprint = ${fingerprint}`);
    await tx.query(sql`update es.read_models set status = 'retired' where fingerprint = ${shadow}`);
    return position;
  }, waits);

const renameSchema = (tx: Transaction, from: string, to: string): Promise<unknown> =>
  tx.query(sql`alter schema ${sql.ident(from)} rename to ${sql.ident(to)}`);

/** About two minutes, including the waits. */
const dropAttemptsMax = 400;
const dropRetryWaitMs = 100;
/**
 * Well below Postgres' deadlock_timeout of a second, so that this transaction fails instead of a
 * reader.
 */
const dropWait = { lockTimeoutMilliseconds: 200 };

/** Waits until no one reads the tables. */
async function dropFormer(db: Database): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await db.tx(async (tx) => {
        await tx.query(sql`select set_config('role', 'gw_app', true)`);
        await tx.query(sql`drop schema if exists ${sql.ident(former)} cascade`);
      }, dropWait);
    } catch (error) {
      if (!isLockTimeout(error) || attempt === dropAttemptsMax) throw error;
    }
    await wait(dropRetryWaitMs);
  }
}

const isLockTimeout = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === '55P03';
