// What a growing log must not make slow is found by an index of its own.

import assert from 'node:assert/strict';
import { it } from 'node:test';

import { sql } from '@databases/pg';
import type { Queryable } from '@databases/pg';

import { passwordsSet } from '../../src/db/credential-givers.ts';
import { listHistoryEvents } from '../../src/db/event-history.ts';
import { epochOf } from '../../src/db/event-log.ts';
import { lastGrants } from '../../src/db/grant-events.ts';
import { accessEventsSince } from '../../src/db/restore-facts.ts';
import { testPlane } from '../harness/plane.ts';

const anything = { stream: null, actorId: null, from: null, to: null, after: null };
const rare = { ...anything, type: 'ModelCreated', order: 'desc', limit: 100 } as const;

const searches: readonly [string, string, (db: Queryable) => Promise<unknown>][] = [
  ['es.events_grants', 'grants', (db) => lastGrants(db, 1_000)],
  ['es.events_epoch', 'the epoch', epochOf],
  ['es.events_credentials', 'passwords', passwordsSet],
  ['es.events_credentials', 'passwords and keys since', (db) => accessEventsSince(db, 1)],
  ['es.events_type', 'events of a type', (db) => listHistoryEvents(db, rare)],
];

for (const [index, what, search] of searches) {
  it(`${index} leads to ${what}`, async (t) => {
    const { plane } = await testPlane(t);
    const scans = await plane.db.tx(async (tx) => {
      // A log of a few events is read whole for less.
      await tx.query(sql`set local enable_seqscan = off`);
      await search(tx);
      const [row]: { scans: number }[] = await tx.query(
        sql`select pg_stat_get_xact_numscans(${index}::regclass) as scans`,
      );
      return row?.scans;
    });
    assert.equal(scans, 1);
  });
}
