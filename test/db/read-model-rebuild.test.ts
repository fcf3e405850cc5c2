// Tests that read models stay readable during a rebuild: every statement returns rows of either the
// old or the new tables, never of both.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { sql } from '@databases/pg';

import { emptyState } from '../../projections/config/state.ts';
import { createTables } from '../../projections/read-model-sql.ts';
import { rebuildReadModel } from '../../projections/read-model-rebuild.ts';
import { buildReadModel, readModelSchema, verifyReadModel } from '../../projections/read-model.ts';
import { lockLog } from '../../src/db/log/event-log.ts';
import type { Database } from '../../src/db/pool.ts';
import { modelCreated } from '../harness/events/examples.ts';
import { appendCommand, openLogDatabase } from '../harness/postgres/log-database.ts';
import { until } from '../harness/wait.ts';

const models = 200;
const rebuilds = 4;
const readers = 3;

/** The names of all models and of their providers: two tables in one statement. */
async function readNames(db: Database): Promise<readonly string[]> {
  const rows: { name: string }[] = await db.query(sql`
    select models.name from models left join providers on providers.id = provider_id`);
  return rows.map(({ name }) => name);
}

const schemas = async (db: Database): Promise<readonly string[]> => {
  const rows: { nspname: string }[] = await db.query(
    sql`select nspname from pg_catalog.pg_namespace where nspname like 'rm\_%'`,
  );
  return rows.map(({ nspname }) => nspname);
};

describe('read models that are rebuilt', () => {
  it('answer every read with either the old or the new rows', async (t) => {
    const { db, close } = await openLogDatabase({ schema: readModelSchema, connectionsMax: 6 });
    t.after(close);
    const created = Array.from({ length: models }, (_, at) => modelCreated(at + 1, `m-${at}`));
    await appendCommand(db, emptyState, created);
    await buildReadModel(db);

    const reading = new AbortController();
    const seen = { before: 0, behind: 0 };
    const read = async (): Promise<void> => {
      while (!reading.signal.aborted) {
        const names = await readNames(db);
        const altered = names.filter((name) => name.startsWith('altered')).length;
        assert.equal(names.length, models);
        assert.ok(altered === 0 || altered === models, `${altered} of ${models} are of before`);
        seen[altered === 0 ? 'behind' : 'before'] += 1;
      }
    };
    const reads = Promise.all(Array.from({ length: readers }, read));
    // A failing reader ends the rebuilds too.
    reads.catch(() => reading.abort());
    for (let count = 0; count < rebuilds && !reading.signal.aborted; count++) {
      await db.query(sql`update ${sql.ident(readModelSchema, 'models')}
        set name = 'altered ' || id`);
      await rebuildReadModel(db);
    }
    reading.abort();
    await reads;

    assert.ok(seen.before > 0 && seen.behind > 0, JSON.stringify(seen));
    assert.deepEqual(await schemas(db), [readModelSchema]);
    const wrong = (await verifyReadModel(db)).tables.filter(({ equal }) => !equal);
    assert.deepEqual(wrong, []);
  });

  it('are dropped when their last reader is done, and no reader waits for that', async (t) => {
    const { db, close } = await openLogDatabase({ schema: readModelSchema, connectionsMax: 6 });
    t.after(close);
    await appendCommand(db, emptyState, [modelCreated(1, 'first')]);
    await buildReadModel(db);
    const rebuilding = await db.tx(async (tx) => {
      await tx.query(sql`select * from models`);
      const rebuilding = rebuildReadModel(db);
      // The tables read so far stay for this transaction, under their new name.
      for (let held = await schemas(db); !held.includes(`${readModelSchema}_former`);) {
        held = await schemas(db);
      }
      const rows: { name: string }[] = await tx.query(sql`select name from models`);
      assert.deepEqual(rows, [{ name: 'first' }]);
      return { done: rebuilding };
    });
    assert.equal(await rebuilding.done, 1);
    assert.deepEqual(await schemas(db), [readModelSchema]);
  });

  it('are not replaced by those of a concurrent rebuild that started over', async (t) => {
    const { db, close } = await openLogDatabase({ schema: readModelSchema, connectionsMax: 6 });
    t.after(close);
    const created = Array.from({ length: 1_100 }, (_, at) => modelCreated(at + 1, `m-${at}`));
    await appendCommand(db, emptyState, created);
    await buildReadModel(db);
    const waiting = async (count: number): Promise<boolean> => {
      const [row]: { waiting: number }[] = await db.query(sql`
        select count(*) as waiting from pg_stat_activity
        where datname = current_database() and wait_event_type = 'Lock'`);
      return row?.waiting === count;
    };
    const begun = await db.tx(async (first) => {
      await lockLog(first);
      const rebuilding = rebuildReadModel(db);
      rebuilding.catch(() => {});
      await until(() => waiting(1), { what: 'a rebuild that begins' });
      const another = db.tx(async (tx) => {
        await lockLog(tx);
        await until(() => waiting(1), { what: 'a rebuild that ends' });
        const shadow = `${readModelSchema}_rebuild`;
        await tx.query(sql`drop schema ${sql.ident(shadow)} cascade`);
        await createTables(tx, shadow);
        await tx.query(sql`update es.read_models set position = 0 where fingerprint = ${shadow}`);
      });
      await until(() => waiting(2), { what: 'another rebuild' });
      return { rebuilding, another };
    });
    await begun.another;
    await assert.rejects(begun.rebuilding, /does not stand at 1100/);
    assert.equal((await readNames(db)).length, 1_100);
  });
});
