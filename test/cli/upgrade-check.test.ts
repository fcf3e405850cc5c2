// Tests `gw upgrade check` on databases of this release and of an earlier one.

import assert from 'node:assert/strict';
import { readFile, readdir } from 'node:fs/promises';
import { describe, it } from 'node:test';

import { sql } from '@databases/pg';
import { z } from 'zod';

import { releases } from '../../src/control/upgrade/releases.ts';
import { openDatabase } from '../../src/db/pool.ts';
import { snapshotSchemaVersion } from '../../src/snapshot/schema.ts';
import { gw } from '../harness/program/command-line.ts';
import { databaseOf, recordMigrations } from '../harness/postgres/earlier-database.ts';
import { testDatabase } from '../harness/postgres/postgres.ts';

const checked = z.object({
  version: z.string(),
  migration: z.int(),
  pending: z.array(
    z.object({
      name: z.string(),
      is_long: z.boolean(),
      locks: z.array(z.object({ table: z.string(), blocks: z.string() })),
    }),
  ),
  read_models: z.object({ events: z.int(), seconds: z.int() }),
  proxies: z.array(z.unknown()).nullable(),
  oldest_release: z.string().nullable(),
});

async function check(url: string) {
  const ended = await gw(['upgrade', 'check', '--json'], { env: { GW_DATABASE_URL: url } });
  assert.equal(ended.stderr, '');
  return { code: ended.code, ...checked.parse(JSON.parse(ended.stdout)) };
}

describe('gw upgrade check', () => {
  it('names the pending migrations with their locks, and changes nothing', async (t) => {
    const { url, db, names } = await databaseOf(t, 21);
    await recordMigrations(db, names, 21);
    const found = await check(url);
    assert.equal(found.migration, 21);
    assert.deepEqual(
      found.pending.map(({ name }) => name),
      names.filter((name) => Number(name.slice(0, 4)) > 21),
    );
    const of = (name: string) => found.pending.find((one) => one.name === name);
    assert.deepEqual(of('0041-usage-units.sql'), {
      name: '0041-usage-units.sql',
      is_long: false,
      locks: [{ table: 'op.usage_events', blocks: 'reads and writes' }],
    });
    assert.equal(of('0033-usage-sums.sql')?.is_long, true);
    assert.deepEqual(of('0031-bill-reconciliations.sql')?.locks, []);
    assert.equal(found.proxies, null);
    assert.equal(found.oldest_release, null);
    assert.deepEqual((await check(url)).pending, found.pending);

    const { stdout } = await gw(['upgrade', 'check'], { env: { GW_DATABASE_URL: url } });
    assert.match(
      stdout,
      /^ {2}0041-usage-units\.sql: locks op\.usage_events \(reads and writes wait\)$/m,
    );
    assert.match(stdout, /^ {2}0031-bill-reconciliations\.sql: locks none$/m);
    assert.match(stdout, /^going back: no earlier release starts on the database/m);
  });

  it('finds nothing to do on a database of this release, and counts proxies by release', async (t) => {
    const { url } = await testDatabase(t);
    const db = openDatabase({
      url,
      purpose: 'maintenance',
      applicationName: 'gw test',
      connectionsMax: 1,
    });
    t.after(() => db.dispose());
    for (const [replica, version] of [
      ['one', null],
      ['two', '0.1.0'],
      ['three', '0.1.0'],
      ['four', '99.0.0'],
    ] as const) {
      await db.query(sql`
        insert into op.fleet (replica, report, backends, unhealthy, reported_at, snapshot_since)
        values (${replica}, ${JSON.stringify({ program_version: version })}, 0, 0, now(), now())`);
    }
    const found = await check(url);
    assert.equal(found.code, 0);
    assert.deepEqual(found.pending, []);
    assert.equal(found.read_models.events, 0);
    const byVersion = new Map(
      z
        .array(z.object({ version: z.string().nullable() }).loose())
        .parse(found.proxies)
        .map(({ version, ...rest }) => [version, rest]),
    );
    assert.deepEqual(Object.fromEntries(byVersion), {
      null: { replicas: 1, follows: true },
      '0.1.0': { replicas: 2, follows: true },
      '99.0.0': { replicas: 1, follows: null },
    });
  });

  it('refuses a database of a newer release', async (t) => {
    const { url, db, names } = await databaseOf(t, 21);
    await recordMigrations(db, names, 21);
    await db.query(sql`insert into public.gw_migrations values (9999, '9999-later.sql', '')`);
    const { code, stderr } = await gw(['upgrade', 'check'], { env: { GW_DATABASE_URL: url } });
    assert.equal(code, 1);
    assert.match(stderr, /has migration 9999, which is newer than this program/);
  });
});

describe('the table of releases', () => {
  it('has every release of the changelog', async () => {
    const changelog = await readFile(new URL('../../CHANGELOG.md', import.meta.url), 'utf8');
    const named = [...changelog.matchAll(/^## (\d+\.\d+\.\d+)$/gm)].map(([, version]) => version);
    assert.deepEqual(releases.map(({ version }) => version).toReversed(), named);
  });

  it('has no release that is newer than this program', async () => {
    const names = await readdir(new URL('../../migrations/', import.meta.url));
    const last = Math.max(...names.map((name) => Number(name.slice(0, 4))));
    for (const { migration, snapshotSchema } of releases) {
      assert.ok(migration <= last);
      assert.ok(snapshotSchema <= snapshotSchemaVersion);
    }
  });
});
