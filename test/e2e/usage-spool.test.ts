// Tests that usage survives an outage of the control plane and a crash of the proxy, and that every
// request counts exactly once.

import assert from 'node:assert/strict';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { it } from 'node:test';
import type { TestContext } from 'node:test';

import { z } from 'zod';

import { startDemoProvider } from '../../src/cli/dev/demo-provider.ts';
import { readSpool } from '../../src/gateway/usage/spool-format.ts';
import { openDatabase } from '../../src/db/pool.ts';
import type { Database } from '../../src/db/pool.ts';
import { prepareControl, startControlProgram } from '../harness/program/control-program.ts';
import { startForwarder } from '../harness/postgres/forwarder.ts';
import { testDatabase } from '../harness/postgres/postgres.ts';
import { startProxyProgram } from '../harness/program/proxy-program.ts';
import { until } from '../harness/wait.ts';

const created = z.object({ id: z.int() });
const totals = z.array(z.object({ key: z.string(), requests: z.int(), prompt_tokens: z.int() }));

async function startProxy(test: TestContext, controlUrl: string, directory: string) {
  const spool = path.join(directory, 'spool');
  const cache = path.join(directory, 'snapshot.json');
  const args = ['--usage-spool', spool];
  return { spool, ...(await startProxyProgram(test, { controlUrl, cache, args })) };
}

/** The ids of the rows on disk. */
async function spooled(directory: string): Promise<ReadonlySet<string>> {
  const names = await readdir(directory).catch(() => []);
  const files = await Promise.all(names.map((name) => readFile(path.join(directory, name))));
  const rows = files.flatMap((bytes) => readSpool(bytes).events);
  return new Set(rows.map((row) => z.object({ id: z.string() }).parse(JSON.parse(row)).id));
}

/** The ids of the rows that the control plane stored. */
async function ingested(db: Database): Promise<ReadonlySet<string>> {
  const rows: unknown = await db.query(db.sql`select id from op.usage_events`);
  return new Set(
    z
      .array(z.object({ id: z.string() }))
      .parse(rows)
      .map(({ id }) => id),
  );
}

it('counts every request once across a control plane outage and a kill of the proxy', async (test) => {
  const { url: databaseUrl } = await testDatabase(test);
  const directory = await mkdtemp(path.join(os.tmpdir(), 'gw-usage-'));
  test.after(() => rm(directory, { recursive: true, force: true }));
  await prepareControl(databaseUrl);
  const db = openDatabase({
    url: databaseUrl,
    purpose: 'maintenance',
    applicationName: 'gw test',
    connectionsMax: 1,
  });
  test.after(() => db.dispose());
  const place = await startForwarder(test);
  const control = await startControlProgram(test, databaseUrl);
  place.forwardTo(control.adminUrl);
  const demo = await startDemoProvider({ port: 0 });
  test.after(demo.close);
  const post = <Answer>(path: string, body: unknown, answer: z.ZodType<Answer>) =>
    control.admin.send({ method: 'POST', path, body, answer });
  const provider = await post('/admin/providers', { name: 'd', api_base: demo.apiBase }, created);
  const model = await post('/admin/provider-models', { name: 'demo' }, created);
  await post(`/admin/provider-models/${model.id}/backends`, { provider_id: provider.id }, created);
  const owner = { name: 'a key', principal_id: 1 };
  const { key } = await post('/admin/keys', owner, z.object({ key: z.string() }));

  let sent = 0;
  const chat = async (url: string, count: number): Promise<void> => {
    for (let number = 0; number < count; number++) {
      const response = await fetch(`${url}/v1/chat/completions`, {
        method: 'POST',
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
        body: JSON.stringify({ model: 'demo', messages: [{ role: 'user', content: 'hi' }] }),
      });
      await response.arrayBuffer();
      assert.equal(response.status, 200);
      sent++;
    }
  };

  const first = await startProxy(test, place.url, directory);
  await chat(first.url, 20);
  await control.end('SIGKILL');
  place.forwardTo(null);
  await chat(first.url, 60);
  // Rows that the control plane stored but could not acknowledge are still on disk.
  const kept = async (): Promise<number> =>
    new Set([...(await spooled(first.spool)), ...(await ingested(db))]).size;
  await until(async () => (await kept()) === sent, { what: 'every row is on disk, or taken' });
  const metrics = await (await fetch(`${first.url}/metrics`)).text();
  assert.match(metrics, /^gw_usage_spool_bytes [1-9]\d*$/m);
  assert.match(metrics, /^gw_usage_spool_max_bytes 268435456$/m);
  await first.end('SIGKILL');

  const second = await startProxy(test, place.url, directory);
  await chat(second.url, 40);
  const back = await startControlProgram(test, databaseUrl);
  place.forwardTo(back.adminUrl);
  const requests = async (): Promise<number> => {
    const [total] = totals.parse(await back.admin.get('/admin/usage', totals));
    return total?.requests ?? 0;
  };
  await until(async () => (await requests()) >= sent, { what: 'all of it' });
  await second.end('SIGTERM');
  assert.equal(await requests(), 120);
  assert.deepEqual(await readdir(second.spool), []);
});
