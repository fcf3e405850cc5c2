// Tests that usage reports are read from a standby of the database, and from the primary if that fails.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { sql } from '@databases/pg';
import type { SQLQuery } from '@databases/pg';
import { z } from 'zod';

import { openDatabase } from '../../src/db/pool.ts';
import { testAdministrator } from '../harness/admin/admin.ts';
import { reportUsage, reported } from '../harness/admin/usage.ts';
import { failOverPair } from '../harness/postgres/fail-over.ts';
import { testDatabase } from '../harness/postgres/postgres.ts';
import { until } from '../harness/wait.ts';

const totals = z.array(z.object({ requests: z.int() }));

type Administrator = Awaited<ReturnType<typeof testAdministrator>>;

async function shownRequests({ send }: Administrator): Promise<number> {
  const { status, body } = await send('GET', '/admin/usage');
  assert.equal(status, 200);
  return totals.parse(body).reduce((sum, { requests }) => sum + requests, 0);
}

async function report(started: Administrator, number: number): Promise<void> {
  const { body } = await reportUsage(started, [reported(number)]);
  assert.deepEqual(body, { accepted: 1, dropped: 0, budgets: [] });
}

const makeModel = ({ send }: Administrator) => send('POST', '/admin/models', { name: 'small' });

async function onceIn(url: string, statements: readonly SQLQuery[]): Promise<void> {
  const place = { url, applicationName: 'gw test', purpose: 'maintenance' } as const;
  const db = openDatabase({ ...place, connectionsMax: 1 });
  for (const statement of statements) await db.query(statement);
  await db.dispose();
}

describe('a standby for reports', () => {
  it('is read for usage, and replaced by the primary when it is away', async (t) => {
    const { bothUrl: url, standbyUrl, holdBack } = await failOverPair(t);
    const database = { url, superuserUrl: url, drop: async () => {} };
    const started = await testAdministrator(t, { database, databaseReadUrl: standbyUrl });
    await makeModel(started);
    await onceIn(standbyUrl, [sql`select pg_wal_replay_pause()`]);

    let sent = 0;
    const isBehind = async (): Promise<boolean> => {
      sent += 1;
      await report(started, sent);
      return (await shownRequests(started)) < sent;
    };
    await until(isBehind, { what: 'a report that the standby answers' });
    const { body } = await started.send('POST', '/admin/roles', { name: 'new' });
    assert.match(
      JSON.stringify((await started.send('GET', '/admin/roles')).body),
      /"new"/,
      String(body),
    );

    await holdBack();
    assert.equal(await shownRequests(started), sent);
    assert.ok(started.warnings.some((one) => one.includes('--database-read-url')));
  });

  it('is not read if it holds another event log', async (t) => {
    const { url: otherUrl, superuserUrl } = await testDatabase(t);
    // Databases of tests are copies of one log.
    await onceIn(superuserUrl, [
      sql`set session_replication_role = replica`,
      sql`update es.log_head set log_id = gen_random_uuid()`,
    ]);
    const started = await testAdministrator(t, { databaseReadUrl: otherUrl });
    await makeModel(started);
    await report(started, 1);
    await until(() => started.warnings.find((one) => one.includes('another event log')), {
      what: 'a warning',
    });
    assert.equal(await shownRequests(started), 1);
  });
});
