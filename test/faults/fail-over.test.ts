// Tests a failover to a standby that lagged: the last changes of the primary are lost, but running
// control processes have read them. Each detects that, reports it, discards what it read and
// continues with the new log; proxies follow. GW_TEST_FAIL_OVERS makes it longer (`npm run
// test:soak`).

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { TestContext } from 'node:test';

import { sql } from '@databases/pg';
import { z } from 'zod';

import { readModelSchema } from '../../projections/read-model.ts';
import { verifyLog } from '../../src/control/log/verify-log.ts';
import { readHead } from '../../src/db/log/event-log.ts';
import { openDatabase } from '../../src/db/pool.ts';
import { positionsMax } from '../../src/lib/snapshot-version.ts';
import { gw } from '../harness/program/command-line.ts';
import {
  encryptionKey,
  prepareControl,
  proxyToken,
  startControlProgram,
} from '../harness/program/control-program.ts';
import type { ControlProgram } from '../harness/program/control-program.ts';
import { failOverPair } from '../harness/postgres/fail-over.ts';
import { startProxyProgram } from '../harness/program/proxy-program.ts';
import { until } from '../harness/wait.ts';

const rounds = Number(process.env['GW_TEST_FAIL_OVERS'] ?? 3);
const lostModels = 3;

const alarm = z.object({
  position: z.int(),
  problem: z.string(),
  seen_hash: z.string().nullable(),
  log_hash: z.string().nullable(),
  explained_by_epoch: z.int().nullable(),
});
const integrity = z.object({ alarms: z.array(alarm) });
const published = z.object({
  version: z.int(),
  config_hash: z.string(),
  config: z.object({ models: z.array(z.object({ name: z.string() })) }),
});
const applied = z.object({ version: z.int(), models: z.int() });
type Proxy = Awaited<ReturnType<typeof startProxyProgram>>;

/** Changes a model through this control process and returns the status. */
async function makeModel({ adminUrl, cookie }: ControlProgram, name: string): Promise<number> {
  const { status } = await fetch(`${adminUrl}/admin/provider-models`, {
    method: 'POST',
    headers: { cookie, 'content-type': 'application/json' },
    body: JSON.stringify({ name }),
  });
  return status;
}

const alarmsOf = async ({ admin }: ControlProgram) =>
  (await admin.get('/admin/log/head', integrity)).alarms;

/** Null while no snapshot is published. */
async function snapshotOf({ adminUrl }: ControlProgram) {
  const answer = await fetch(`${adminUrl}/snapshot`, {
    headers: { authorization: `Bearer ${proxyToken}` },
  });
  return answer.ok ? published.parse(await answer.json()) : null;
}

async function place(test: TestContext) {
  const pair = await failOverPair(test);
  await prepareControl(pair.url);
  const controls: ControlProgram[] = [];
  const db = openDatabase({
    url: pair.url,
    purpose: 'maintenance',
    applicationName: 'gw test',
    connectionsMax: 2,
    schema: readModelSchema,
  });
  test.after(() => db.dispose());
  return {
    ...pair,
    /** Reads from the database that currently has the address. */
    inDatabase: async () => {
      // Each connection to the old server fails once.
      const head = await until(() => readHead(db).catch(() => null), { what: 'the head' });
      const [version]: { hash: string }[] = await db.query(sql`
        select content_hash as hash from snapshot_versions order by version desc limit 1`);
      return { position: head.position, hash: Buffer.from(head.hash).toString('hex'), version };
    },
    db,
    /** Adjusts the number of running control processes. */
    have: async (count: number): Promise<readonly [ControlProgram, ...ControlProgram[]]> => {
      while (controls.length < count) controls.push(await startControlProgram(test, pair.url));
      for (const surplus of controls.splice(count)) await surplus.end('SIGTERM');
      const [first, ...others] = controls;
      assert.ok(first !== undefined);
      return [first, ...others];
    },
  };
}

/** Retries a change while the log is read again; fails on any other refusal. */
const makeWhenReady = (control: ControlProgram, name: string): Promise<unknown> =>
  until(
    async () => {
      const status = await makeModel(control, name);
      assert.ok(status === 200 || status === 503, `${name}: ${status}`);
      return status === 200;
    },
    { what: name },
  );

const servedBy = ({ logs }: Proxy) =>
  applied.parse(logs.findLast(({ message }) => message === 'snapshot applied'));

describe('a fail-over that lost the end of the log', () => {
  it('is detected by every control process that had read it', async (t) => {
    const { url, db, have, holdBack, failOver, inDatabase } = await place(t);
    for (let round = 1; round <= rounds; round++) {
      const controls = await have(1 + ((round - 1) % 3));
      const [stale, other = stale] = controls;
      const proxy =
        round % 2 === 0 ? await startProxyProgram(t, { controlUrl: stale.adminUrl }) : null;
      const lost = Array.from({ length: lostModels }, (_, at) => `lost-${round}-${at}`);
      await makeWhenReady(stale, `kept-${round}`);
      await holdBack();
      for (const name of lost) await makeWhenReady(stale, name);
      const before = await inDatabase();
      // Each process has read what will be lost.
      for (const control of controls) {
        await until(
          async () => (await snapshotOf(control))?.config.models.at(-1)?.name === lost.at(-1),
          { what: 'the control process has read the log to its end' },
        );
      }
      if (proxy !== null) {
        const seen = await snapshotOf(stale);
        await until(() => servedBy(proxy).version === seen?.version, { what: 'proxy' });
      }

      // A process that is stopped in the meantime resumes with a log that has grown past its
      // position.
      if (other !== stale) stale.child.kill('SIGSTOP');
      await failOver();
      if (other !== stale) {
        for (let at = 0; at <= lostModels; at++) await makeWhenReady(other, `new-${round}-${at}`);
        stale.child.kill('SIGCONT');
      }
      // A name that existed only in the lost changes is free again on every process.
      for (const [at, control] of controls.entries()) {
        await makeWhenReady(control, lost[at] ?? assert.fail('too few names'));
      }
      const now = await inDatabase();
      for (const control of controls) {
        const snapshot = await until(
          async () => {
            const one = await snapshotOf(control);
            return one?.config_hash === now.version?.hash ? one : null;
          },
          { what: 'the control process publishes the log that is there' },
        );
        assert.deepEqual(
          snapshot.config.models.filter(({ name }) => lost.slice(controls.length).includes(name)),
          [],
        );
        assert.equal((await fetch(`${control.adminUrl}/readyz`)).status, 200);
      }
      const raised = (await alarmsOf(stale)).filter((one) => one.explained_by_epoch === null);
      const found = raised.find((one) => one.position === before.position);
      assert.equal(found?.seen_hash, before.hash, JSON.stringify(raised));
      assert.match(found?.problem ?? '', new RegExp(`hash ${before.hash} at position`));
      const metrics = await (await fetch(`${stale.adminUrl}/metrics`)).text();
      assert.equal(/^gw_log_alarms (\d+)$/m.exec(metrics)?.[1], String(raised.length));
      const { problems } = await verifyLog(db);
      assert.deepEqual(problems, []);

      const began = await gw(['log', 'new-epoch', '--reason', 'a fail-over'], {
        env: { GW_DATABASE_URL: url, GW_ENCRYPTION_KEY: encryptionKey },
      });
      assert.equal(began.code, 0, began.stderr);
      for (const control of controls) {
        await until(
          async () => ((await snapshotOf(control))?.version ?? 0) > round * positionsMax,
          {
            what: 'the control process publishes the new epoch',
          },
        );
        const open = (await alarmsOf(control)).filter((one) => one.explained_by_epoch === null);
        assert.deepEqual(open, []);
      }
      if (proxy === null) continue;
      const wanted = await snapshotOf(stale);
      await until(
        () => {
          const { version, models } = servedBy(proxy);
          return version === wanted?.version && models === wanted.config.models.length;
        },
        { what: 'the proxy follows' },
      );
      await proxy.end('SIGTERM');
    }
  });
});
