// Tests that an upgrade of a database with usage rows does not stop their intake, and that they are in the sums afterwards.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { sql } from '@databases/pg';
import type { Queryable } from '@databases/pg';

import { createIndexUsage } from '../../src/control/usage/index-usage.ts';
import { createSumUsage } from '../../src/control/usage/usage-sums.ts';
import { migrate } from '../../src/db/migrate.ts';
import { sumUnsummed } from '../../src/db/usage/sums/add-deltas.ts';
import { isUnsummedIndexed } from '../../src/db/usage/sums/unsummed-index.ts';
import { databaseOf, recordMigrations } from '../harness/postgres/earlier-database.ts';
import { until } from '../harness/wait.ts';

/** Rows of an earlier release, evenly in the 50 days before this moment. */
async function insertRows(db: Queryable, rows: number, name = 'row'): Promise<void> {
  for (const days of [0, 25, 50]) {
    await db.query(sql`select op.ensure_usage_month(now() - ${days}::integer * interval '1 day')`);
  }
  await db.query(sql`
    insert into op.usage_events (id, at, received_at, replica, principal_id, principal,
      virtual_model, path, snapshot_version, stream, status, prompt_tokens, completion_tokens,
      usage_reported, cached, duration_ms, attempts, prompt_estimate)
    select ${name} || '-' || number, now() - interval '50 days' * number / ${rows}::integer, now(), 'r1', 1,
      'root', 'chat', '/v1/chat/completions', 1, false, 200, 10, 5, true, false, 100, 1, 10
    from generate_series(1, ${rows}::integer) number`);
}

const fail = (error: unknown): void => assert.fail(String(error));

describe('upgrading a database with usage rows', () => {
  it('leaves the index of existing months to the background, and sums their rows then', async (t) => {
    const { db, open, names } = await databaseOf(t, 32);
    await insertRows(db, 500);
    await recordMigrations(db, names, 32);
    await migrate(db);
    assert.equal(await isUnsummedIndexed(db), false);

    const sumUsage = createSumUsage({ db, clock: Date.now });
    await sumUsage();
    assert.deepEqual(await unsummed(db), [{ rows: 500 }]);

    // Two replicas.
    const [one, other] = [1, 2].map(() =>
      createIndexUsage({ db, openMaintenance: open, onFailure: fail }),
    );
    await Promise.all([one?.(), other?.(), one?.()]);
    await until(() => isUnsummedIndexed(db), { what: 'the months are indexed' });
    const invalid: unknown[] = await db.query(sql`
      select indexrelid::regclass from pg_index where not indisvalid`);
    assert.deepEqual(invalid, []);
    await sumUsage();
    assert.deepEqual(await unsummed(db), [{ rows: 0 }]);
  });

  it('takes in usage while another session, such as that of a dump, holds its table', async (t) => {
    const { db, open, names } = await databaseOf(t, 32);
    await insertRows(db, 1);
    await recordMigrations(db, names, 32);
    const dump = open();
    t.after(() => dump.dispose());
    const doing: string[] = [];
    const told = (what: RegExp) =>
      until(() => doing.some((one) => what.test(one)), { what: String(what) });
    const migrating = await dump.tx(async (tx) => {
      await tx.query(sql`select set_config('application_name', 'a dump', true)`);
      await tx.query(sql`lock table op.usage_events in access share mode`);
      const migrating = migrate(db, { onProgress: (what) => void doing.push(what) });
      await until(() => isAwaited(db), { what: 'the migration waits for the table' });
      // Fails if it waits longer than the lock timeout of the pool.
      await insertRows(db, 1, 'later');
      await told(/^migration 0033-usage-sums\.sql waits .*: .*\ba dump \(pid \d+\)/);
      return { migrating };
    });
    await migrating.migrating;
    assert.deepEqual(await unsummed(db), [{ rows: 2 }]);
  });

  it('names the sessions that hold locks for the longest time', async (t) => {
    const { db, open, names } = await databaseOf(t, 32);
    await recordMigrations(db, names, 32);
    const doing: string[] = [];
    let ended = Promise.resolve();
    const hold = (name: string, work: () => Promise<void>): Promise<void> => {
      const session = open();
      t.after(() => session.dispose());
      return session.tx(async (tx) => {
        await tx.query(sql`select set_config('application_name', ${name}, true)`);
        await tx.query(sql`lock table op.usage_events in access share mode`);
        await work();
      });
    };
    const migrateUntilItWaits = async (): Promise<void> => {
      ended = migrate(db, { onProgress: (what) => void doing.push(what) });
      await until(() => doing.some((one) => one.includes('waits')), { what: 'it waits' });
    };
    const holdLater = (sessions: number): Promise<void> =>
      sessions === 0
        ? migrateUntilItWaits()
        : hold(`a session ${sessions}`, () => holdLater(sessions - 1));
    await hold('the oldest', () => holdLater(6));
    await ended;
    assert.match(
      doing.find((one) => one.includes('waits')) ?? '',
      /: the oldest \(pid \d+\), a session 6/,
    );
  });

  it('replaces an index that a failure left invalid', async (t) => {
    const { db, open, names } = await databaseOf(t, 32);
    await insertRows(db, 10);
    await recordMigrations(db, names, 32);
    await migrate(db);
    const [month]: { name: string }[] = await db.query(sql`
      select max(relname) as name from pg_class where relname ~ '^usage_events_[0-9]+_[0-9]+$'`);
    const name = month?.name ?? '';
    await db.query(sql`
      create index ${sql.ident(`${name}_unsummed`)} on ${sql.ident('op', name)} (at)
      where not is_summed`);
    await db.query(sql`
      update pg_index set indisvalid = false
      where indexrelid = ${`op.${name}_unsummed`}::regclass`);
    await createIndexUsage({ db, openMaintenance: open, onFailure: fail })();
    await until(() => isUnsummedIndexed(db), { what: 'the months are indexed' });
  });

  it('accepts the migration as it was before its release', async (t) => {
    const { db, names } = await databaseOf(t, 40);
    await recordMigrations(db, names, 40);
    await db.query(sql`
      update public.gw_migrations
      set checksum = '1be6646952ae4da4e52481859137c51e34a22aa534978a3f7d03d559faa5edac'
      where number = 33`);
    await migrate(db);
  });

  it('new months have the index from the start', async (t) => {
    const { db, names } = await databaseOf(t, 32);
    await insertRows(db, 10);
    await recordMigrations(db, names, 32);
    await migrate(db);
    await db.query(sql`select op.ensure_usage_month('2031-05-01'::timestamptz)`);
    const found: unknown[] = await db.query(sql`
      select indisvalid from pg_index
      where indrelid = 'op.usage_events_2031_05'::regclass
        and pg_get_expr(indpred, indrelid) = '(NOT is_summed)'`);
    assert.deepEqual(found, [{ indisvalid: true }]);
  });
});

it('existing sums are part of the precisions that a migration adds between theirs', async (t) => {
  const { db, names } = await databaseOf(t, 40);
  await recordMigrations(db, names, 40);
  const periods = [
    { precision: 'minute', period: '2026-03-31T23:59:00Z', is_pending: false },
    { precision: 'hour', period: '2026-03-31T23:00:00Z', is_pending: false },
    { precision: 'hour', period: '2026-04-01T00:00:00Z', is_pending: true },
    { precision: 'day', period: '2026-03-31T00:00:00Z', is_pending: false },
    { precision: 'day', period: '2026-02-11T00:00:00Z', is_pending: false },
    { precision: 'day', period: '2026-04-01T00:00:00Z', is_pending: true },
  ];
  const same = { dimension: 'all', currency: 'USD', requests: 7, is_rolled_up: false };
  await db.query(sql`
    insert into op.usage_sums
    select (jsonb_populate_record(null::op.usage_sums,
      zeros || one || ${JSON.stringify(same)}::jsonb)).*
    from jsonb_array_elements(${JSON.stringify(periods)}::jsonb) one, (
      select jsonb_object_agg(column_name, 0) as zeros from information_schema.columns
      where table_schema = 'op' and table_name = 'usage_sums' and data_type = 'bigint'
        and is_nullable = 'NO') columns`);
  await migrate(db);
  const added: unknown[] = await db.query(sql`
    select precision, to_char(period at time zone 'UTC', 'MM-DD HH24:MI') as period, is_pending,
      requests
    from op.usage_sums where precision in ('five_minutes', 'six_hours', 'ten_days')
    order by precision, period`);
  assert.deepEqual(added, [
    { precision: 'five_minutes', period: '03-31 23:55', is_pending: false, requests: 7 },
    { precision: 'six_hours', period: '03-31 18:00', is_pending: false, requests: 7 },
    { precision: 'ten_days', period: '02-11 00:00', is_pending: false, requests: 7 },
    { precision: 'ten_days', period: '03-21 00:00', is_pending: false, requests: 7 },
  ]);
});

it('adds rows to the sums without reading whole months, also without statistics', async (t) => {
  const { db, names } = await databaseOf(t, 40);
  await recordMigrations(db, names, 40);
  await migrate(db);
  await insertRows(db, 60_000);
  const read = async (): Promise<unknown> => {
    await db.query(sql`select pg_stat_force_next_flush()`);
    return db.query(sql`
      select relname, seq_tup_read from pg_stat_user_tables
      where relname ~ '^usage_events_' order by relname`);
  };
  const before = await read();
  assert.equal(await db.tx((tx) => sumUnsummed(tx, 2_000)), 2_000);
  assert.deepEqual(await read(), before);
});

const unsummed = (db: Queryable): Promise<unknown[]> =>
  db.query(sql`select count(*) as rows from op.usage_events where not is_summed`);

const isAwaited = async (db: Queryable): Promise<boolean> => {
  const waiting: unknown[] = await db.query(sql`
    select from pg_locks where relation = 'op.usage_events'::regclass and not granted
      and mode = 'AccessExclusiveLock'`);
  return waiting.length > 0;
};
