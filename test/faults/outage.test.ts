// Tests that the data plane needs neither the control plane nor the database: both are killed under
// load, and no request fails. Afterwards all spooled usage is counted; of usage kept in memory, all
// except what is counted as dropped. GW_TEST_OUTAGE_REQUESTS makes it longer (`npm run test:soak`).

import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { describe, it } from 'node:test';
import type { TestContext } from 'node:test';

import { z } from 'zod';

import {
  prepareControl,
  proxyToken,
  startControlProgram,
} from '../harness/program/control-program.ts';
import { addModel, createCaller, createKey } from '../harness/program/demo-model.ts';
import { chatBody } from '../harness/gateway/gateway.ts';
import { ownPostgres } from '../harness/postgres/own-postgres.ts';
import { startProgram } from '../harness/program/program.ts';
import { until } from '../harness/wait.ts';

const requests = Number(process.env['GW_TEST_OUTAGE_REQUESTS'] ?? 600);
const clients = 8;
const usage = z.array(z.object({ key: z.string().nullable(), requests: z.int() }));
const pollSeconds = 1;

async function startProxy(test: TestContext, controlUrl: string, args: readonly string[]) {
  const directory = await mkdtemp(path.join(os.tmpdir(), 'gw-outage-'));
  test.after(() => rm(directory, { recursive: true, force: true }));
  const cache = path.join(directory, 'snapshot.json');
  const program = startProgram(test, {
    args: ['--control-url', controlUrl, '--port', '0', '--snapshot-cache', cache].concat(
      ['--config-poll', String(pollSeconds)],
      args.map((one) => one.replace('DIR', path.join(directory, 'spool'))),
    ),
    env: { GW_PROXY_TOKEN: proxyToken },
  });
  const { url } = z.object({ url: z.string() }).parse(await program.logged('gateway started'));
  const status = async (apiKey: string): Promise<number> => {
    const response = await fetch(`${url}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${apiKey}` },
      body: JSON.stringify(chatBody('demo')),
    });
    await response.arrayBuffer();
    return response.status;
  };
  const droppedRows = async (): Promise<number> => {
    const metrics = await (await fetch(`${url}/metrics`)).text();
    return Number(/^gw_usage_reports_dropped_total (\d+)$/m.exec(metrics)?.[1]);
  };
  return { status, droppedRows, logged: program.logged };
}

/** Several clients each send one request after another until all are sent. */
function drive(ask: () => Promise<number>) {
  const statuses: number[] = [];
  let sent = 0;
  const load = Array.from({ length: clients / 2 }, async () => {
    while (sent++ < requests / 2) statuses.push(await ask());
  });
  return { statuses, end: () => Promise.all(load) };
}

describe('an outage of control plane and database', () => {
  it(`fails none of ${requests} requests, and loses only usage that is counted as dropped`, async (test) => {
    const postgres = await ownPostgres(test);
    await prepareControl(postgres.url);
    const first = await startControlProgram(test, postgres.url);
    await addModel(test, first.admin);
    const inMemory = await createCaller(first.admin, 'in memory');
    const onDisk = await createCaller(first.admin, 'on disk');
    const [plain, spooling] = [
      await startProxy(test, first.adminUrl, []),
      await startProxy(test, first.adminUrl, ['--usage-spool', 'DIR']),
    ];
    const loads = [
      drive(() => plain.status(inMemory.key)),
      drive(() => spooling.status(onDisk.key)),
    ];
    const answered = () => Math.min(...loads.map(({ statuses }) => statuses.length)) * 2;
    await until(() => answered() > requests / 4, { what: 'some load', limitMs: 600_000 });
    await first.end('SIGKILL');
    await postgres.stop();
    await until(() => answered() > (requests * 3) / 4, { what: 'more load', limitMs: 600_000 });
    await plain.logged('the control plane does not answer');
    await postgres.start();
    const second = await startControlProgram(test, postgres.url, {
      GW_ADMIN_PORT: new URL(first.adminUrl).port,
    });
    await Promise.all(loads.map(({ end }) => end()));
    for (const { statuses } of loads) {
      assert.equal(statuses.length, requests / 2);
      assert.ok(statuses.every((one) => one === 200));
    }

    const fresh = await createKey(second.admin);
    await until(async () => (await plain.status(fresh.key)) === 200, {
      what: 'a new key within one poll of the return',
      limitMs: pollSeconds * 1000 + 2000,
    });
    const counted = async (name: string): Promise<number> => {
      const rows = await second.admin.get('/admin/usage?group_by=principal', usage);
      return rows.find(({ key }) => key === name)?.requests ?? 0;
    };
    assert.equal(await spooling.droppedRows(), 0);
    const dropped = await plain.droppedRows();
    const expected = { inMemory: requests / 2 - dropped, onDisk: requests / 2 };
    test.diagnostic(`${dropped} of ${requests / 2} dropped without a spool`);
    const isDone = async () =>
      (await counted('in memory')) >= expected.inMemory &&
      (await counted('on disk')) >= expected.onDisk;
    await until(isDone, { what: 'the usage of every request', limitMs: 120_000 });
    const seen = { inMemory: await counted('in memory'), onDisk: await counted('on disk') };
    assert.deepEqual(seen, expected);
  });
});
