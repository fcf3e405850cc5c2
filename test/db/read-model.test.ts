// Tests that the tables equal the fold, however they were built: command by command, rebuilt in
// pages of any size, by two programs at once, after a crash, or after appends by another release.

import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, describe, it } from 'node:test';

import { sql } from '@databases/pg';
import type { SQLQuery } from '@databases/pg';
import * as fc from 'fast-check';

import type { GwEvent, RecordedEvent } from '../../events/catalogue.ts';
import { seal } from '../../events/seal.ts';
import { streamVersion } from '../../projections/config/state.ts';
import {
  advanceReadModel,
  buildReadModel,
  catchUpReadModel,
  emptyCursor,
  fingerprint,
  foldTo,
  readModelSchema,
  verifyReadModel,
} from '../../projections/read-model.ts';
import { splitCommands, writesOf } from '../../projections/rows.ts';
import type { Cursor } from '../../projections/rows.ts';
import { entityTables, journalTables } from '../../projections/tables/all.ts';
import type { Row } from '../../projections/tables/table.ts';
import {
  appendEvents,
  lockLog,
  readEvents,
  readHead,
  toRecorded,
} from '../../src/db/log/event-log.ts';
import type { Database } from '../../src/db/pool.ts';
import type { Command } from '../../src/deciders/decide.ts';
import { modelId, principalId, promptClassId } from '../../src/lib/ids.ts';
import { commandSequence, eventsOf } from '../harness/events/commands.ts';
import {
  endpointAt,
  modelCreated,
  permissionGranted,
  plainName,
} from '../harness/events/examples.ts';
import { testMetadata, testRef } from '../harness/events/test-log.ts';
import { openLogDatabase, testLogDatabase } from '../harness/postgres/log-database.ts';
import { recordPrelude } from '../harness/events/record-commands.ts';
import { agentAt, mcpServerAt } from '../harness/events/remote-examples.ts';
import { routingPrelude } from '../harness/events/routing-commands.ts';
import { draftOf } from '../harness/admin/change-requests.ts';
import { until } from '../harness/wait.ts';

const tables = [...entityTables, ...journalTables];
const rowsMax = 100_000;
const principalOne = principalId.parse(1);
const testEndpoint = {
  endpoint: endpointAt('https://here.example'),
  catalogueKey: null,
  credential: null,
};
const seed: Command = { type: 'SeedLog', bootstrapName: plainName('bootstrap') };

/** Appends the events of a command, and advances the tables with it or leaves them outdated. */
async function write(
  db: Database,
  make: (cursor: Cursor) => readonly GwEvent[],
  options: { advance: boolean; from?: Cursor } = { advance: true },
): Promise<Cursor> {
  return db.tx(async (tx) => {
    const head = await lockLog(tx);
    const cursor = await foldTo(tx, head.position, options.from);
    const events = make(cursor);
    if (events.length === 0) return cursor;
    const sealed = seal(events, head, {
      txId: randomUUID(),
      at: Date.now(),
      newId: randomUUID,
      streamVersion: (stream) => streamVersion(cursor.state, stream),
      metadata: testMetadata('Test'),
    });
    await appendEvents(tx, sealed);
    const [command] = splitCommands(sealed.map(toRecorded)).commands;
    if (command === undefined || !options.advance) return cursor;
    return advanceReadModel(tx, { cursor }, command);
  });
}

async function writeAll(db: Database, commands: readonly Command[], advance = true) {
  let from = emptyCursor();
  for (const command of commands) {
    from = await write(db, ({ state }) => eventsOf(state, command), { advance, from });
  }
}

/** Leaves a row in every table. */
const rich: readonly Command[] = [
  seed,
  { type: 'CreateProvider', name: 'p', defaultName: 'p', kind: 'static', ...testEndpoint },
  ...routingPrelude,
  { type: 'SetFallbackModel', modelId: modelId.parse(2) },
  { type: 'SetLimits', id: principalOne, limits: { requestsPerMin: 1, tokensPerMin: null } },
  {
    type: 'SetBudget',
    id: principalOne,
    tokensTotal: 1,
    costTotalMicros: null,
    window: 'daily',
    initialTokensUsed: 0,
  },
  ...recordPrelude,
  {
    type: 'AddPromptExample',
    id: promptClassId.parse(1),
    example: { ref: testRef(2), fingerprint: 'f', label: 'endless loop' },
  },
  {
    type: 'CreateMcpServer',
    details: mcpServerAt('tools', 'https://here.example/mcp'),
    credential: null,
  },
  { type: 'CreateAgent', details: agentAt('clerk', 'https://here.example'), credential: null },
  {
    type: 'CreateWebhookEndpoint',
    name: 'alerts',
    description: null,
    types: null,
    enabled: true,
    format: 'slack',
    address: { ref: testRef(4), fingerprint: 'f', origin: 'https://here.example' },
    secret: null,
  },
  { type: 'DraftChangeRequest', by: principalOne, titleRef: testRef(3), draft: draftOf([]) },
];

const many = (count: number): Command[] => [
  seed,
  ...Array.from({ length: count }, (_, index): Command => ({
    type: 'CreateModel',
    name: `model ${index}`,
    fields: { contextLength: index + 1 },
  })),
];

const allEvents = (db: Database): Promise<RecordedEvent[]> =>
  readEvents(db, { after: 0, limit: rowsMax });

/** Each table's rows as text, in key order. */
async function heldRows(db: Database): Promise<Record<string, unknown>> {
  const held: Record<string, unknown> = {};
  for (const { name, primaryKey } of tables) {
    const key = sql.join(
      primaryKey.map((column) => sql`held.${sql.ident(column)}`),
      sql`, `,
    );
    const rows: { row: string }[] = await db.query(sql`
      select held::text as row from ${sql.ident(readModelSchema, name)} held order by ${key}`);
    held[name] = rows.map(({ row }) => row);
  }
  return held;
}

/** The rows from a fold of the whole log, in the same form. */
async function foldedRows(db: Database): Promise<Record<string, unknown>> {
  const { commands } = splitCommands(await allEvents(db));
  const { writes } = writesOf(emptyCursor(), commands);
  const folded: Record<string, unknown> = {};
  for (const table of tables) {
    const rows = writes.find((one) => one.table === table)?.rows ?? [];
    const key = sql.join(
      table.primaryKey.map((column) => sql`made.${sql.ident(column)}`),
      sql`, `,
    );
    const made: { row: string }[] = await db.query(sql`
      select made::text as row from jsonb_populate_recordset(
        null::${sql.ident(readModelSchema, table.name)}, ${asJson(table, rows)}::jsonb) made
      order by ${key}`);
    folded[table.name] = made.map(({ row }) => row);
  }
  return folded;
}

/** A jsonb column holds its text in a row. */
const asJson = ({ columns }: (typeof tables)[number], rows: readonly Row[]): string =>
  JSON.stringify(rows, (key, value: unknown): unknown =>
    columns[key]?.startsWith('jsonb') === true && typeof value === 'string'
      ? JSON.parse(value)
      : value,
  );

async function dropReadModel(db: Database): Promise<void> {
  await db.query(sql`drop schema ${sql.ident(readModelSchema)} cascade`);
  await db.query(sql`delete from es.read_models`);
}

const checkpoint = async (db: Database): Promise<unknown> => {
  const rows: { position: number; status: string }[] = await db.query(
    sql`select position, status from es.read_models where fingerprint = ${fingerprint}`,
  );
  return rows[0];
};

const differing = async (db: Database): Promise<string[]> =>
  (await verifyReadModel(db)).tables.filter(({ equal }) => !equal).map(({ table }) => table);

describe('the tables', () => {
  it('are the fold of the log, and the same when rebuilt in pages of any size', async (t) => {
    const sequences = fc.sample(commandSequence(60), 4);
    for (const commands of sequences) {
      const db = await testLogDatabase(t);
      await buildReadModel(db);
      await writeAll(db, commands);
      const inline = await heldRows(db);
      assert.deepEqual(inline, await foldedRows(db));
      assert.deepEqual(await differing(db), []);
      for (const pageEvents of [1, 7]) {
        await dropReadModel(db);
        const { state } = await buildReadModel(db, { pageEvents, tailEvents: 0 });
        assert.equal(state.position, (await readHead(db)).position);
        assert.deepEqual(await heldRows(db), inline, `rebuilt in pages of ${pageEvents}`);
      }
    }
  });

  it('are as they were when a command is rolled back', async (t) => {
    const db = await testLogDatabase(t);
    await buildReadModel(db);
    await writeAll(db, many(2));
    const before = await heldRows(db);
    const attempt = write(db, ({ state }) => {
      const events = eventsOf(state, { type: 'CreateModel', name: 'lost', fields: {} });
      // The same permission twice on one role violates the key of its table, after the models were
      // inserted.
      const broken = permissionGranted(1, 'model:invoke', 'model/*');
      return [...events, broken];
    });
    await assert.rejects(attempt, { code: '23505' });
    assert.deepEqual(await heldRows(db), before);
    assert.deepEqual(await differing(db), []);
  });
});

describe('a build', () => {
  it('that is killed between pages goes on where it stopped', async (t) => {
    const db = await testLogDatabase(t);
    await writeAll(db, many(20), false);
    await db.query(sql`
      create function public.kill() returns trigger language plpgsql as $$
      begin raise exception 'killed' using errcode = '57P01'; end $$`);
    await db.query(sql`
      create trigger kill before update on es.read_models for each row
      when (new.position > 30) execute function public.kill()`);
    const pages = { pageEvents: 5, tailEvents: 5 };
    await assert.rejects(buildReadModel(db, pages), { code: '57P01' });
    const stopped = await checkpoint(db);
    assert.deepEqual(stopped, { position: 30, status: 'building' });
    await db.query(sql`drop trigger kill on es.read_models`);
    await buildReadModel(db, pages);
    const { position } = await readHead(db);
    assert.deepEqual(await checkpoint(db), { position, status: 'live' });
    assert.deepEqual(await heldRows(db), await foldedRows(db));
  });

  it('applies a command that is longer than a page', async (t) => {
    const db = await testLogDatabase(t);
    await writeAll(db, [...many(1), { type: 'DeletePrincipal', id: principalOne }], false);
    await write(db, () => Array.from({ length: 9 }, (_, at) => modelCreated(at + 2, `m${at}`)), {
      advance: false,
    });
    await buildReadModel(db, { pageEvents: 2, tailEvents: 0 });
    assert.deepEqual(await heldRows(db), await foldedRows(db));
  });

  it('by two programs at once is one build', async (t) => {
    const db = await testLogDatabase(t);
    await writeAll(db, many(40), false);
    const pages = { pageEvents: 3, tailEvents: 0 };
    const cursors = await Promise.all([buildReadModel(db, pages), buildReadModel(db, pages)]);
    const { position } = await readHead(db);
    for (const { state } of cursors) assert.equal(state.position, position);
    assert.deepEqual(await heldRows(db), await foldedRows(db));
  });

  it('loses nothing that this and other releases append concurrently', async (t) => {
    const db = await testLogDatabase(t, { connectionsMax: 6 });
    await writeAll(db, many(40), false);
    const building = new AbortController();
    const appendWhileBuilding = async (name: string, advance: boolean): Promise<number> => {
      await until(async () => (await checkpoint(db)) !== undefined, { what: 'a generation' });
      let count = 0;
      while (!building.signal.aborted || count < 10) {
        const command: Command = { type: 'CreateModel', name: `${name} ${count}`, fields: {} };
        await write(db, ({ state }) => eventsOf(state, command), { advance });
        count += 1;
      }
      return count;
    };
    const build = buildReadModel(db, { pageEvents: 2, tailEvents: 4 });
    const written = Promise.all([
      appendWhileBuilding('this release', true),
      appendWhileBuilding('another release', false),
    ]);
    await build.finally(() => building.abort());
    await written;
    await catchUpReadModel(db, emptyCursor());
    const { position } = await readHead(db);
    assert.deepEqual(await checkpoint(db), { position, status: 'live' });
    assert.deepEqual(await heldRows(db), await foldedRows(db));
  });
});

describe('tables that another release has left behind', () => {
  it('are brought up by the next command', async (t) => {
    const db = await testLogDatabase(t);
    await buildReadModel(db);
    await writeAll(db, many(3));
    for (const name of ['b', 'c']) {
      const command: Command = { type: 'CreateModel', name, fields: {} };
      await write(db, ({ state }) => eventsOf(state, command), { advance: false });
    }
    assert.deepEqual(await differing(db), [], 'compared where the tables stand');
    await write(db, ({ state }) => eventsOf(state, { type: 'CreateModel', name: 'd', fields: {} }));
    assert.deepEqual(await heldRows(db), await foldedRows(db));
  });

  it('are brought up without one, and left alone when they stand at the head', async (t) => {
    const db = await testLogDatabase(t);
    await buildReadModel(db);
    await writeAll(db, many(3), false);
    await catchUpReadModel(db, emptyCursor());
    assert.deepEqual(await heldRows(db), await foldedRows(db));
    const [built] = await db.query(sql`select built_at, last_used_at from es.read_models`);
    await catchUpReadModel(db, emptyCursor());
    assert.deepEqual(await db.query(sql`select built_at, last_used_at from es.read_models`), [
      built,
    ]);
  });
});

describe('verification', () => {
  let db: Database;
  let close: () => Promise<void>;
  before(async () => {
    ({ db, close } = await openLogDatabase());
    await buildReadModel(db);
    await writeAll(db, rich);
  });
  after(() => close());

  for (const { name, columns, primaryKey } of tables) {
    const target = sql.ident(readModelSchema, name);
    const first = sql`(select min(ctid) from ${target})`;
    const column = Object.keys(columns).find((one) => columns[one]?.startsWith('text'));
    const changed = sql.ident(column ?? primaryKey[0] ?? '');
    const other = column === undefined ? sql`999` : sql`'tampered'`;
    const cases: readonly [string, SQLQuery][] = [
      ['is gone', sql`delete from ${target} where ctid = ${first}`],
      ['was changed', sql`update ${target} set ${changed} = ${other} where ctid = ${first}`],
    ];
    for (const [what, tamper] of cases) {
      it(`names ${name}, and no other table, when a row of it ${what}`, async () => {
        await db.query(sql`create table public.saved as select * from ${target}`);
        await db.query(tamper);
        assert.deepEqual(await differing(db), [name]);
        await db.query(sql`delete from ${target}`);
        await db.query(sql`insert into ${target} select * from public.saved`);
        await db.query(sql`drop table public.saved`);
      });
    }
  }

  it('leaves no trace, and finds no problem in untouched tables', async () => {
    const schemas = (): Promise<unknown> => db.query(sql`select nspname from pg_namespace`);
    const [before, generation] = [await schemas(), await checkpoint(db)];
    assert.deepEqual(await differing(db), []);
    assert.deepEqual(await schemas(), before);
    assert.deepEqual(await checkpoint(db), generation);
  });

  it('of tables that were never built says so', async (t) => {
    const empty = await testLogDatabase(t);
    await assert.rejects(verifyReadModel(empty), /was never built/);
  });
});
