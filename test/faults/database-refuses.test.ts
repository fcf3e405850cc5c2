// Tests a database that refuses writes because its disk is full or it is read-only. The response,
// /readyz, the log and the metrics state the reason, and no restart is needed afterwards.

import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, it } from 'node:test';

import { Client } from 'pg';

import { readHead } from '../../src/db/log/event-log.ts';
import { errorBody } from '../../src/admin/http/status.ts';
import { testAdministrator } from '../harness/admin/admin.ts';
import type { TestAnswer } from '../harness/admin/admin.ts';
import { readMetrics } from '../harness/gateway/metrics-text.ts';
import { testDatabase } from '../harness/postgres/postgres.ts';
import type { TestDatabase } from '../harness/postgres/postgres.ts';
import { postgresOnSmallDisk } from '../harness/postgres/small-disk.ts';
import { until } from '../harness/wait.ts';

const refusalLimitMs = 3000;

type Refusing = Readonly<{
  database: TestDatabase;
  refuse: () => Promise<void>;
  allow: () => Promise<void>;
}>;

type Expected = Readonly<{ sqlState: string; says: string; remedy: string }>;

async function holdsThrough(
  t: Parameters<typeof testAdministrator>[0],
  { database, refuse, allow }: Refusing,
  { sqlState, says, remedy }: Expected,
): Promise<void> {
  const { send, ask, url, warnings, plane } = await testAdministrator(t, { database });
  const createRole = (): Promise<TestAnswer> =>
    send('POST', '/admin/roles', { name: `role-${randomUUID()}` });
  const readyz = (): Promise<TestAnswer> => ask({ path: '/readyz' });
  assert.equal((await createRole()).status, 200);
  assert.equal((await readyz()).status, 200);

  await refuse();
  const refused = await until(
    async () => {
      const answer = await createRole();
      return answer.status !== 200 && messageOf(answer).includes(sqlState) ? answer : null;
    },
    { what: `a mutation that is refused by ${sqlState}` },
  );
  assert.equal(refused.status, 503);
  assert.equal(refused.headers.get('retry-after'), '2');
  assert.equal(messageOf(refused), `${says}; the change was not made; ${remedy}`);
  const before = await readHead(plane.db);
  const askedAt = performance.now();
  assert.equal((await createRole()).status, 503);
  assert.ok(performance.now() - askedAt < refusalLimitMs);
  assert.deepEqual(await readHead(plane.db), before, 'nothing was written');

  const unready = await readyz();
  assert.equal(unready.status, 503);
  assert.equal(messageOf(unready), `${says}; changes cannot be made; ${remedy}`);
  const metrics = readMetrics(await (await fetch(`${url}/metrics`)).text());
  const counted = metrics
    .get('gw_database_errors_total')
    ?.samples.find(({ labels }) => labels['class'] === sqlState.slice(0, 2));
  assert.equal(counted?.labels['pool'], 'commands');
  assert.ok((counted?.value ?? 0) >= 2);
  const lines = warnings.filter((line) => line.includes(`SQLSTATE ${sqlState}`));
  assert.equal(lines.length, 1, `one line a minute: ${warnings.join('\n')}`);

  await allow();
  await until(async () => (await readyz()).status === 200, { what: 'that it is ready again' });
  assert.equal((await createRole()).status, 200);
}

const messageOf = ({ body }: TestAnswer): string => errorBody.parse(body).error.message;

describe('a control plane whose database refuses writes', () => {
  it('reports that the disk is full, writes nothing, and resumes once there is space', async (t) => {
    const { database, fill, free } = await postgresOnSmallDisk(t);
    await holdsThrough(
      t,
      { database, refuse: fill, allow: free },
      {
        sqlState: '53100',
        says: 'the database is full (SQLSTATE 53100)',
        remedy: 'free space on the disk of the database server and retry',
      },
    );
  });

  it('reports that it is read-only, writes nothing, and resumes afterwards', async (t) => {
    const database = await testDatabase();
    const administrator = new Client({ connectionString: database.superuserUrl });
    administrator.on('error', () => {});
    await administrator.connect();
    t.after(() => administrator.end());
    const name = new URL(database.url).pathname.slice(1);
    // A setting of the database applies to new sessions.
    const readOnly = async (value: 'on' | 'off'): Promise<void> => {
      await administrator.query('set default_transaction_read_only = off');
      await administrator.query(
        `alter database ${name} set default_transaction_read_only = ${value}`,
      );
      await administrator.query(
        `select pg_terminate_backend(pid) from pg_stat_activity
         where datname = current_database() and pid <> pg_backend_pid()`,
      );
    };
    await holdsThrough(
      t,
      { database, refuse: () => readOnly('on'), allow: () => readOnly('off') },
      {
        sqlState: '25006',
        says: 'the database is read-only (SQLSTATE 25006)',
        remedy: 'connect gw to the primary server, or end the read-only mode, and retry',
      },
    );
  });
});
