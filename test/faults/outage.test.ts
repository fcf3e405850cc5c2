// The data plane needs neither the control plane nor the database: both are killed under load, and no request fails of it. What was
// used meanwhile is counted when they are back. GW_TEST_OUTAGE_REQUESTS makes it longer (`npm run test:soak`).

import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { describe, it } from 'node:test';

import { z } from 'zod';

import { prepareControl, proxyToken, startControlProgram } from '../harness/control-program.ts';
import { addModel, createKey } from '../harness/demo-model.ts';
import { chatBody } from '../harness/gateway.ts';
import { ownPostgres } from '../harness/own-postgres.ts';
import { startProgram } from '../harness/program.ts';
import { until } from '../harness/wait.ts';

const requests = Number(process.env['GW_TEST_OUTAGE_REQUESTS'] ?? 600);
const clients = 8;
const usage = z.array(z.object({ requests: z.int() }));
const pollSeconds = 1;

describe('an outage of control plane and database', () => {
  it(`fails none of ${requests} requests, and loses none of their usage`, async (test) => {
    const postgres = await ownPostgres(test);
    await prepareControl(postgres.url);
    const first = await startControlProgram(test, postgres.url);
    await addModel(test, first.admin);
    const { key } = await createKey(first.admin);
    const directory = await mkdtemp(path.join(os.tmpdir(), 'gw-outage-'));
    test.after(() => rm(directory, { recursive: true, force: true }));
    const cache = path.join(directory, 'snapshot.json');
    const proxy = startProgram(test, {
      args: ['--control-url', first.adminUrl, '--port', '0', '--snapshot-cache', cache].concat([
        '--config-poll',
        String(pollSeconds),
      ]),
      env: { GW_PROXY_TOKEN: proxyToken },
    });
    const { url } = z.object({ url: z.string() }).parse(await proxy.logged('gateway started'));
    const status = async (apiKey: string): Promise<number> => {
      const response = await fetch(`${url}/v1/chat/completions`, {
        method: 'POST',
        headers: { authorization: `Bearer ${apiKey}` },
        body: JSON.stringify(chatBody('demo')),
      });
      await response.arrayBuffer();
      return response.status;
    };

    let sent = 0;
    const statuses: number[] = [];
    const load = Array.from({ length: clients }, async () => {
      while (sent++ < requests) statuses.push(await status(key));
    });
    await until(() => statuses.length > requests / 4, { what: 'some load', limitMs: 60_000 });
    await first.end('SIGKILL');
    await postgres.stop();
    await until(() => statuses.length > requests / 2, { what: 'more load', limitMs: 60_000 });
    await proxy.logged('the control plane does not answer');
    await postgres.start();
    const second = await startControlProgram(test, postgres.url, {
      GW_ADMIN_PORT: new URL(first.adminUrl).port,
    });
    await Promise.all(load);
    assert.equal(statuses.length, requests);
    assert.deepEqual(
      statuses.filter((one) => one !== 200),
      [],
    );

    const fresh = await createKey(second.admin);
    await until(async () => (await status(fresh.key)) === 200, {
      what: 'a new key within one poll of the return',
      limitMs: pollSeconds * 1000 + 2000,
    });
    const counted = async () => {
      const [row] = await second.admin.get('/admin/usage', usage);
      return row !== undefined && row.requests > requests;
    };
    await until(counted, { what: 'the usage of every request', limitMs: 30_000 });
    const [row] = await second.admin.get('/admin/usage', usage);
    assert.equal(row?.requests, requests + 1);
  });
});
