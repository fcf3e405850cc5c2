// Tests `gw agent --kubernetes` as a process, with an HTTPS API server and a control plane: killed
// between its registrations, it resumes and registers nothing twice.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { it } from 'node:test';

import { parseAllDocuments } from 'yaml';
import { z } from 'zod';

import { startClusterApi } from '../harness/cluster/cluster-api.ts';
import { inCluster } from '../harness/cluster/cluster-program.ts';
import { prepareControl, startControlProgram } from '../harness/program/control-program.ts';
import { createCaller } from '../harness/program/demo-model.ts';
import { startEngine } from '../harness/upstream/engine.ts';
import { testDatabase } from '../harness/postgres/postgres.ts';
import { startProgram } from '../harness/program/program.ts';
import { until } from '../harness/wait.ts';

/** Several processes share the machine with other tests. */
const limitMs = 30_000;
const engineCount = 4;

const providers = z.array(
  z.object({ name: z.string(), kind: z.string(), node: z.string(), api_base: z.string() }),
);

const clusterRole = z.object({
  kind: z.literal('ClusterRole'),
  rules: z.array(z.object({ resources: z.array(z.string()), verbs: z.array(z.string()) })),
});
const manifest = path.join(import.meta.dirname, '../../deploy/agent/rbac.yaml');
const allowed: ReadonlySet<string> = new Set(
  parseAllDocuments(readFileSync(manifest, 'utf8'))
    .flatMap((document) => clusterRole.safeParse(document.toJS()).data?.rules ?? [])
    .flatMap(({ resources, verbs }) => verbs.flatMap((verb) => resources.map((one) => verb + one))),
);

const annotated = (name: string, apiBase: string) => ({
  metadata: { name, namespace: 'models', annotations: { 'gw.io/advertise': apiBase } },
  spec: { type: 'ClusterIP', ports: [] },
  status: {},
});

it('an agent killed between registrations registers every engine once', async (t) => {
  const cluster = await startClusterApi(t, {
    allows: ({ resource, verb }) => allowed.has(verb + resource),
  });
  const engines = await Promise.all(
    Array.from({ length: engineCount }, (_, index) => startEngine(t, { model: `Model ${index}` })),
  );
  const items = engines.map(({ apiBase }, index) => annotated(`engine-${index}`, apiBase));
  Object.assign(cluster.lists, {
    services: { ...cluster.lists['services'], items },
    pods: { ...cluster.lists['pods'], items: [] },
  });
  const { url: databaseUrl } = await testDatabase(t);
  await prepareControl(databaseUrl);
  const control = await startControlProgram(t, databaseUrl);
  const { key } = await createCaller(control.admin, 'agent');
  const startAgent = () =>
    startProgram(t, {
      args: ['agent', '--kubernetes', '--provider-name', 'East', '--control-url', control.adminUrl]
        // Registers one at a time, so that a kill falls between two registrations.
        .concat(['--probe-workers', '1', '--ttl', '10', '--interval', '1']),
      env: { GW_AGENT_TOKEN: key, ...inCluster(cluster) },
    });
  const registered = () => control.admin.get('/admin/providers', providers);

  for (let held = 0; held < engineCount;) {
    const agent = startAgent();
    const before = held;
    held = await until(
      async () => {
        const { length } = await registered();
        return length > before ? length : null;
      },
      { what: 'a registration', limitMs },
    );
    await agent.end('SIGKILL');
    held = (await registered()).length;
  }
  const agent = startAgent();
  const asked = engines.map((engine) => engine.asked());
  await until(() => engines.every((engine, index) => engine.asked() > (asked[index] ?? 0) + 1), {
    what: 'heartbeats',
    limitMs,
  });
  const found = await registered();
  assert.deepEqual(
    found.map(({ name }) => name).toSorted(),
    engines.map(({ port }, index) => `east-model-${index}-${port}`).toSorted(),
  );
  assert.deepEqual(
    new Set(found.map(({ api_base }) => api_base)),
    new Set(engines.map(({ apiBase }) => apiBase)),
  );
  assert.deepEqual([...new Set(found.map(({ kind }) => kind))], ['dynamic']);
  assert.deepEqual(
    cluster.asked.filter(({ status }) => status !== 200),
    [],
  );
  await agent.end('SIGTERM');
  assert.equal(agent.child.exitCode, 0);
});
