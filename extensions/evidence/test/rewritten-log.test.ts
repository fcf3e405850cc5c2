// Tests that a rewritten log is never signed: a superuser changes the log while the control plane
// is down and recomputes every hash. After the restart the process raises an alarm and signs
// nothing, and `gw log verify` exits with 10.

import assert from 'node:assert/strict';
import path from 'node:path';
import { describe, it } from 'node:test';
import type { TestContext } from 'node:test';

import { z } from 'zod';

import { loginToAdmin } from '../../../src/cli/control-plane/admin-client.ts';
import type { AdminClient } from '../../../src/cli/control-plane/admin-client.ts';
import { createSnapshotCache } from '../../../src/gateway/control-link/cache.ts';
import { gw } from '../../../test/harness/program/command-line.ts';
import {
  encryptionKey,
  login,
  prepareControl,
  startControlProgram,
} from '../../../test/harness/program/control-program.ts';
import { temporaryDirectory } from '../../../test/harness/temporary-directory.ts';
import { testDatabase } from '../../../test/harness/postgres/postgres.ts';
import { startProgram } from '../../../test/harness/program/program.ts';
import type { Program } from '../../../test/harness/program/program.ts';
import {
  rewriteEventAt,
  rollBackTo,
  asSuperuser,
} from '../../../test/harness/postgres/log-tampering.ts';
import { until } from '../../../test/harness/wait.ts';

const signing = { GW_AUDIT_SIGNING_KEY: '11'.repeat(32) };
const withKey = { GW_ENCRYPTION_KEY: encryptionKey };
const signed = 'a checkpoint of the event log';

const alarm = z.object({
  position: z.int(),
  problem: z.string(),
  explained_by_epoch: z.int().nullable(),
});
const logHead = z.looseObject({ position: z.int(), alarms: z.array(alarm) });
const checkpoints = z.object({ checkpoints: z.array(z.object({ position: z.int() })) });
const place = z.object({ position: z.int() });
const lineOf = z.object({ level: z.string(), position: z.int(), problem: z.string() });
const started = z.object({ admin: z.string() });

type Control = Readonly<{ program: Program; adminUrl: string; admin: AdminClient }>;

const makeModel = ({ admin }: Control, name: string): Promise<unknown> =>
  admin.send({
    method: 'POST',
    path: '/admin/provider-models',
    body: { name },
    answer: z.unknown(),
  });

/**
 * The due check has run and explained why nothing was signed. The log, the API and the metric show
 * the alarm.
 */
async function assertAlarmed({ program, adminUrl, admin }: Control, wanted: RegExp): Promise<void> {
  const line = lineOf.parse(await program.logged('the event log was modified outside of gw'));
  assert.equal(line.level, 'error');
  assert.match(line.problem, wanted);
  await program.logged('failed: signing a checkpoint of the event log');
  const { alarms } = await admin.get('/admin/log/head', logHead);
  const { position, problem } = line;
  assert.deepEqual(alarms, [{ position, problem, explained_by_epoch: null }]);
  const metrics = await (await fetch(`${adminUrl}/metrics`)).text();
  assert.match(metrics, /^gw_log_alarms 1$/m);
  assert.ok(!program.logs.some(({ message }) => message === signed), 'nothing was signed');
}

const storedCheckpoints = async ({ admin }: Control): Promise<readonly number[]> =>
  (await admin.get('/admin/log/checkpoints', checkpoints)).checkpoints.map((one) => one.position);

describe('a log that was rewritten while its control plane was down', () => {
  it('is not signed by the process that starts on it, which raises an alarm', async (t) => {
    const database = await testDatabase(t);
    const { url } = database;
    await prepareControl(url);
    const first = await startControlProgram(t, url, signing);
    const { position } = place.parse(await first.logged(signed));
    await makeModel({ program: first, ...first }, 'original');
    const { position: head } = await first.admin.get('/admin/log/head', logHead);
    await first.end('SIGTERM');

    await asSuperuser(database)(
      ...rewriteEventAt(position + 1, { before: 'original', after: 'forged01' }),
      'delete from es.checkpoints',
    );
    const again = await startControlProgram(t, url, signing);
    const control = { program: again, ...again };
    await assertAlarmed(control, /names an audit key, but the database has no checkpoint/);
    assert.equal((await again.admin.get('/admin/log/head', logHead)).position, head);
    const models = await again.admin.get(
      '/admin/provider-models',
      z.array(z.looseObject({ name: z.string() })),
    );
    assert.deepEqual(
      models.map(({ name }) => name),
      ['forged01'],
      'the forged log is well formed',
    );
    assert.deepEqual(await storedCheckpoints(control), []);
    await again.end('SIGTERM');
    const { code, stdout } = await gw(['log', 'verify'], {
      env: { GW_DATABASE_URL: url, ...withKey },
    });
    assert.match(stdout, /the log names an audit key, but no checkpoint signed with it is stored/);
    assert.equal(code, 10, stdout);
  });
});

/** Role all without proxies is its own witness. */
async function startAll(t: TestContext, url: string, cache: string): Promise<Control> {
  const program = startProgram(t, {
    args: ['--role', 'all', '--port', '0', '--admin-port', '0', '--snapshot-cache', cache],
    env: { GW_DATABASE_URL: url, ...withKey, ...signing },
  });
  const { admin: adminUrl } = started.parse(await program.logged('control plane started'));
  await program.logged('gateway started');
  return { program, adminUrl, admin: await loginToAdmin(adminUrl, login) };
}

/** A log that ends three models after its only checkpoint, so that the next one is due. */
async function lateLog(t: TestContext) {
  const database = await testDatabase(t);
  const { url } = database;
  await prepareControl(url);
  const file = path.join(await temporaryDirectory(t), 'snapshot.json');
  const control = await startAll(t, url, file);
  const { position: checkpoint } = place.parse(await control.program.logged(signed));
  for (const name of ['original', 'second', 'third']) await makeModel(control, name);
  const { position: head } = await control.admin.get('/admin/log/head', logHead);
  const cache = createSnapshotCache({ path: file, secret: encryptionKey });
  const lastSeen = async (): Promise<number> => (await cache.read()).cached?.seen[0]?.position ?? 0;
  await until(async () => (await lastSeen()) === head, { what: 'the last position is cached' });
  await control.program.end('SIGTERM');
  const superuser = asSuperuser(database);
  await superuser(`update es.checkpoints set created_at = created_at - interval '1 hour'`);
  return { start: () => startAll(t, url, file), superuser, checkpoint, head };
}

describe('role all remembers what the log was', () => {
  const cases = [
    {
      what: 'set back',
      change: (checkpoint: number) => rollBackTo(checkpoint + 1),
      says: /but the log ends at \d+: it was reset/,
    },
    {
      what: 'rewritten',
      change: (checkpoint: number) =>
        rewriteEventAt(checkpoint + 1, { before: 'original', after: 'forged01' }),
      says: /but the log has [0-9a-f]{64} there: it was rewritten/,
    },
  ];
  for (const { what, change, says } of cases) {
    it(`and signs nothing of one that was ${what} after its last checkpoint`, async (t) => {
      const { start, superuser, checkpoint } = await lateLog(t);
      await superuser(...change(checkpoint));
      const again = await start();
      await assertAlarmed(again, says);
      assert.deepEqual(await storedCheckpoints(again), [checkpoint]);
    });
  }
});
