// Tests that walking a log in parallel ranges finds the same problems at the same positions as one
// walk.

import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';

import { sql } from '@databases/pg';
import type { SQLQuery } from '@databases/pg';

import { walkRange } from '../../../src/control/log/walk.ts';
import type { ParallelWalk } from '../../../src/control/log/walk-ranges.ts';
import { createWalkThreads } from '../../../src/control/log/walk-threads.ts';
import { checkChain } from '../../../src/control/log/verify-log.ts';
import { readHead } from '../../../src/db/log/event-log.ts';
import { openDatabase } from '../../../src/db/pool.ts';
import type { Database } from '../../../src/db/pool.ts';
import { signedPlane } from '../../harness/control/signed-log.ts';

const sizes = { pageEvents: 3, rangeEvents: 3 };
const threads = 3;

/** The first and last positions, and those around the boundary of two ranges. */
function placesIn(events: number): readonly number[] {
  const length = sizes.pageEvents * Math.ceil(events / (threads + 1) / sizes.pageEvents);
  const borders = Array.from({ length: threads }, (_, at) => (at + 1) * length);
  const about = borders.flatMap((border) => [border - 1, border, border + 1]);
  return [1, ...about, events].filter((at) => at <= events);
}

const tamperings: Readonly<Record<string, (at: number) => SQLQuery>> = {
  'nothing is altered': () => sql`select 1`,
  'a payload is altered': (at) =>
    sql`update es.events set payload = '{"id": 1}' where position = ${at}`,
  'an event has another hash': (at) =>
    sql`update es.events set hash = sha256('another') where position = ${at}`,
  'a hash is of two bytes': (at) =>
    sql`update es.events set hash = '\\xabcd' where position = ${at}`,
  'an event is later': (at) => sql`
    update es.events set recorded_at = recorded_at + interval '1 hour' where position = ${at}`,
  'a stream has a line feed': (at) =>
    sql`update es.events set stream = E'model-1\nx' where position = ${at}`,
  'an event is deleted': (at) => sql`delete from es.events where position = ${at}`,
  'the log is cut': (at) => sql`delete from es.events where position >= ${at}`,
  'a checkpoint is of another hash': (at) => sql`
    update es.checkpoints set note = replace(note, 'gw', 'go')
    where position = (select max(position) from es.checkpoints where position <= ${at})`,
  'an audit key is another': (at) => sql`
    update es.events set payload = '{"public_key": "00", "signature": null}'
    where position = (select max(position) from es.events
      where type = 'AuditKeySet' and position <= ${at})`,
  'an audit key is redacted': (at) => sql`
    update es.events set payload = null
    where position = (select max(position) from es.events
      where type = 'AuditKeySet' and position <= ${at})`,
};

describe('a log that is walked in ranges', { timeout: 120_000 }, () => {
  let url: string;
  let db: Database;
  let events: number;
  const closing: (() => Promise<void>)[] = [];

  before(async () => {
    const test = { after: (close: () => Promise<void>) => void closing.unshift(close) };
    const opened = await signedPlane(test);
    ({ url } = opened);
    await opened.plane.close();
    db = openDatabase({
      url,
      purpose: 'maintenance',
      applicationName: 'gw test',
      connectionsMax: 2,
    });
    closing.unshift(() => db.dispose());
    events = (await readHead(db)).position;
    await db.query(sql`alter table es.events disable trigger all`);
    await db.query(sql`alter table es.checkpoints disable trigger all`);
    for (const constraint of ['events_hash_check', 'events_stream_check']) {
      await db.query(sql`alter table es.events drop constraint ${sql.ident(constraint)}`);
    }
  });
  after(async () => {
    for (const close of closing) await close();
  });

  for (const [what, tampering] of Object.entries(tamperings)) {
    it(`has the same result as one walk where ${what}`, async () => {
      const found = new Set<string>();
      for (const at of placesIn(events)) {
        const { alone, inRanges } = await bothWalks(db, tampering(at));
        assert.deepEqual(inRanges, alone, `position ${at}`);
        found.add(JSON.stringify(alone.broken));
      }
      assert.equal(found.size === 1, what === 'nothing is altered', [...found].join('\n'));
    });
  }

  it('is walked by threads, each on its own connection', async () => {
    const threads = createWalkThreads(url);
    const head = await readHead(db);
    try {
      const alone = await checkChain(db, head);
      const parallel = { ...threads, threads: 1, sizes };
      const { broken, checkpoints, link } = await checkChain(db, head, { parallel });
      assert.deepEqual([broken, checkpoints], [null, alone.checkpoints]);
      assert.deepEqual([...link.hash], [...head.hash]);
    } finally {
      await threads.close();
    }
  });

  it('is walked on this thread when another thread fails', async () => {
    const failing: Readonly<Record<string, ParallelWalk['walk']>> = {
      'has no connection': createWalkThreads(url.replace(/\/[^/?]+(\?|$)/, '/no_such_database$1'))
        .walk,
      'is killed': async (range) => {
        const threads = createWalkThreads(url);
        const walked = threads.walk(range);
        await threads.close();
        return walked;
      },
    };
    const head = await readHead(db);
    const alone = await checkChain(db, head);
    for (const [what, walk] of Object.entries(failing)) {
      const failed: string[] = [];
      const told: ParallelWalk['walk'] = (range) =>
        walk(range).catch((error: unknown) => {
          failed.push(String(error));
          throw error;
        });
      const inRanges = await checkChain(db, head, { parallel: { threads: 1, walk: told, sizes } });
      assert.deepEqual(inRanges, alone, what);
      assert.match(failed.join(), /no_such_database|ended before its range/);
    }
  });

  it('fails with the error of its own walk', async () => {
    const parallel: ParallelWalk = {
      threads: 1,
      walk: () => Promise.reject(new Error('theirs')),
      sizes,
    };
    await assert.rejects(
      db.tx(async (tx) => {
        const head = await readHead(tx);
        await tx.query(sql`alter table es.events rename to events_gone`);
        return checkChain(tx, head, { parallel });
      }),
      /es\.events" does not exist/,
    );
  });
});

/** The results of both walks on a tampered log, which is restored afterwards. */
async function bothWalks(db: Database, tampering: SQLQuery) {
  type Checked = Awaited<ReturnType<typeof checkChain>>;
  let both: Readonly<{ alone: Checked; inRanges: Checked }> | undefined;
  const undone = new Error('undone');
  const attempt = db.tx(async (tx) => {
    await tx.query(sql`set local idle_in_transaction_session_timeout = 0`);
    await tx.query(tampering);
    const head = await readHead(tx);
    const parallel: ParallelWalk = {
      threads,
      walk: (range) => walkRange(tx, range, sizes.pageEvents),
      sizes,
    };
    both = {
      alone: await checkChain(tx, head),
      inRanges: await checkChain(tx, head, { parallel }),
    };
    throw undone;
  });
  await attempt.catch((error: unknown) => assert.equal(error, undone));
  assert.ok(both !== undefined);
  return both;
}
