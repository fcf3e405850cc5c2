// Tests that a control plane opens completely or not at all, and that planes on one database follow
// each other, with and without notifications.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { sql } from '@databases/pg';
import { Client } from 'pg';

import { readModelSchema } from '../../projections/read-model.ts';
import { listModels } from '../../projections/tables/models.ts';
import { openControlPlane } from '../../src/control/plane.ts';
import { appendEvents, lockLog, readHead } from '../../src/db/log/event-log.ts';
import type { Database } from '../../src/db/pool.ts';
import { seal } from '../../events/seal.ts';
import type { ConfigState } from '../../projections/config/state.ts';
import { modelCreated } from '../harness/events/examples.ts';
import { testMetadata, testRef } from '../harness/events/test-log.ts';
import { testKey, testPlane } from '../harness/control/plane.ts';
import type { TestPlane } from '../harness/control/plane.ts';
import { testDatabase } from '../harness/postgres/postgres.ts';
import { until } from '../harness/wait.ts';

const createModel = ({ run }: TestPlane, name: string) =>
  run({ command: { type: 'CreateModel', name, fields: {} } });

/** Waits until the plane serves a snapshot that contains the version. */
const serves = ({ plane }: TestPlane, version: number, limitMs = 5000) =>
  until(() => (plane.publisher.current()?.snapshot.version ?? 0) >= version, {
    limitMs,
    what: `version ${version}`,
  });

/** Appends as another release would: without our tables. */
const appendElsewhere = (db: Database, state: ConfigState, name: string): Promise<void> =>
  db.tx(async (tx) => {
    const head = await lockLog(tx);
    const sealed = seal([modelCreated(state.model.lastId + 1, name)], head, {
      txId: testRef(head.position + 1),
      at: Date.now(),
      newId: () => testRef(head.position + 1),
      streamVersion: () => 0,
      metadata: testMetadata('Test'),
    });
    await appendEvents(tx, sealed);
  });

describe('planes on one database', () => {
  it("see each other's events by notification", async (t) => {
    const one = await testPlane(t);
    const other = await one.another();
    await serves(other, (await createModel(one, 'a')).version);
    await serves(one, (await createModel(other, 'b')).version);
    assert.deepEqual(one.plane.store.state().hash, other.plane.store.state().hash);
  });

  it('see them within two seconds without notifications', async (t) => {
    const one = await testPlane(t);
    const other = await one.another();
    const session = await one.session();
    await session.query(`
      do $$ begin execute replace(pg_get_functiondef('es.events_guard'::regproc),
        'perform pg_notify', '-- perform pg_notify'); end $$`);
    const { version } = await createModel(one, 'a');
    await serves(other, version, 2000);
  });

  it('see them after their listening sessions were terminated', async (t) => {
    const one = await testPlane(t);
    const other = await one.another();
    const session = await one.session();
    await session.query(`
      select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and application_name = 'gw listen'`);
    await serves(other, (await createModel(one, 'a')).version);
    await until(
      async () => {
        const { rows } = await session.query(`
          select 1 from pg_stat_activity
          where datname = current_database() and application_name = 'gw listen'`);
        return rows.length === 2;
      },
      { what: 'both listen again' },
    );
  });

  it("read each other's rows in the tables at once", async (t) => {
    const one = await testPlane(t);
    const other = await one.another();
    await createModel(one, 'a');
    await createModel(other, 'b');
    for (const { plane } of [one, other]) {
      const names = (await listModels(plane.db, { after: null, limit: 100 })).map(
        ({ name }) => name,
      );
      assert.deepEqual(names, ['a', 'b']);
    }
  });

  it('serve events of another release although the tables cannot follow them', async (t) => {
    const one = await testPlane(t);
    await one.plane.db.query(
      sql`alter table ${sql.ident(readModelSchema, 'models')} rename to models_away`,
    );
    await appendElsewhere(one.plane.db, one.plane.store.state(), 'a');
    const head = await readHead(one.plane.db);
    await serves(one, head.position);
  });
});

const options = (databaseUrl: string) => ({
  databaseUrl,
  encryptionKey: testKey,
  connectionsMax: 2,
  appVersion: 'test',
  clock: Date.now,
  onFailure: () => undefined,
});

const publishedConfig = ({ plane }: TestPlane) => plane.publisher.current()?.snapshot.config;

describe('opening', () => {
  it('seed a new database once when two planes open it concurrently', async (t) => {
    const { url } = await testDatabase(t);
    const planes = await Promise.all([
      openControlPlane(options(url)),
      openControlPlane(options(url)),
    ]);
    try {
      const [one] = planes;
      const roles = [...one.store.state().role.byId.values()].map(({ name }) => name);
      assert.deepEqual(roles, ['inference', 'operator', 'admin']);
      const [row] = await one.db.query(
        sql`select count(*) as commands from audit_log where command = 'SeedLog'`,
      );
      assert.deepEqual(row, { commands: 1 });
    } finally {
      await Promise.all(planes.map((plane) => plane.close()));
    }
  });

  it('reaches the same state as the plane that wrote it', async (t) => {
    const one = await testPlane(t);
    for (const name of ['a', 'b', 'c']) await createModel(one, name);
    const other = await one.another();
    assert.deepEqual(other.plane.store.state(), one.plane.store.state());
    assert.deepEqual(publishedConfig(other), publishedConfig(one));
  });

  it('fails with another encryption key than that of the database', async (t) => {
    const one = await testPlane(t);
    const opening = one.another({ encryptionKey: new Uint8Array(32).fill(8) });
    await assert.rejects(opening, /GW_ENCRYPTION_KEY is key/);
  });

  it('fails when the log cannot be seeded: without roles, no one could sign in', async (t) => {
    const { url, superuserUrl } = await testDatabase(t);
    const session = new Client({ connectionString: superuserUrl });
    await session.connect();
    await session.query(`
      create function public.busy() returns trigger language plpgsql as $$
      begin raise exception 'busy' using errcode = '55P03'; end $$;
      create trigger busy before insert on es.events execute function public.busy()`);
    await session.end();
    await assert.rejects(
      openControlPlane(options(url)),
      /seeding the log: .*the change was not made/,
    );
  });

  it('leaves no session when it is closed', async (t) => {
    const one = await testPlane(t);
    const session = await one.session();
    await one.plane.close();
    await until(
      async () => {
        const { rows } = await session.query(`
          select 1 from pg_stat_activity
          where datname = current_database() and application_name like 'gw %'`);
        return rows.length === 0;
      },
      { what: 'no session' },
    );
  });
});
