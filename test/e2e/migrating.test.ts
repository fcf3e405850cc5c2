// Tests what a control plane answers while it migrates the database, and that it can be stopped then.

import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { TestContext } from 'node:test';

import { sql } from '@databases/pg';
import { z } from 'zod';

import { encryptionKey, proxyToken } from '../harness/program/control-program.ts';
import { startProgram } from '../harness/program/program.ts';
import { databaseOf, recordMigrations } from '../harness/postgres/earlier-database.ts';
import { until } from '../harness/wait.ts';

const patience = { idleInTransactionSessionTimeoutMilliseconds: 0 };

/** A program that migrates, and cannot go on until `release` is called. */
async function migratingProgram(t: TestContext, role: 'control' | 'all') {
  const { url, db, open, names } = await databaseOf(t, 32);
  await recordMigrations(db, names, 32);
  const other = open();
  const released = Promise.withResolvers<void>();
  const held = Promise.withResolvers<void>();
  const holding = other.tx(async (tx) => {
    await tx.query(sql`lock table op.usage_events in access share mode`);
    held.resolve();
    await released.promise;
  }, patience);
  const release = async (): Promise<void> => {
    released.resolve();
    await holding;
  };
  t.after(async () => {
    released.resolve();
    // The database may be gone by now.
    await holding.catch(() => {});
    await other.dispose();
  });
  await held.promise;
  const program = startProgram(t, {
    args: ['--role', role, '--admin-port', '0', '--port', '0', '--shutdown-grace', '1'],
    env: {
      GW_DATABASE_URL: url,
      GW_ENCRYPTION_KEY: encryptionKey,
      GW_PROXY_TOKEN: proxyToken,
    },
  });
  const starting = z.object({ admin: z.string() }).parse(await program.logged('starting'));
  return { program, adminUrl: starting.admin, release };
}

const refused = z.object({ error: z.object({ message: z.string(), code: z.string() }) });

it('a control plane that migrates is alive, and says which migration others wait for', async (t) => {
  const { program, adminUrl, release } = await migratingProgram(t, 'control');
  const waits = await until(
    async () => {
      const answer = await fetch(`${adminUrl}/readyz`);
      assert.equal(answer.status, 503);
      assert.equal(answer.headers.get('retry-after'), '2');
      const { error } = refused.parse(await answer.json());
      return error.message.includes('waits') ? error : null;
    },
    { what: 'that the migration waits' },
  );
  assert.equal(waits.code, 'unavailable');
  assert.match(
    waits.message,
    /^starting: migration 0033-usage-sums\.sql waits for locks of other sessions: .*gw test/,
  );
  assert.equal((await fetch(`${adminUrl}/healthz`)).status, 200);
  const snapshot = await fetch(`${adminUrl}/snapshot`);
  assert.equal(snapshot.status, 503);

  await release();
  const started = await program.logged('control plane started');
  assert.equal(started['admin'], adminUrl);
  assert.equal((await fetch(`${adminUrl}/readyz`)).status, 200);
});

it('role all serves its gateway port while it migrates', async (t) => {
  const { program, release } = await migratingProgram(t, 'all');
  const { url } = z.object({ url: z.string() }).parse(await program.logged('gateway started'));
  assert.equal((await fetch(`${url}/readyz`)).status, 503);
  assert.equal((await fetch(`${url}/v1/models`)).status, 503);
  await release();
  await until(async () => (await fetch(`${url}/readyz`)).status === 200, {
    what: 'that the gateway is ready',
  });
});

it('a control plane that migrates ends on SIGTERM', async (t) => {
  const { program } = await migratingProgram(t, 'control');
  await program.end('SIGTERM');
  assert.equal(program.child.exitCode, 0);
});
