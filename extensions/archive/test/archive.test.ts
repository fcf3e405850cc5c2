// Tests that each hour of usage is archived once, whatever fails in between, and that its manifest is
// in the log.

import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, it } from 'node:test';

import { sql } from '@databases/pg';

import { member } from '../../../test/harness/admin/admin.ts';
import { asSuperuser, rollBackTo } from '../../../test/harness/postgres/log-tampering.ts';
import type { Target } from '../target/target.ts';
import { archived, begin, hourMs, nameIn, rowIn, run } from './archived.ts';

const digest = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');
const idOf = (row: unknown): unknown => member(row, 'id');

/** A target that cannot be used from the write of a given file on, as if the process was killed. */
function failingAt(target: Target, file: string): Target {
  let isKilled = false;
  const use = <Result>(work: () => Promise<Result>): Promise<Result> =>
    isKilled ? Promise.reject(new Error('killed')) : work();
  return {
    ...target,
    write: (name, bytes) => {
      isKilled ||= name.endsWith(file);
      return use(() => target.write(name, bytes));
    },
    read: (name) => use(() => target.read(name)),
  };
}

describe('the archive of usage', () => {
  it('writes each hour with a manifest whose digest is in the log', async (t) => {
    const { deliver, due, files, rows, events, directory, problems } = await archived(t);
    await deliver(rowIn(0, 1), rowIn(0, 2, { cached: true }), rowIn(1, 3));
    await due();
    const names = [0, 1].flatMap((hour) => [
      nameIn(hour, '0001.parquet'),
      nameIn(hour, '_0001.json'),
    ]);
    assert.deepEqual(await files(), names.toSorted());
    const [first, second] = await rows(nameIn(0, '0001.parquet'));
    assert.deepEqual(
      ['id', 'at', 'run', 'seq', 'cost_micros', 'currency', 'model', 'status'].map((name) =>
        member(first, name),
      ),
      [rowIn(0, 1).id, (begin + 1) * 1000, run, 1, 2000, 'USD', 'small', 200],
    );
    assert.equal(member(second, 'cached'), true);
    assert.equal(Object.hasOwn(first ?? {}, 'principal'), false);
    const text = await readFile(path.join(directory, nameIn(0, '_0001.json')));
    const manifest: unknown = JSON.parse(text.toString());
    const segment = await readFile(path.join(directory, nameIn(0, '0001.parquet')));
    assert.equal(member(manifest, 'sha256'), digest(segment));
    assert.deepEqual(member(manifest, 'runs'), [
      {
        replica: 'r1',
        run,
        rows: 2,
        first_seq: 1,
        last_seq: 2,
        first_id: rowIn(0, 1).id,
        last_id: rowIn(0, 2).id,
      },
    ]);
    const sums = member(manifest, 'sums');
    assert.ok(Array.isArray(sums));
    assert.equal(member(member(sums[0], 'amounts'), 'prompt_tokens'), '2000');
    const [event] = await events();
    assert.deepEqual(event, {
      dataset: 'usage',
      hour: new Date(begin).toISOString(),
      segment: 1,
      rows: 2,
      manifest_sha256: digest(text),
      adopted: false,
    });
    assert.deepEqual(await problems(), []);
    await due();
    assert.equal((await events()).length, 2);
  });

  it('leaves an hour open until it ended and its rows had time to arrive', async (t) => {
    const { deliver, due, files, time } = await archived(t);
    await deliver(rowIn(3, 1), rowIn(4, 2));
    await due();
    assert.deepEqual(await files().catch(() => []), []);
    time.now += 10 * 60_000;
    await due();
    assert.equal((await files()).length, 2);
  });

  it('writes late rows of an hour to a further segment, once an hour', async (t) => {
    const { deliver, due, rows, time, files, problems } = await archived(t);
    await deliver(rowIn(0, 1));
    await due();
    await deliver(rowIn(0, 2));
    await due();
    assert.equal((await files()).length, 2);
    time.now += hourMs;
    await deliver(rowIn(0, 3));
    await due();
    assert.deepEqual(
      (await rows(nameIn(0, '0002.parquet'))).map(idOf),
      [2, 3].map((seq) => rowIn(0, seq).id),
    );
    assert.deepEqual(await problems(), []);
  });

  it('splits large hours and continues after each segment', async (t) => {
    const { deliver, due, rows, files, target, problems, time } = await archived(t);
    const all = Array.from({ length: 25 }, (_value, index) => rowIn(0, index + 1));
    await deliver(...all);
    const bounds = { segmentRows: 10, pageRows: 4 };
    const killed = failingAt(target, '0002.parquet');
    await assert.rejects(due({ ...bounds, target: killed }), /killed/);
    await deliver(rowIn(0, 26));
    await due(bounds);
    const segments = (await files()).filter((name) => name.endsWith('.parquet'));
    assert.equal(segments.length, 3);
    const lists = await Promise.all(segments.map(rows));
    assert.deepEqual(lists.flat().map(idOf), all.map(idOf));
    time.now += hourMs;
    await due(bounds);
    assert.equal((await rows(nameIn(0, '0004.parquet'))).length, 1);
    assert.deepEqual(await problems(), []);
  });

  for (const file of ['0001.parquet', '_0001.json']) {
    it(`writes the same segment again if it was killed at ${file}`, async (t) => {
      const { deliver, due, target, events, problems, files, rows, time } = await archived(t);
      await deliver(rowIn(0, 1), rowIn(0, 2));
      await assert.rejects(due({ target: failingAt(target, file) }), /killed/);
      assert.deepEqual(await events(), []);
      await deliver(rowIn(0, 3));
      await due();
      assert.equal((await events()).length, 1);
      time.now += hourMs;
      await due();
      assert.equal((await files()).length, 4);
      assert.deepEqual((await rows(nameIn(0, '0002.parquet'))).map(idOf), [rowIn(0, 3).id]);
      assert.deepEqual(await problems(), []);
    });
  }

  it('ends a segment with the page that reaches its size', async (t) => {
    const { deliver, due, rows, files, problems } = await archived(t);
    const all = Array.from({ length: 9 }, (_value, index) => rowIn(0, index + 1));
    await deliver(...all);
    await due({ segmentBytes: 1, pageRows: 4 });
    const segments = (await files()).filter((name) => name.endsWith('.parquet'));
    const lists = await Promise.all(segments.map(rows));
    assert.deepEqual(
      lists.map(({ length }) => length),
      [4, 4, 1],
    );
    assert.deepEqual(lists.flat().map(idOf), all.map(idOf));
    assert.deepEqual(await problems(), []);
  });

  it('stops after a while and continues with the next segment of the hour', async (t) => {
    const { deliver, due, files, rows, problems } = await archived(t);
    const all = Array.from({ length: 9 }, (_value, index) => rowIn(0, index + 1));
    await deliver(...all);
    const segments = async (): Promise<string[]> =>
      (await files()).filter((name) => name.endsWith('.parquet'));
    const run = (): Promise<void> => {
      let now = begin + 4 * hourMs;
      return due({ segmentRows: 4, clock: () => (now += 1_200) });
    };
    await run();
    assert.equal((await segments()).length, 2);
    await run();
    const names = await segments();
    assert.equal(names.length, 3);
    assert.deepEqual((await Promise.all(names.map(rows))).flat().map(idOf), all.map(idOf));
    assert.deepEqual(await problems(), []);
  });

  it('adopts an unknown segment and does not archive its rows again', async (t) => {
    const { deliver, due, events, problems, rows, files, archiving, time } = await archived(t);
    await deliver(rowIn(0, 1), rowIn(0, 2));
    // Another release would write other bytes.
    await due({ pageRows: 1 });
    const { db } = archiving.plane;
    await db.query(sql`
      update op.usage_archive_hours set segments = 0, done = -1, place = null, archived_at = null`);
    await db.query(sql`
      insert into op.usage_archive_notes (generation, hour)
      values (0, ${new Date(begin).toISOString()})`);
    await deliver(rowIn(0, 3));
    await due();
    assert.deepEqual(
      (await events()).map((event) =>
        ['segment', 'rows', 'adopted'].map((name) => member(event, name)),
      ),
      [
        [1, 2, false],
        [1, 2, true],
        [2, 1, false],
      ],
    );
    assert.deepEqual((await rows(nameIn(0, '0002.parquet'))).map(idOf), [rowIn(0, 3).id]);
    time.now += hourMs;
    await due();
    assert.equal((await files()).length, 4);
    assert.deepEqual(await problems(), []);
  });

  it('continues with the archive after a restore of an older backup', async (t) => {
    const first = await archived(t);
    await first.deliver(rowIn(0, 1));
    await first.due();
    const { position } = first.plane.store.state();
    const superuser = asSuperuser({ superuserUrl: first.databaseUrl });
    const tables = ['usage_archive', 'usage_archive_hours', 'usage_events'];
    await superuser(...tables.map((name) => `create table backup_${name} as table op.${name}`));
    await first.deliver(rowIn(0, 2));
    first.time.now += hourMs;
    await first.due();
    assert.equal((await first.events()).length, 2);
    await superuser(
      ...rollBackTo(position),
      ...tables.flatMap((name) => [
        `delete from op.${name}`,
        `insert into op.${name} table backup_${name}`,
      ]),
    );
    const database = {
      url: first.databaseUrl,
      superuserUrl: first.databaseUrl,
      drop: async () => {},
    };
    const restored = await archived(t, { database, directory: first.directory });
    // One row is delivered again, and one is new.
    await restored.deliver(rowIn(0, 2), rowIn(0, 3));
    restored.time.now += 2 * hourMs;
    await restored.due();
    assert.deepEqual(
      (await restored.events()).map((event) =>
        ['segment', 'rows', 'adopted'].map((name) => member(event, name)),
      ),
      [
        [1, 1, false],
        [2, 1, true],
        [3, 1, false],
      ],
    );
    assert.deepEqual((await restored.rows(nameIn(0, '0003.parquet'))).map(idOf), [rowIn(0, 3).id]);
    assert.deepEqual(
      (await restored.problems()).filter((one) => member(one, 'kind') !== 'changed_sums'),
      [],
    );
  });

  it('archives each row once when control planes archive at the same time', async (t) => {
    const { deliver, due, events, rows, files, problems } = await archived(t);
    const all = Array.from({ length: 30 }, (_value, index) => rowIn(index % 3, index + 1));
    await deliver(...all);
    const bounds = { segmentRows: 4, pageRows: 2 };
    const holders = ['one', 'two', 'three'];
    for (let round = 0; round < 3; round++) {
      await Promise.all(holders.map((holder) => due({ ...bounds, holder })));
    }
    const names = (await files()).filter((name) => name.endsWith('.parquet'));
    assert.equal(names.length, (await events()).length);
    const ids = (await Promise.all(names.map(rows))).flat().map(idOf);
    assert.deepEqual(new Set(ids), new Set(all.map(idOf)));
    assert.equal(ids.length, all.length);
    assert.deepEqual(await problems(), []);
  });

  it('archives corrections, and adds up to the sums of reports', async (t) => {
    const {
      deliver,
      due,
      send,
      rows,
      problems,
      verify,
      db: _db,
      events,
    } = {
      db: null,
      ...(await archived(t)),
    };
    await deliver(rowIn(0, 1), rowIn(1, 2), rowIn(1, 3));
    await due();
    await send('PATCH', '/admin/models/1', { input_price_per_mtok: 3_000_000 });
    const span = {
      since: new Date(begin).toISOString(),
      until: new Date(begin + 3 * hourMs).toISOString(),
    };
    const { status } = await send('POST', '/admin/usage/reprice', span);
    assert.equal(status, 200);
    await due();
    const made = await rows(nameIn(1, '0001.parquet', 'corrections'));
    assert.deepEqual(
      made.map((row) => member(row, 'delta_micros')),
      [2000, 2000],
    );
    assert.equal((await events()).length, 4);
    assert.deepEqual(await problems(), []);
    assert.equal((await verify()).rows, 6);
    await due();
    assert.equal((await events()).length, 4);
  });

  it('refuses the archive of another event log', async (t) => {
    const { deliver, due, directory } = await archived(t);
    await deliver(rowIn(0, 1));
    await due();
    const other = await archived(t, { directory });
    await other.deliver(rowIn(0, 1), rowIn(0, 2));
    await assert.rejects(other.due({ logId: 'another' }), /belongs to event log .*--usage-archive/);
  });
});
