// Tests role all as a process: a change of a backend's flow control applies to current requests,
// and the fleet page and the metrics show its effect.

import assert from 'node:assert/strict';
import { it } from 'node:test';

import { z } from 'zod';

import { encryptionKey, login, prepareControl } from '../harness/program/control-program.ts';
import { startEngine } from '../harness/upstream/queueing-engine.ts';
import { chatBody } from '../harness/gateway/gateway.ts';
import { readMetrics } from '../harness/gateway/metrics-text.ts';
import { testDatabase } from '../harness/postgres/postgres.ts';
import { startProgram } from '../harness/program/program.ts';
import { until } from '../harness/wait.ts';

const fleetRows = z.array(
  z.object({
    backends: z.array(
      z.object({
        engine: z.object({ running: z.int(), waiting: z.int() }).optional(),
        admission: z.object({ max_concurrent: z.int(), refused_full_total: z.int() }).optional(),
      }),
    ),
  }),
);

it('turns flow control on, changes it and turns it off while requests are served', async (test) => {
  const { url } = await testDatabase(test);
  await prepareControl(url);
  const engine = await startEngine({ sequencesMax: 16, serviceMs: 400 });
  test.after(() => engine[Symbol.asyncDispose]());
  const program = startProgram(test, {
    args: ['--role', 'all', '--port', '0', '--admin-port', '0', '--health-report-interval', '1'],
    env: { GW_DATABASE_URL: url, GW_ENCRYPTION_KEY: encryptionKey, GW_ENGINE_SCRAPE_INTERVAL: '1' },
  });
  const { admin } = z
    .object({ admin: z.url() })
    .parse(await program.logged('control plane started'));
  const gateway = z.object({ url: z.url() }).parse(await program.logged('gateway started'));
  let cookie = '';
  const send = async (method: string, path: string, body?: unknown): Promise<unknown> => {
    const headers = { cookie, 'content-type': 'application/json' };
    const given = body === undefined ? {} : { body: JSON.stringify(body) };
    const answer = await fetch(admin + path, { method, headers, ...given });
    const text = await answer.text();
    assert.equal(answer.status, 200, text);
    cookie = answer.headers.getSetCookie()[0]?.split(';')[0] ?? cookie;
    return JSON.parse(text);
  };
  await send('POST', '/login', login);
  await send('POST', '/admin/providers', { name: 'engine', api_base: engine.apiBase });
  await send('POST', '/admin/provider-models', { name: 'm' });
  await send('POST', '/admin/provider-models/1/backends', { provider_id: 1 });
  const { key } = z
    .object({ key: z.string() })
    .parse(await send('POST', '/admin/keys', { name: 'a key', principal_id: 1 }));

  /** Sends six requests at once and counts those served and those refused. */
  const sixAtOnce = async () => {
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
    const body = JSON.stringify(chatBody('m'));
    const statuses = await Promise.all(
      Array.from({ length: 6 }, async () => {
        const target = `${gateway.url}/v1/chat/completions`;
        const answer = await fetch(target, { method: 'POST', headers, body });
        await answer.text();
        return answer.status;
      }),
    );
    return [200, 503].map((status) => statuses.filter((one) => one === status).length);
  };
  const patched = (change: object) => send('PATCH', '/admin/backends/1', change);

  await patched({ admission_max_concurrent: 2, admission_max_queued: 1 });
  assert.deepEqual(await sixAtOnce(), [3, 3]);
  assert.equal(engine.peak(), 2);
  await patched({ admission_max_queued: null });
  assert.deepEqual(await sixAtOnce(), [6, 0]);
  assert.equal(engine.peak(), 2);
  const shown = await until(
    async () => {
      const [row] = fleetRows.parse(await send('GET', '/admin/fleet'));
      const [backend] = row?.backends ?? [];
      return backend?.engine !== undefined && backend.admission?.refused_full_total === 3
        ? backend
        : null;
    },
    { what: 'the fleet shows it' },
  );
  assert.equal(shown.admission?.max_concurrent, 2);
  const page = readMetrics(await (await fetch(`${gateway.url}/metrics`)).text());
  const admitted = page.get('gw_admission_admitted_total')?.samples.map(({ value }) => value);
  assert.deepEqual(admitted, [9]);
  await patched({ admission_max_concurrent: null });
  assert.deepEqual(await sixAtOnce(), [6, 0]);
  assert.equal(engine.peak(), 6);
});
