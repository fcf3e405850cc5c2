// Tests that control processes agree on one archive, and that a place belongs to one event log.

import assert from 'node:assert/strict';
import { readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, it } from 'node:test';

import { sql } from '@databases/pg';

import { closeArchive, readArchive } from '../../../src/db/usage/archive/archive-state.ts';
import { errorOf, member, testAdministrator } from '../../../test/harness/admin/admin.ts';
import { collectLog } from '../../../test/harness/gateway/gateway.ts';
import { temporaryDirectory } from '../../../test/harness/temporary-directory.ts';
import { agreeOnArchive, agreeOnNone, announce, checkUsedPlace } from '../agree.ts';
import { checkPlace, claimPlace } from '../target/claim.ts';
import { directoryTarget } from '../target/directory.ts';
import { archived, begin, hourMs, rowIn } from './archived.ts';

describe('a place of an archive', () => {
  it('belongs to the first event log that claims it', async (t) => {
    const target = directoryTarget(await temporaryDirectory(t));
    const id = await claimPlace(target, 'log-1');
    assert.equal(await claimPlace(target, 'log-1'), id);
    await assert.rejects(
      claimPlace(target, 'log-2'),
      /belongs to event log log-1, not log-2: set --usage-archive/,
    );
    await checkPlace(target, id);
  });

  it('is refused if it replaces a file that exists', async (t) => {
    const target = directoryTarget(await temporaryDirectory(t));
    const replacing = {
      ...target,
      write: async (name: string, bytes: Uint8Array) => {
        await target.replace(name, bytes);
        return true;
      },
    };
    await assert.rejects(claimPlace(replacing, 'log-1'), /ignores If-None-Match: set --usage-arch/);
    const { place } = target;
    const held: unknown = JSON.parse(await readFile(path.join(place, '_gw.json'), 'utf8'));
    assert.equal(member(held, 'log_id'), 'log-1');
  });

  it('is not claimed again while it is in use', async (t) => {
    const { deliver, due, directory, archiving } = await archived(t);
    await deliver(rowIn(0, 1));
    await due();
    const { plane, target, logId } = archiving;
    await checkUsedPlace({ plane }, target);
    const archiveId = await claimPlace(target, logId);
    await rm(path.join(directory, '_gw.json'));
    await assert.rejects(checkUsedPlace({ plane }, target), /_gw\.json is missing, but archive/);
    await closeArchive(plane.db, { ...(await readArchive(plane.db)), archive_id: archiveId });
    await checkUsedPlace({ plane }, target);
  });

  it('gets no segment once another directory is mounted there', async (t) => {
    const { deliver, due, directory, archiving, files, time, send } = await archived(t);
    await deliver(rowIn(0, 1));
    await due();
    const archiveId = await claimPlace(archiving.target, archiving.logId);
    await deliver(rowIn(0, 2));
    time.now += hourMs;
    await rm(path.join(directory, '_gw.json'));
    await assert.rejects(due({ archiveId }), /_gw\.json is missing, but archive .* is in use/);
    const { logId: log_id } = archiving;
    const other = { format: 1, log_id, archive_id: '01990000-0000-4000-8000-000000000000' };
    await writeFile(path.join(directory, '_gw.json'), JSON.stringify(other));
    await assert.rejects(due({ archiveId }), /_gw\.json names archive 0199/);
    assert.equal((await files()).length, 2);
    const span = {
      since: new Date(begin).toISOString(),
      until: new Date(begin + hourMs).toISOString(),
    };
    const repair = await send('POST', '/admin/usage/archive/repair', span);
    assert.deepEqual(errorOf(repair).slice(0, 2), [409, 'conflict']);
    const query = new URLSearchParams(span).toString();
    const verify = await send('GET', `/admin/usage/archive/verify?${query}`);
    assert.deepEqual(errorOf(verify).slice(0, 2), [409, 'conflict']);
  });
});

const unused = async (address: string): Promise<string | undefined> =>
  /\ngw_usage_archive_unused (\d)/.exec(await (await fetch(`${address}/metrics`)).text())?.[1];

describe('control processes with different archives', () => {
  const first = { place: '/one', archiveId: 'id-1' };
  const second = { place: '/two', archiveId: 'id-2' };

  it('keep the archive in use until no running process is configured with it', async (t) => {
    const { archiving, send } = await archived(t);
    const { plane } = archiving;
    const { db } = plane;
    const [one, two] = [
      { plane, process: 'one' },
      { plane, process: 'two' },
    ];
    await agreeOnArchive(one, first);
    for (let run = 0; run < 3; run++) {
      await assert.rejects(agreeOnArchive(two, second), /archives to \/one; set the same archive/);
      await agreeOnArchive(one, first);
      assert.equal((await readArchive(db)).archive_id, 'id-1');
    }
    const { body } = await send('GET', '/admin/usage/archive');
    assert.deepEqual([member(body, 'place'), member(body, 'other_places')], ['/one', ['/two']]);
    await db.query(sql`
      update op.usage_archive_processes set seen_at = now() - interval '10 minutes'
      where process = 'one'`);
    await agreeOnArchive(two, second);
    assert.equal((await readArchive(db)).place, '/two');
  });

  it('remove no rows without an archive while one of them archives', async (t) => {
    const { archiving } = await archived(t);
    const { plane } = archiving;
    const off = { plane, process: 'off' };
    await agreeOnNone(off);
    await announce({ plane, process: 'one' }, '/one');
    await assert.rejects(agreeOnNone(off), /--usage-archive off is not used/);
    await agreeOnArchive({ plane, process: 'one' }, first);
    await assert.rejects(agreeOnNone(off), /archives to \/one/);
    assert.equal((await readArchive(plane.db)).is_on, true);
  });

  it('log the difference, and show it as a metric', async (t) => {
    const { databaseUrl: url, admin, url: place } = await archived(t);
    const database = { url, superuserUrl: url, drop: async () => {} };
    const other = await testAdministrator(t, { database, settings: { usageArchive: 'off' } });
    const jobOf = (one: Pick<typeof other, 'admin'>) =>
      one.admin
        .jobs({ log: collectLog([]), seenBefore: [] })
        .find(({ what }) => what === 'archiving usage');
    await jobOf({ admin })?.work();
    await assert.rejects(jobOf(other)?.work() ?? Promise.resolve(), /off is not used/);
    assert.deepEqual([await unused(place), await unused(other.url)], ['0', '1']);
    const { body } = await other.send('GET', '/admin/usage/archive');
    assert.deepEqual(member(body, 'other_places'), ['off']);
  });

  it('use the same archive at different paths', async (t) => {
    const { archiving } = await archived(t);
    const { plane } = archiving;
    await agreeOnArchive({ plane, process: 'one' }, first);
    await agreeOnArchive({ plane, process: 'two' }, { ...first, place: '/mounted/one' });
    assert.equal((await readArchive(plane.db)).place, '/one');
  });
});
