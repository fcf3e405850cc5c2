// Tests hosts end to end: an agent finds and registers twenty model servers, and a proxy routes to
// each. After a server dies or the control plane restarts, the next sweep and heartbeat recover.

import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { describe, it } from 'node:test';
import type { TestContext } from 'node:test';

import { z } from 'zod';

import type { AdminClient } from '../../src/cli/control-plane/admin-client.ts';
import {
  prepareControl,
  proxyToken,
  startControlProgram,
} from '../harness/program/control-program.ts';
import { createCaller } from '../harness/program/demo-model.ts';
import { startEngine } from '../harness/upstream/engine.ts';
import { chatBody } from '../harness/gateway/gateway.ts';
import { testDatabase } from '../harness/postgres/postgres.ts';
import { startProgram } from '../harness/program/program.ts';
import { until } from '../harness/wait.ts';

const hosts = 20;
/** Several processes share the machine with other tests. */
const everySecond = { GW_PROVIDER_SWEEP_INTERVAL: '1', GW_CONFIG_POLL: '1' };
const modelOf = (index: number): string => `model-${index}`;
const models = Array.from({ length: hosts }, (_, index) => modelOf(index));

const providers = z.array(
  z.object({
    id: z.int(),
    name: z.string(),
    kind: z.string(),
    api_base: z.string(),
    node: z.string().nullable(),
    engine: z.string().nullable(),
    lease_expires_at: z.string().nullable(),
    degraded_reason: z.string().nullable(),
  }),
);

const events = z.array(z.object({ stream: z.string() }));

async function startCluster(test: TestContext) {
  const { url: databaseUrl } = await testDatabase(test);
  await prepareControl(databaseUrl);
  const control = await startControlProgram(test, databaseUrl, everySecond);
  const caller = await createCaller(control.admin, 'hosts');
  const engines = await Promise.all(models.map((model) => startEngine(test, { model })));
  const directory = await mkdtemp(path.join(os.tmpdir(), 'gw-hosts-'));
  test.after(() => rm(directory, { recursive: true, force: true }));
  const proxy = startProgram(test, {
    args: ['--control-url', control.adminUrl, '--port', '0'].concat(
      ['--snapshot-cache', path.join(directory, 'snapshot.json')],
      // Ensures that the sweep, not the proxy's own probe, removes a dead engine.
      ['--health-interval', '3600'],
    ),
    env: { GW_PROXY_TOKEN: proxyToken, ...everySecond },
  });
  const { url } = z.object({ url: z.string() }).parse(await proxy.logged('gateway started'));
  const ports = engines.map(({ port }) => port).join(',');
  const agent = startProgram(test, {
    args: ['agent', '--control-url', control.adminUrl, '--advertise', '127.0.0.1'].concat(
      ['--scan-ports', ports, '--node', 'Box', '--ttl', '10', '--interval', '1'],
      ['--discover-interval', '3600'],
    ),
    env: { GW_AGENT_TOKEN: caller.key },
  });
  const serves = async (model: string): Promise<boolean> => {
    const response = await fetch(`${url}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${caller.key}`, 'content-type': 'application/json' },
      body: JSON.stringify(chatBody(model)),
    });
    await response.arrayBuffer();
    return response.status === 200;
  };
  return { databaseUrl, control, engines, agent, serves };
}

/** Callers cannot reach a learned model until an operator refers to it. */
const openToCallers = (admin: AdminClient) =>
  admin.send({
    method: 'POST',
    path: '/admin/model-pools',
    body: { name: 'hosts', members: models.map((model) => ({ model })) },
    answer: z.object({ id: z.int() }),
  });

describe('hosts that register themselves', () => {
  it('are found, routed to, removed, restored, and survive a restart of the control plane', async (t) => {
    const { databaseUrl, control, engines, agent, serves } = await startCluster(t);
    const list = () => control.admin.get('/admin/providers', providers);
    const [first] = engines;
    assert.ok(first !== undefined);

    await until(async () => (await list()).length === hosts, { what: 'twenty providers' });
    const found = await list();
    assert.deepEqual(
      found.map(({ name }) => name).toSorted(),
      engines.map(({ port }, index) => `box-model-${index}-${port}`).toSorted(),
    );
    for (const one of found) {
      assert.deepEqual([one.kind, one.node, one.engine], ['dynamic', 'Box', 'vllm']);
      assert.notEqual(one.lease_expires_at, null);
    }
    await openToCallers(control.admin);
    for (const model of models) {
      await until(() => serves(model), { what: `${model} at the proxy` });
    }

    const reason = async (): Promise<string | null | undefined> =>
      (await list()).find(({ api_base }) => api_base === first.apiBase)?.degraded_reason;
    await first.stop();
    await until(async () => (await reason()) !== null, { what: 'the sweep' });
    await until(async () => !(await serves(modelOf(0))), {
      what: 'the provider is out of rotation',
    });
    assert.equal(await serves(modelOf(1)), true);
    await first.start();
    await until(() => serves(modelOf(0)), { what: 'it is back in rotation' });
    await until(async () => (await reason()) === null, { what: 'a sweep that says so' });

    const transitions = async (admin: typeof control.admin) => {
      const types = ['ProviderDegraded', 'ProviderRecovered', 'ProviderDeleted'];
      const lists = types.map((type) => admin.get(`/admin/history/events?type=${type}`, events));
      return (await Promise.all(lists)).map((list) => list.map(({ stream }) => stream));
    };
    const stream = `provider-${found.find(({ api_base }) => api_base === first.apiBase)?.id}`;
    assert.deepEqual(await transitions(control.admin), [[stream], [stream], []]);

    const before = await list();
    await control.end('SIGKILL');
    await agent.logged('the control plane does not answer');
    for (const model of models) assert.equal(await serves(model), true, model);
    const port = new URL(control.adminUrl).port;
    const again = await startControlProgram(t, databaseUrl, {
      ...everySecond,
      GW_ADMIN_PORT: port,
    });
    await agent.logged('the control plane answers again');
    const after = await again.admin.get('/admin/providers', providers);
    assert.deepEqual(
      after.map(({ id, name, degraded_reason }) => [id, name, degraded_reason]),
      before.map(({ id, name }) => [id, name, null]),
    );
    for (const model of models) assert.equal(await serves(model), true, model);
    assert.deepEqual(await transitions(again.admin), [[stream], [stream], []]);
    assert.deepEqual(
      agent.logs.filter(({ message }) => message === 'a registration was refused'),
      [],
    );
  });
});
