// Tests that hours that cannot be archived or verified do not delay others.

import assert from 'node:assert/strict';
import { rm } from 'node:fs/promises';
import path from 'node:path';
import { describe, it } from 'node:test';

import { archivePage } from '../../../src/db/usage/archive/archive-rows.ts';
import { closeGeneration, hourSpans } from '../../../src/db/usage/archive/archive-state.ts';
import { member } from '../../../test/harness/admin/admin.ts';
import type { Target } from '../target/target.ts';
import { archived, begin, hourMs, nameIn, rowIn } from './archived.ts';

/** More hours than one run tries. */
const failing = Array.from({ length: 24 }, (_value, index) => index - 30);

const refusing = (target: Target): Target => ({
  ...target,
  write: (name, bytes) => {
    if (failing.some((hour) => name === nameIn(hour, '0001.parquet'))) throw new Error('refused');
    return target.write(name, bytes);
  },
});

describe('hours that fail', () => {
  it('do not delay later hours, and are tried again after an hour', async (t) => {
    const { deliver, due, files, target, time, send, problems } = await archived(t);
    await deliver(...[...failing, 0].map((hour, index) => rowIn(hour, index + 1)));
    await assert.rejects(due({ target: refusing(target) }), /refused/);
    assert.deepEqual(await files(), []);
    await due({ target: refusing(target) });
    assert.deepEqual(await files(), [nameIn(0, '0001.parquet'), nameIn(0, '_0001.json')]);
    const { body } = await send('GET', '/admin/usage/archive');
    assert.deepEqual(
      ['failed_hours', 'first_failed_hour', 'failure'].map((name) => member(body, name)),
      [24, new Date(begin - 30 * hourMs).toISOString(), 'refused'],
    );
    time.now += hourMs;
    await due();
    assert.equal((await files()).length, 2 * 25);
    assert.deepEqual(await problems(), []);
    const { body: after } = await send('GET', '/admin/usage/archive');
    assert.deepEqual([member(after, 'failed_hours'), member(after, 'failure')], [0, null]);
  });

  it('are not marked while the place is away, and are tried again at once', async (t) => {
    const { deliver, due, target, send, files } = await archived(t);
    await deliver(rowIn(0, 1), rowIn(1, 2));
    let isAway = false;
    const leaving: Target = {
      ...target,
      write: (name, bytes) => {
        isAway ||= name.endsWith('.parquet');
        return isAway ? Promise.reject(new Error('away')) : target.write(name, bytes);
      },
      read: (name) => (isAway ? Promise.reject(new Error('away')) : target.read(name)),
    };
    await assert.rejects(due({ target: leaving }), /away/);
    const { body } = await send('GET', '/admin/usage/archive');
    assert.equal(member(body, 'failed_hours'), 0);
    await due();
    assert.equal((await files()).length, 4);
  });

  it('of the verification do not delay the verification of later hours', async (t) => {
    const { deliver, due, directory, send, time } = await archived(t);
    await deliver(...[...failing, 0].map((hour, index) => rowIn(hour, index + 1)));
    await due();
    await due();
    for (const hour of failing) await rm(path.join(directory, nameIn(hour, '0001.parquet')));
    const verifyBefore = (): Date => new Date(time.now);
    await assert.rejects(due({ verifyBefore }), /stays in the database: .* is missing/);
    await due({ verifyBefore });
    const { body } = await send('GET', '/admin/usage/archive');
    assert.deepEqual([member(body, 'verified_hours'), member(body, 'failed_hours')], [1, 24]);
  });
});

const at = (minute: number) => ({ at: new Date(begin + minute * 60_000).toISOString() });

describe('late rows', () => {
  it('are read from the minutes in which they are', async (t) => {
    const { deliver, due, archiving, rows, time, problems } = await archived(t);
    await deliver(rowIn(0, 1), rowIn(0, 2, at(30)));
    await due();
    await deliver(rowIn(0, 3, at(5)), rowIn(0, 4, at(6)), rowIn(0, 5, at(40)));
    const { db } = archiving.plane;
    const hour = new Date(begin);
    const minutes = (await hourSpans(db, { hour, upTo: Number.MAX_SAFE_INTEGER })).map((span) =>
      [span.since, span.until].map((edge) => (edge.getTime() - begin) / 60_000),
    );
    assert.deepEqual(minutes, [
      [5, 7],
      [40, 41],
    ]);
    time.now += hourMs;
    await due({ pageRows: 2 });
    const late = await rows(nameIn(0, '0002.parquet'));
    assert.deepEqual(
      late.map(({ id }) => id),
      [3, 4, 5].map((seq) => rowIn(0, seq).id),
    );
    assert.deepEqual(await problems(), []);
  });

  it('are not read from a server that does not know that their generation was closed', async (t) => {
    const { deliver, archiving, due } = await archived(t);
    await deliver(rowIn(0, 1));
    await due();
    const { db, reports } = archiving.plane;
    const closed = await closeGeneration(db);
    const spans = [{ since: new Date(begin), until: new Date(begin + hourMs) }];
    const asked = { spans, place: null, limit: 10 };
    assert.equal((await archivePage(reports, { ...asked, generations: [-1, closed] })).length, 1);
    await assert.rejects(
      archivePage(reports, { ...asked, generations: [-1, closed + 1] }),
      /a lagging database server was read/,
    );
  });
});
