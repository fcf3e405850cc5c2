// Tests that queries use an index where a growing log would otherwise slow them down.

import assert from 'node:assert/strict';
import { it } from 'node:test';

import { sql } from '@databases/pg';
import type { Queryable } from '@databases/pg';

import { listCommands } from '../../projections/tables/audit-log.ts';
import { historyEvents } from '../../src/control/history/events.ts';
import { passwordsSet } from '../../src/db/credential-givers.ts';
import { listHistoryEvents } from '../../src/db/log/event-history.ts';
import { epochOf } from '../../src/db/log/event-log.ts';
import { lastGrants } from '../../src/db/grant-events.ts';
import { accessEventsSince } from '../../src/db/restore-facts.ts';
import { testPlane } from '../harness/control/plane.ts';

const anything = { stream: null, actorId: null, from: null, to: null, after: null };
const rare = { ...anything, type: 'ModelCreated', order: 'desc', limit: 100 } as const;

const newest = { ...anything, order: 'desc', limit: 100 } as const;
const byAgents = { ...newest, type: null, actorKind: 'agent' } as const;
const byOne = { ...newest, type: null, actorId: 7 } as const;
const byKind = { ...newest, actorKind: 'agent' } as const;
const named = { ...newest, command: 'DeleteModel' } as const;
const asked = { ...newest, requestId: 'request-7' } as const;
const eventsAsked = { ...asked, type: null } as const;

const searches: readonly [string, string, (db: Queryable) => Promise<unknown>][] = [
  ['es.events_grants', 'grants', (db) => lastGrants(db, 1_000)],
  ['es.events_epoch', 'the epoch', epochOf],
  ['es.events_credentials', 'passwords', passwordsSet],
  ['es.events_credentials', 'passwords and keys since', (db) => accessEventsSince(db, 1)],
  ['es.events_type', 'events of a type', (db) => listHistoryEvents(db, rare)],
  ['es.events_actor_kind', 'events of a kind of actors', (db) => listHistoryEvents(db, byAgents)],
  ['es.events_actor', 'events of an actor', (db) => listHistoryEvents(db, byOne)],
  ['audit_log_actor_kind_id_idx', 'commands of a kind of actors', (db) => listCommands(db, byKind)],
  ['audit_log_command_id_idx', 'commands of a name', (db) => listCommands(db, named)],
  ['audit_log_request_id_id_idx', 'commands of a request', (db) => listCommands(db, asked)],
  ['audit_log_request_id_id_idx', 'events of a request', (db) => historyEvents(db, eventsAsked)],
];

it('each search goes by its index', async (t) => {
  const { plane } = await testPlane(t);
  for (const [index, what, search] of searches) {
    const scans = await plane.db.tx(async (tx) => {
      // Scanning a log of a few events costs less than an index.
      await tx.query(sql`set local enable_seqscan = off`);
      await search(tx);
      const [row]: { scans: number }[] = await tx.query(
        sql`select pg_stat_get_xact_numscans(${index}::regclass) as scans`,
      );
      return row?.scans;
    });
    assert.ok(scans !== undefined && scans > 0, `${index} leads to ${what}`);
  }
});
