// Tests that a rewritten or reset log contradicts the replicas that saw its past, and raises an
// alarm until a new epoch explains it. Replicas follow a real control plane, on a real database
// that a superuser changes.

import assert from 'node:assert/strict';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import type { TestContext } from 'node:test';

import { z } from 'zod';

import { createSnapshotCache } from '../../../src/gateway/control-link/cache.ts';
import { newCounts } from '../../../src/telemetry/metrics.ts';
import { createControlClient } from '../../../src/gateway/control-link/client.ts';
import { startPoll } from '../../../src/gateway/control-link/poll.ts';
import { createLive } from '../../../src/gateway/config/live.ts';
import type { Notification } from '../../../src/notifications/types.ts';
import { noNotifier } from '../../../src/control/webhooks/notify.ts';
import { epochOf, readHead } from '../../../src/db/log/event-log.ts';
import { proxyToken, testAdministrator } from '../../harness/admin/admin.ts';
import { temporaryDirectory } from '../../harness/temporary-directory.ts';
import { collectLog } from '../../harness/gateway/gateway.ts';
import { healthOf } from '../../harness/gateway/health.ts';
import { testDatabase } from '../../harness/postgres/postgres.ts';
import type { TestDatabase } from '../../harness/postgres/postgres.ts';
import { rollBackTo, asSuperuser } from '../../harness/postgres/log-tampering.ts';
import { until } from '../../harness/wait.ts';

const head = z.object({
  alarms: z.array(
    z.object({
      position: z.int(),
      problem: z.string(),
      replica: z.string().nullable(),
      seen_hash: z.string().nullable(),
      log_hash: z.string().nullable(),
      explained_by_epoch: z.int().nullable(),
    }),
  ),
});

/** A control plane on a database that outlives it. */
async function control(t: TestContext, database: TestDatabase) {
  const notices: Notification[] = [];
  const notifier = { ...noNotifier, notify: (notice: Notification) => void notices.push(notice) };
  const admin = await testAdministrator(t, {
    notifier,
    database: { ...database, drop: async () => {} },
  });
  let models = 0;
  return {
    ...admin,
    notices,
    alarms: async () => head.parse((await admin.send('GET', '/admin/log/head')).body).alarms,
    change: async () => {
      models += 1;
      const name = `m-${models}-${performance.now()}`;
      const { status } = await admin.send('POST', '/admin/models', { name });
      assert.equal(status, 200);
      return (await readHead(admin.plane.db)).position;
    },
    openAlarms: async () => {
      const page = await (await fetch(`${admin.url}/metrics`)).text();
      return /^gw_log_alarms (\d+)$/m.exec(page)?.[1];
    },
  };
}

/** Follows a control plane, starting from its cache, and reports what it saw. */
async function replica(t: TestContext, { url, path }: Readonly<{ url: string; path: string }>) {
  const log = collectLog([]);
  const live = createLive({ log, monotonic: () => performance.now() });
  const client = createControlClient({ controlUrl: url, proxyToken, caBundle: [] });
  const poll = await startPoll({
    client,
    live,
    log,
    cache: createSnapshotCache({ path, secret: proxyToken }),
    acceptLog: null,
    pollMs: 1000,
    counts: newCounts(),
    random: () => 1,
    monotonic: () => performance.now(),
  });
  const stop = async (): Promise<void> => {
    await poll.stop();
    await client.close();
  };
  t.after(stop);
  const version = (): number => live.current()?.version ?? 0;
  return {
    stop,
    seen: live.seen,
    serves: (wanted: number) =>
      until(() => version() === wanted, { what: `version ${wanted}, was ${version()}` }),
    report: async () => {
      const body = healthOf('proxy-1', { version: version(), seen: live.seen() });
      assert.equal((await client.post('/health-report', body)).status, 204);
    },
  };
}

async function place(t: TestContext) {
  const database = await testDatabase();
  t.after(database.drop);
  const superuser = asSuperuser(database);
  const path = join(await temporaryDirectory(t), 'snapshot');
  return { database, superuser, path };
}

describe('a replica is a witness of the log', () => {
  it('detects a rewrite once, even after its own restart', async (t) => {
    const { database, superuser, path } = await place(t);
    const { url, change, alarms, notices, openAlarms } = await control(t, database);
    const first = await replica(t, { url, path });
    const position = await change();
    await first.serves(position);
    await first.report();
    assert.deepEqual(await alarms(), []);
    await first.stop();
    await superuser(
      `update es.events set hash = sha256('another past') where position = ${position}`,
    );
    const again = await replica(t, { url, path });
    const [seen] = again.seen();
    // Positions compared recently are compared again later.
    const raised = async () => {
      await again.report();
      const listed = await alarms();
      return listed.length > 0 && listed;
    };
    await until(raised, { what: 'the alarm' });
    await again.report();
    const [alarm, ...others] = await alarms();
    assert.deepEqual(others, []);
    assert.deepEqual(
      [alarm?.position, alarm?.replica, alarm?.seen_hash, alarm?.explained_by_epoch],
      [position, 'proxy-1', seen?.hash, null],
    );
    assert.match(alarm?.log_hash ?? '', /^[0-9a-f]{64}$/);
    assert.match(alarm?.problem ?? '', /the log has .* there: it was rewritten/);
    const told = notices.filter(({ type }) => type === 'log_alarm');
    assert.equal(told.length, 1);
    assert.equal(await openAlarms(), '1');
  });

  it('detects a reset, until a new epoch explains it', async (t) => {
    const { database, superuser, path } = await place(t);
    const before = await control(t, database);
    const old = await replica(t, { url: before.url, path });
    const kept = await before.change();
    const lost = await before.change();
    await old.serves(lost);
    await old.report();
    await old.stop();
    await before.plane.close();
    await superuser(...rollBackTo(kept));

    const restored = await control(t, database);
    const back = await replica(t, { url: restored.url, path });
    // The log has grown past the position where it lost what the replica saw.
    const grown = await restored.change();
    assert.ok(grown > lost, `${grown} of ${lost}`);
    await back.serves(grown);
    await back.report();
    const [alarm] = await restored.alarms();
    assert.deepEqual(
      [alarm?.position, alarm?.replica, alarm?.explained_by_epoch],
      [lost, 'proxy-1', null],
    );
    // The replica no longer remembers its last observation.
    for (let at = 0; at < 9; at++) await back.serves(await restored.change());
    await back.report();
    assert.equal((await restored.alarms()).length, 1);
    assert.equal(await restored.openAlarms(), '1');

    const started = await restored.plane.execute(
      { command: { type: 'StartEpoch' } },
      {
        actor: { kind: 'cli', principal_id: null },
        action: 'CLI',
        target: 'log',
        requestId: 'epoch',
        reason: null,
      },
    );
    assert.ok('version' in started);
    assert.equal(await epochOf(restored.plane.db), 1);
    await back.serves(started.version);
    await back.report();
    const explained = await restored.alarms();
    assert.deepEqual(
      explained.map((one) => one.explained_by_epoch),
      [1],
    );
    assert.equal(await restored.openAlarms(), '0');
  });

  it('detects a shorter log, unless an epoch began before its report', async (t) => {
    const { database, superuser, path } = await place(t);
    const before = await control(t, database);
    const old = await replica(t, { url: before.url, path });
    const kept = await before.change();
    for (let at = 0; at < 3; at++) await old.serves(await before.change());
    const [last] = old.seen();
    await old.stop();
    await before.plane.close();
    await superuser(...rollBackTo(kept));
    const restored = await control(t, database);
    const report = (sent: typeof last) =>
      restored.ask({
        method: 'POST',
        path: '/health-report',
        token: proxyToken,
        body: healthOf('proxy-2', { seen: sent === undefined ? [] : [sent] }),
      });
    const far = { ...(last ?? assert.fail('nothing was seen')), position: kept + 1_000 };
    const context = {
      actor: { kind: 'cli', principal_id: null },
      action: 'CLI',
      target: 'log',
      requestId: 'epoch',
      reason: null,
    } as const;
    await restored.plane.execute({ command: { type: 'StartEpoch' } }, context);
    assert.equal((await report(far)).status, 204);
    assert.deepEqual(await restored.alarms(), []);
    // In the current epoch, the same is an alarm.
    assert.equal((await report({ ...far, version: 2 ** 40 + far.position })).status, 204);
    const [alarm] = await restored.alarms();
    assert.match(alarm?.problem ?? '', /the log ends at \d+: it was reset/);
    assert.equal(alarm?.log_hash, null);
  });

  it('detects changes for its own control plane only', async (t) => {
    const { database } = await place(t);
    const { ask, alarms } = await control(t, database);
    const elsewhere = { log_id: 'another', version: 1, position: 1, hash: 'other' };
    const body = healthOf('proxy-1', { seen: [elsewhere] });
    const { status } = await ask({
      method: 'POST',
      path: '/health-report',
      token: proxyToken,
      body,
    });
    assert.equal(status, 204);
    assert.deepEqual(await alarms(), []);
  });
});
