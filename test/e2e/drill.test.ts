// Tests disaster recovery: the database is lost while proxies serve. It is rebuilt from the log
// export and the sealed vault. Every hash is unchanged, and the fleet continues with the restored
// control plane.

import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { it } from 'node:test';

import { z } from 'zod';

import { verifyReadModel } from '../../projections/read-model.ts';
import type { AdminClient } from '../../src/cli/control-plane/admin-client.ts';
import { openDatabase } from '../../src/db/pool.ts';
import { gw } from '../harness/program/command-line.ts';
import {
  encryptionKey,
  prepareControl,
  startControlProgram,
} from '../harness/program/control-program.ts';
import { addModel, chatStatus, createKey } from '../harness/program/demo-model.ts';
import { testDatabase } from '../harness/postgres/postgres.ts';
import { startProxyProgram } from '../harness/program/proxy-program.ts';
import { until } from '../harness/wait.ts';

const head = z.object({
  position: z.int(),
  hash: z.string(),
  snapshot_version: z.int(),
  alarms: z.array(z.unknown()),
});
const rows = z.array(z.unknown()).min(5);
/** The log does not record which replicas served a version. */
const versions = z
  .array(z.object({ version: z.int(), content_hash: z.string(), made_by: z.unknown() }))
  .min(5);

/**
 * Reads the log head, the audit log, and each snapshot version with its content hash, as the
 * control plane reports them.
 */
const reportOf = async (admin: AdminClient) => ({
  head: await admin.get('/admin/log/head', head),
  audit: await admin.get('/admin/audit', rows),
  commands: await admin.get('/admin/history/commands', rows),
  versions: await admin.get('/admin/snapshots', versions),
});

/** The digest of every table projected from the log, which equals that of a rebuild. */
async function digests(databaseUrl: string): Promise<readonly (readonly [string, string])[]> {
  const options = { purpose: 'maintenance', applicationName: 'gw test' } as const;
  const db = openDatabase({ url: databaseUrl, connectionsMax: 1, ...options });
  try {
    const { tables: checks } = await verifyReadModel(db);
    for (const { table, live, rebuilt } of checks) assert.equal(live, rebuilt, table);
    return checks.map(({ table, live }) => [table, live] as const);
  } finally {
    await db.dispose();
  }
}

const fleet = z.array(z.object({ replica: z.string(), snapshot_version: z.int() }));

it('a fleet serves while its database is lost, and follows the rebuilt one', async (test) => {
  const lost = await testDatabase();
  await prepareControl(lost.url);
  const control = await startControlProgram(test, lost.url);
  await addModel(test, control.admin);
  const kept = await createKey(control.admin);
  const revoked = await createKey(control.admin);
  const at = `/admin/keys/${revoked.id}`;
  await control.admin.send({ method: 'DELETE', path: at, answer: z.unknown() });

  const directory = await mkdtemp(path.join(os.tmpdir(), 'gw-drill-'));
  test.after(() => rm(directory, { recursive: true, force: true }));
  const file = (name: string): string => path.join(directory, name);
  const proxies = await Promise.all(
    ['one', 'two'].map((name) =>
      startProxyProgram(test, {
        controlUrl: control.adminUrl,
        cache: file(`${name}.json`),
        args: ['--health-report-interval', '1'],
      }),
    ),
  );
  const all = async (key: string, status: number): Promise<boolean> => {
    const answered = await Promise.all(proxies.map(({ url }) => chatStatus(url, key)));
    return answered.every((one) => one === status);
  };
  await until(() => all(kept.key, 200), { what: 'the fleet to serve' });

  const env = { GW_DATABASE_URL: lost.url, GW_ENCRYPTION_KEY: encryptionKey };
  for (const what of ['log', 'vault']) {
    const exported = await gw([what, 'export', '-o', file(what)], { env });
    assert.equal(exported.code, 0, exported.stderr);
  }
  const [before, tables] = [await reportOf(control.admin), await digests(lost.url)];
  await lost.drop();
  assert.ok(await all(kept.key, 200), 'the fleet serves without the database');
  await control.end('SIGKILL');
  assert.ok(await all(kept.key, 200), 'the fleet serves without a control plane');

  const { url: anew } = await testDatabase(test);
  const replayed = await gw(
    ['log', 'replay', file('log'), '--vault', file('vault'), '--into', anew],
    {},
  );
  assert.equal(replayed.code, 0, replayed.stderr);
  assert.doesNotMatch(replayed.stdout, /not in the vault/);
  const again = await startControlProgram(test, anew, {
    GW_ADMIN_PORT: new URL(control.adminUrl).port,
  });
  assert.deepEqual(await reportOf(again.admin), before);
  assert.deepEqual(await digests(anew), tables);

  const fresh = await createKey(again.admin);
  await until(() => all(fresh.key, 200), { what: 'the fleet to follow the new database' });
  assert.ok((await all(kept.key, 200)) && (await all(revoked.key, 401)));
  const now = await again.admin.get('/admin/log/head', head);
  await until(
    async () => {
      const replicas = await again.admin.get('/admin/fleet', fleet);
      return replicas.filter((one) => one.snapshot_version === now.snapshot_version).length === 2;
    },
    { what: 'both replicas to say so' },
  );
  // Each replica is a witness of the earlier log.
  assert.deepEqual((await again.admin.get('/admin/log/head', head)).alarms, []);
});
