// Tests that a verification of the archive proves what is intact, and names each file and hour that is
// not.

import assert from 'node:assert/strict';
import { chmod, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, it } from 'node:test';

import { sql } from '@databases/pg';
import type { Queryable } from '@databases/pg';

import { idents } from '../../../src/db/columns.ts';
import { usageEventColumns } from '../../../src/db/usage/usage-events.ts';
import { adminPassword, errorOf, member } from '../../../test/harness/admin/admin.ts';
import { gw } from '../../../test/harness/program/command-line.ts';
import { until } from '../../../test/harness/wait.ts';
import { archived, begin, hourMs, nameIn, rowIn } from './archived.ts';

const hourOf = (hour: number): string => new Date(begin + hour * hourMs).toISOString();

async function change(file: string, edit: (bytes: Buffer) => void): Promise<void> {
  const bytes = await readFile(file);
  edit(bytes);
  await chmod(file, 0o640);
  await writeFile(file, bytes);
}

describe('the verification of the archive', () => {
  it('counts what is intact', async (t) => {
    const { deliver, due, verify } = await archived(t);
    await deliver(rowIn(0, 1), rowIn(0, 2), rowIn(1, 3));
    await due();
    await deliver(rowIn(2, 4));
    const { bytes, ...check } = await verify();
    assert.ok(bytes > 1000);
    assert.deepEqual(check, {
      hours: 2,
      segments: 2,
      rows: 3,
      compared: 2,
      pending: [hourOf(2)],
      uncompared: [],
      problems: [],
    });
  });

  it('says which hours it cannot compare', async (t) => {
    const { deliver, due, verify, archiving } = await archived(t);
    await deliver(rowIn(0, 1), rowIn(1, 2), rowIn(2, 3));
    await due();
    const { db } = archiving.plane;
    await db.query(sql`update op.usage_events set is_summed = false where id = ${rowIn(1, 2).id}`);
    await db.query(sql`update op.usage_archive set first_hour = ${hourOf(1)}`);
    const { compared, pending, uncompared, problems } = await verify();
    assert.deepEqual([compared, pending, problems], [1, [], []]);
    assert.deepEqual(uncompared, [hourOf(0), hourOf(1)]);
  });

  it('names an hour of the archive that the database has no sums of', async (t) => {
    const { deliver, due, problems, archiving } = await archived(t);
    await deliver(rowIn(0, 1), rowIn(1, 2));
    await due();
    await archiving.plane.db.query(sql`
      delete from op.usage_sums where period >= ${hourOf(1)}::timestamptz`);
    assert.deepEqual(await problems(), [
      { kind: 'changed_sums', hour: hourOf(1), file: undefined },
    ]);
  });

  it('names the file and hour of any byte that was flipped', async (t) => {
    const { deliver, due, problems, directory } = await archived(t);
    await deliver(rowIn(0, 1), rowIn(1, 2));
    await due();
    const name = nameIn(1, '0001.parquet');
    const file = path.join(directory, name);
    const { length } = await readFile(file);
    const wrong = [{ kind: 'changed_file', hour: hourOf(1), file: name }];
    for (const place of [0, 4, Math.floor(length / 3), Math.floor(length / 2), length - 1]) {
      const flip = (bytes: Buffer): void => {
        bytes.writeUInt8(bytes.readUInt8(place) ^ 1, place);
      };
      await change(file, flip);
      assert.deepEqual(await problems(), wrong);
      await change(file, flip);
      assert.deepEqual(await problems(), []);
    }
  });

  it('names changed and missing manifests, and missing segments', async (t) => {
    const { deliver, due, problems, directory } = await archived(t);
    await deliver(rowIn(0, 1), rowIn(1, 2), rowIn(2, 3));
    await due();
    const [changed, missing, gone] = [
      nameIn(0, '_0001.json'),
      nameIn(1, '_0001.json'),
      nameIn(2, '0001.parquet'),
    ];
    await change(path.join(directory, changed), (bytes) => bytes.write('9', 20));
    await rm(path.join(directory, missing));
    await rm(path.join(directory, gone));
    assert.deepEqual(await problems(), [
      { kind: 'changed_file', hour: hourOf(0), file: changed },
      { kind: 'missing_file', hour: hourOf(1), file: missing },
      { kind: 'missing_file', hour: hourOf(2), file: gone },
    ]);
  });

  it('names hours whose rows differ from the sums of the database', async (t) => {
    const { deliver, due, sum, problems, archiving, time } = await archived(t);
    await deliver(rowIn(0, 1), rowIn(1, 2));
    await due();
    time.now += hourMs;
    await sum();
    assert.deepEqual(await problems(), []);
    await archiving.plane.db.query(sql`
      update op.usage_sums set cost_micros = cost_micros + 1
      where precision = 'hour' and dimension = 'all' and period = ${hourOf(1)}::timestamptz`);
    assert.deepEqual(await problems(), [
      { kind: 'changed_sums', hour: hourOf(1), file: undefined },
    ]);
  });

  it('misses no row that is stored while the hour is archived', async (t) => {
    const { deliver, due, archiving, rows, time, problems } = await archived(t);
    await deliver(rowIn(0, 1));
    const { db } = archiving.plane;
    const own = idents(Object.keys(usageEventColumns).filter((name) => name !== 'id'));
    const started = await db.tx(async (tx) => {
      await tx.query(sql`
        insert into op.usage_events (id, ${own})
        select ${rowIn(0, 2).id}, ${own} from op.usage_events where id = ${rowIn(0, 1).id}`);
      const done = due();
      await until(() => waitsForLock(db), {
        limitMs: 2_000,
        what: 'the archive waits for the row',
      });
      return { done };
    });
    await started.done;
    time.now += hourMs;
    await due();
    assert.equal((await rows(nameIn(0, '0001.parquet'))).length, 2);
    await db.query(sql`update op.usage_events set is_summed = false where id = ${rowIn(0, 2).id}`);
    assert.deepEqual(await problems(), []);
  });

  it('is served to callers with usage:read and printed by the command line', async (t) => {
    const { deliver, due, send, ask, login, url, directory, archiving } = await archived(t);
    await deliver(rowIn(0, 1), rowIn(1, 2));
    await due();
    const span = `since=${hourOf(0)}&until=${hourOf(3)}`;
    const verify = `/admin/usage/archive/verify?${span}`;
    const { status, body } = await send('GET', verify);
    assert.deepEqual([status, member(body, 'rows'), member(body, 'problem_count')], [200, 2, 0]);
    const cookie = await login('outsider', ['inference']);
    assert.equal((await ask({ path: verify, cookie })).status, 403);
    const long = `since=${hourOf(-800)}&until=${hourOf(3)}`;
    const refused = await send('GET', `/admin/usage/archive/verify?${long}`);
    assert.deepEqual(errorOf(refused), [400, 'invalid', 'until']);
    const { body: state } = await send('GET', '/admin/usage/archive');
    assert.deepEqual(
      ['is_on', 'place', 'hours', 'pending_hours'].map((name) => member(state, name)),
      [true, directory, 2, 0],
    );
    const env = { GW_CONTROL_URL: url, GW_PASSWORD: adminPassword };
    const print = (...command: readonly string[]) =>
      gw(['usage', 'archive', ...command, '--login', 'boss'], { env });
    const shown = await print();
    assert.deepEqual([shown.code, shown.stderr], [0, '']);
    assert.match(shown.stdout, /2 hours in 2 segments/);
    const proven = await print('verify');
    assert.deepEqual([proven.code, proven.stderr], [0, '']);
    assert.match(
      proven.stdout,
      /^2 rows in 2 segments of 2 hours\n2 hours were compared.*\nwhat was compared is complete/,
    );
    await deliver(rowIn(2, 3));
    const pending = await print('verify');
    assert.equal(pending.code, 10);
    assert.match(
      pending.stdout,
      /\n1 hours have rows that are not in the archive yet, from .*; those/,
    );
    await due();
    assert.equal((await print('verify')).code, 0);
    await archiving.plane.db.query(sql`
      update op.usage_archive set first_hour = ${hourOf(1)}::timestamptz`);
    const uncompared = await print('verify', '--from', hourOf(0));
    assert.equal(uncompared.code, 10);
    assert.match(uncompared.stdout, /\n1 hours could not be compared, from /);
    assert.doesNotMatch(uncompared.stdout, /complete/);
    const file = path.join(directory, nameIn(0, '0001.parquet'));
    await change(file, (bytes) => bytes.write('X', 100));
    const failed = await print('verify', '--from', hourOf(0));
    assert.equal(failed.code, 10);
    assert.match(
      failed.stdout,
      new RegExp(`${nameIn(0, '0001.parquet')} was changed: its SHA-256`),
    );
  });
});

async function waitsForLock(db: Queryable): Promise<boolean> {
  const waiting: unknown[] = await db.query(sql`
    select from pg_locks where locktype = 'advisory' and not granted`);
  return waiting.length > 0;
}
