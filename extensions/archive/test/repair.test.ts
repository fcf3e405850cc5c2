// Tests that lost and damaged files are written again from the rows of the database, as the log names
// them, and that nothing is written if rows are gone.

import assert from 'node:assert/strict';
import { chmod, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, it } from 'node:test';
import type { TestContext } from 'node:test';

import { sql } from '@databases/pg';

import { adminPassword, member } from '../../../test/harness/admin/admin.ts';
import { gw } from '../../../test/harness/program/command-line.ts';
import { repairArchive } from '../repair.ts';
import { archived, begin, hourMs, nameIn, rowIn } from './archived.ts';

const actor = { kind: 'system', principal_id: null } as const;
const bounds = { segmentRows: 10, pageRows: 4 };

async function repairable(t: TestContext) {
  const started = await archived(t);
  const { deliver, due, time, directory, archiving, send } = started;
  await deliver(...Array.from({ length: 25 }, (_value, index) => rowIn(0, index + 1)));
  await due(bounds);
  await deliver(rowIn(0, 26), rowIn(0, 27));
  time.now += hourMs;
  await due(bounds);
  await send('PATCH', '/admin/models/1', { input_price_per_mtok: 3_000_000 });
  const range = { since: new Date(begin), until: new Date(begin + hourMs) };
  const printed = { since: range.since.toISOString(), until: range.until.toISOString() };
  assert.equal((await send('POST', '/admin/usage/reprice', printed)).status, 200);
  await due(bounds);
  const file = (name: string, dataset?: string): string =>
    path.join(directory, nameIn(0, name, dataset));
  return {
    ...started,
    file,
    damage: async (name: string): Promise<void> => {
      await chmod(file(name), 0o640);
      await writeFile(file(name), 'damaged');
    },
    repair: async (change: object = {}) => {
      const { repairs } = await repairArchive({ ...archiving, ...bounds, ...change, actor }, range);
      return repairs.map(({ file: name, outcome, problem }) => ({ name, outcome, problem }));
    },
  };
}

const same = (file: string, dataset?: string) => ({
  name: nameIn(0, file, dataset),
  outcome: 'same' as const,
  problem: null,
});

describe('the repair of the archive', () => {
  it('writes each lost or damaged file again with the digest of the log', async (t) => {
    const { file, damage, repair, problems, events, files } = await repairable(t);
    const before = await files();
    assert.equal(before.length, 2 * 7);
    const bytes = await readFile(file('0001.parquet'));
    await rm(file('0001.parquet'));
    await rm(file('_0001.json'));
    await damage('0002.parquet');
    await damage('_0003.json');
    await rm(file('0004.parquet'));
    await rm(file('0002.parquet', 'corrections'));
    const made = (await events()).length;
    assert.deepEqual(await repair(), [
      ...['0001', '0002', '0003', '0004'].map((name) => same(`${name}.parquet`)),
      same('0002.parquet', 'corrections'),
    ]);
    assert.deepEqual(await readFile(file('0001.parquet')), bytes);
    assert.deepEqual(await files(), before);
    assert.deepEqual(await problems(), []);
    assert.equal((await events()).length, made);
    assert.deepEqual(await repair(), []);
  });

  it('names a new manifest in the log if the bytes for the same rows differ', async (t) => {
    const { file, repair, problems, events, rows, due, time, deliver } = await repairable(t);
    await rm(file('0002.parquet'));
    const made = (await events()).length;
    // Another release could write other bytes.
    assert.deepEqual(await repair({ pageRows: 5 }), [
      { name: nameIn(0, '0002.parquet'), outcome: 'new', problem: null },
    ]);
    const [event] = (await events()).slice(made);
    assert.deepEqual(
      ['segment', 'rows', 'adopted', 'repaired'].map((name) => member(event, name)),
      [2, 10, false, true],
    );
    assert.deepEqual(
      (await rows(nameIn(0, '0002.parquet'))).map(({ id }) => id),
      Array.from({ length: 10 }, (_value, index) => rowIn(0, index + 11).id),
    );
    assert.deepEqual(await problems(), []);
    await deliver(rowIn(0, 28));
    time.now += hourMs;
    await due(bounds);
    assert.equal((await rows(nameIn(0, '0005.parquet'))).length, 1);
    assert.deepEqual(await problems(), []);
  });

  it('writes nothing if the database lacks rows, or has others', async (t) => {
    const { file, repair, archiving, files } = await repairable(t);
    const { db } = archiving.plane;
    await rm(file('0001.parquet'));
    await rm(file('0002.parquet'));
    await db.query(sql`delete from op.usage_events where id = ${rowIn(0, 3).id}`);
    await db.query(sql`
      update op.usage_events set cost_micros = cost_micros + 1 where id = ${rowIn(0, 12).id}`);
    const left = await files();
    const [first, second] = await repair();
    assert.deepEqual([first?.outcome, second?.outcome], ['lost', 'lost']);
    assert.match(first?.problem ?? '', /0001\.parquet is missing .* has 9 of its 10 rows; restore/);
    assert.match(
      second?.problem ?? '',
      /0002\.parquet is missing .* do not add up to its manifest/,
    );
    assert.deepEqual(await files(), left);
  });

  it('writes nothing if other rows cannot be compared because the manifest is lost too', async (t) => {
    const { file, repair, archiving, files } = await repairable(t);
    await rm(file('0002.parquet'));
    await rm(file('_0002.json'));
    await archiving.plane.db.query(sql`
      update op.usage_events set cost_micros = cost_micros + 1 where id = ${rowIn(0, 12).id}`);
    const left = await files();
    const [lost] = await repair();
    assert.equal(lost?.outcome, 'lost');
    assert.match(lost?.problem ?? '', /cannot be compared/);
    assert.deepEqual(await files(), left);
  });

  it('goes on with other files if rows of an adopted one cannot be told', async (t) => {
    const { file, repair, archiving } = await repairable(t);
    await archiving.plane.db.query(sql`
      update op.usage_archive_hours set adopted = array[1] where hour = ${new Date(begin)}`);
    await archiving.plane.db.query(sql`
      delete from op.usage_archive_segments where dataset = 'usage' and segment = 1`);
    await rm(file('0001.parquet'));
    await rm(file('0002.parquet'));
    await rm(file('_0003.json'));
    const repairs = await repair();
    assert.deepEqual(
      repairs.map(({ outcome }) => outcome),
      ['lost', 'lost', 'same'],
    );
    assert.match(repairs[1]?.problem ?? '', /0001\.parquet, whose rows it leaves out, is missing/);
  });

  it('is printed by the command line, and needs config:write', async (t) => {
    const { file, url, login, ask, directory, problems } = await repairable(t);
    await rm(file('_0001.json'));
    const env = { GW_CONTROL_URL: url, GW_PASSWORD: adminPassword };
    const command = ['usage', 'archive', 'repair', '--login', 'boss'];
    const repaired = await gw(command, { env });
    assert.deepEqual([repaired.code, repaired.stderr], [0, ''], directory);
    assert.match(
      repaired.stdout,
      /^1 of 7 segments were not intact\n.*0001\.parquet: written again/,
    );
    assert.deepEqual(await problems(), []);
    const cookie = await login('reader', ['inference']);
    const body = {
      since: new Date(begin).toISOString(),
      until: new Date(begin + hourMs).toISOString(),
    };
    const refused = await ask({
      method: 'POST',
      path: '/admin/usage/archive/repair',
      cookie,
      body,
    });
    assert.equal(refused.status, 403);
  });
});
