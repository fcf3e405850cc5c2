// Tests read models that are out of date after another release has appended: they continue from
// their last known position without reading earlier events. Unused ones are dropped, and built
// again when their release returns.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { TestContext } from 'node:test';

import { sql } from '@databases/pg';

import type { GwEvent } from '../../events/catalogue.ts';
import { emptyState } from '../../projections/config/state.ts';
import type { ConfigState } from '../../projections/config/state.ts';
import {
  advanceReadModel,
  buildReadModel,
  catchUpReadModel,
  fingerprint,
  foldTo,
  readModelSchema,
  verifyReadModel,
} from '../../projections/read-model.ts';
import { retireReadModels, unusedDaysMax } from '../../projections/read-model-retire.ts';
import { splitCommands } from '../../projections/rows.ts';
import type { Cursor } from '../../projections/rows.ts';
import { lockLog, readEvents } from '../../src/db/log/event-log.ts';
import type { Database } from '../../src/db/pool.ts';
import { modelCreated } from '../harness/events/examples.ts';
import { appendCommand, testLogDatabase } from '../harness/postgres/log-database.ts';

/** An event that makes every fold fail. */
async function makeUnreadable(db: Database, position: number): Promise<void> {
  await db.tx(async (tx) => {
    await tx.query(sql`alter table es.events disable trigger events_no_change`);
    await tx.query(sql`update es.events set payload = null where position = ${position}`);
    await tx.query(sql`alter table es.events enable always trigger events_no_change`);
  });
}

/** A log of one unreadable event with read models at its head, to which another release appends. */
async function leftBehind(test: TestContext) {
  const db = await testLogDatabase(test);
  const log: { state: ConfigState } = { state: emptyState };
  const append = async (events: readonly GwEvent[]): Promise<void> => {
    log.state = await appendCommand(db, log.state, events);
  };
  await append([modelCreated(1, 'first')]);
  const tables = await buildReadModel(db);
  await makeUnreadable(db, 1);
  await assert.rejects(foldTo(db, 1), /redacted/);
  await append([modelCreated(2, 'second'), modelCreated(3, 'third')]);
  return { db, append, tables };
}

async function modelNames(db: Database): Promise<readonly string[]> {
  const rows: { name: string }[] = await db.query(
    sql`select name from ${sql.ident(readModelSchema, 'models')} order by id`,
  );
  return rows.map(({ name }) => name);
}

describe('read models that lag behind the log', () => {
  it('are brought up without reading what they hold already', async (t) => {
    const { db, append, tables } = await leftBehind(t);
    const stand = await catchUpReadModel(db, tables);
    assert.deepEqual([stand.position, stand.cursor.state.position], [3, 3]);
    assert.deepEqual(await modelNames(db), ['first', 'second', 'third']);
    await append([modelCreated(4, 'fourth')]);
    assert.equal((await catchUpReadModel(db, stand.cursor)).position, 4);
    assert.deepEqual(await modelNames(db), ['first', 'second', 'third', 'fourth']);
  });

  it('are brought up while the log is locked by an append', async (t) => {
    const { db, tables } = await leftBehind(t);
    await db.tx(async (tx) => {
      await lockLog(tx);
      assert.equal((await catchUpReadModel(db, tables)).position, 3);
    });
  });

  it('are brought up by the next command in the same way', async (t) => {
    const { db, append, tables } = await leftBehind(t);
    const cursor: Cursor = await foldTo(db, 3, tables);
    await append([modelCreated(4, 'own')]);
    const { commands } = splitCommands(await readEvents(db, { after: 3, limit: 1 }));
    const [own] = commands;
    assert.ok(own);
    await db.tx(async (tx) => {
      await lockLog(tx);
      await advanceReadModel(tx, { cursor, tables }, own);
    });
    assert.deepEqual(await modelNames(db), ['first', 'second', 'third', 'own']);
  });
});

const daysAgo = (db: Database, days: number, of: string): Promise<unknown> =>
  db.query(sql`
    update es.read_models set last_used_at = now() - make_interval(days => ${days})
    where fingerprint = ${of}`);

const schemas = async (db: Database): Promise<readonly string[]> => {
  const rows: { name: string }[] = await db.query(
    sql`select nspname as name from pg_namespace where nspname like 'rm\\_%' order by nspname`,
  );
  return rows.map(({ name }) => name);
};

/** Read models that another release would have created. */
async function otherGeneration(db: Database, name: string): Promise<void> {
  await db.query(sql`create schema ${sql.ident(`rm_${name}`)} authorization gw_app`);
  await db.query(sql`
    insert into es.read_models (fingerprint, schema_name, position, status, last_used_at)
    values (${name}, ${`rm_${name}`}, 1, 'live', now())`);
}

describe('unused read models', () => {
  it('are dropped after seven days, and those that are used are not', async (t) => {
    const db = await testLogDatabase(t);
    await buildReadModel(db);
    for (const name of ['old', 'recent']) await otherGeneration(db, name);
    await daysAgo(db, unusedDaysMax + 1, 'old');
    await daysAgo(db, unusedDaysMax - 1, 'recent');
    // In use: this process marks them.
    await daysAgo(db, 100, fingerprint);
    assert.deepEqual(await retireReadModels(db), ['old']);
    assert.deepEqual(await schemas(db), [readModelSchema, 'rm_recent'].toSorted());
    assert.deepEqual(await retireReadModels(db), []);
  });

  it('are built again when a process of their release returns', async (t) => {
    const db = await testLogDatabase(t);
    const state = await appendCommand(db, emptyState, [modelCreated(1, 'first')]);
    const cursor = await buildReadModel(db);
    await db.query(sql`drop schema ${sql.ident(readModelSchema)} cascade`);
    await db.query(sql`update es.read_models set status = 'retired', position = 0`);
    await assert.rejects(verifyReadModel(db), /was never built/);
    await appendCommand(db, state, [modelCreated(2, 'second')]);
    assert.equal((await catchUpReadModel(db, cursor)).position, 2);
    assert.deepEqual(await modelNames(db), ['first', 'second']);
    const wrong = (await verifyReadModel(db)).tables.filter(({ equal }) => !equal);
    assert.deepEqual(wrong, []);
  });
});
