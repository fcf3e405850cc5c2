// Tests `gw operator` as processes with an HTTPS API server: it brings a deployment up despite a
// kill after each write, reports its progress, and rolls out what a PATCH at the control plane
// requests.

import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { TestContext } from 'node:test';

import { z } from 'zod';

import type { ClusterApi } from '../harness/cluster/cluster-api.ts';
import { inCluster } from '../harness/cluster/cluster-program.ts';
import { isJson, memberAt } from '../harness/cluster/cluster-store.ts';
import type { Json } from '../harness/cluster/cluster-store.ts';
import { prepareControl, startControlProgram } from '../harness/program/control-program.ts';
import {
  storedDeployment,
  namespace,
  objectNamed,
  reconcileAll,
  settle,
  startManagedCluster,
} from '../harness/cluster/managed-deployment.ts';
import { readMetrics } from '../harness/gateway/metrics-text.ts';
import { testDatabase } from '../harness/postgres/postgres.ts';
import { startProgram } from '../harness/program/program.ts';
import { until } from '../harness/wait.ts';

const everything: Json = {
  bootstrap: { password: { name: 'gw-secrets', key: 'password' } },
  proxy: { autoscaling: { enabled: true } },
};
/** Other tests share the machine. */

const startOperator = (test: TestContext, cluster: ClusterApi) =>
  startProgram(test, {
    args: ['operator', '--namespace', namespace, '--port', '0'],
    env: inCluster(cluster),
  });

const isReady = (cluster: ClusterApi, generation: number): boolean => {
  const status = storedDeployment(cluster)['status'];
  return (
    memberAt(status, 'phase') === 'Ready' && memberAt(status, 'observedGeneration') === generation
  );
};

/** The objects, without what differs between clusters. */
const objectsOf = ({ store }: ClusterApi): unknown =>
  [...store.objects]
    .filter(([path]) => !path.includes('/leases/'))
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([path, object]) => [path, JSON.parse(withoutVersions(object))]);
const ofOneCluster: ReadonlySet<string> = new Set([
  'uid',
  'resourceVersion',
  'clusterIP',
  'lastTransitionTime',
]);
const withoutVersions = (object: Json): string =>
  JSON.stringify(object, (key, value: unknown) => (ofOneCluster.has(key) ? undefined : value));

it('operators killed after each write bring a deployment to Ready without duplicates', async (t) => {
  const clean = await startManagedCluster(t, { spec: everything });
  await reconcileAll(clean, { afterPass: () => settle(clean) });

  const cluster = await startManagedCluster(t, { spec: everything });
  let kills = 0;
  while (!isReady(cluster, 1)) {
    const operator = startOperator(t, cluster);
    const written = Promise.withResolvers<void>();
    // The write succeeds but its response is lost.
    cluster.onWrite(() => {
      cluster.setAway(true);
      written.resolve();
    });
    await written.promise;
    await operator.end('SIGKILL');
    kills += 1;
    assert.ok(kills < 30, 'it comes to no end');
    cluster.setAway(false);
    // Simulates that the killed leader's term has expired.
    cluster.store.remove(`/apis/coordination.k8s.io/v1/namespaces/${namespace}/leases/gw-operator`);
    settle(cluster);
  }
  assert.ok(kills >= 10, `${kills} kills`);
  assert.deepEqual(objectsOf(cluster), objectsOf(clean));
});

const started = z.object({ url: z.url() });

it('an operator reports whether it leads and what it did, and rolls out a PATCH at the control plane', async (t) => {
  const cluster = await startManagedCluster(t);
  const { url: databaseUrl } = await testDatabase(t);
  await prepareControl(databaseUrl);
  cluster.onWrite(({ resource }) => {
    if (resource === 'deployments') settle(cluster);
  });
  const operator = startOperator(t, cluster);
  const { url } = started.parse(await operator.logged('operator started'));
  const control = await startControlProgram(t, databaseUrl, {
    ...inCluster(cluster),
    GW_OPERATOR_RESOURCE: 'gw/gw',
  });
  await until(() => isReady(cluster, 1), { what: 'Ready' });

  const image = 'registry.example/gw:2.0.0';
  const patched = await fetch(`${control.adminUrl}/admin/deployment`, {
    method: 'PATCH',
    headers: { cookie: control.cookie, 'content-type': 'application/json' },
    body: JSON.stringify({ image, replicas: 3 }),
  });
  assert.equal(patched.status, 200, await patched.text());
  await until(() => isReady(cluster, 2), { what: 'the roll-out' });
  for (const component of ['control', 'proxy']) {
    const spec = memberAt(objectNamed(cluster, 'Deployment', `gw-${component}`), 'spec');
    assert.ok(isJson(spec));
    assert.match(JSON.stringify(spec), /"image":"registry.example\/gw:2.0.0"/);
    assert.equal(memberAt(spec, 'replicas'), component === 'proxy' ? 3 : 1);
  }

  assert.equal((await fetch(`${url}/healthz`)).status, 200);
  assert.equal((await fetch(`${url}/readyz`)).status, 200);
  assert.equal((await fetch(`${url}/other`)).status, 404);
  assert.equal((await fetch(`${url}/metrics`, { method: 'POST' })).status, 405);
  const valueOf = async (name: string, labels: Readonly<Record<string, string>> = {}) => {
    const family = readMetrics(await (await fetch(`${url}/metrics`)).text()).get(name);
    const found = family?.samples.find((sample) =>
      Object.entries(labels).every(([label, value]) => sample.labels[label] === value),
    );
    return found?.value;
  };
  assert.equal(await valueOf('gw_operator_leading'), 1);
  assert.ok(Number(await valueOf('gw_operator_writes_total', { result: 'written' })) >= 8);
  await until(async () => (await valueOf('gw_operator_deployments', { phase: 'Ready' })) === 1, {
    what: 'a pass that meets it Ready',
  });

  cluster.setAway(true);
  await until(async () => (await fetch(`${url}/readyz`)).status === 503, {
    what: 'it is not ready without an API server',
  });
  assert.equal((await fetch(`${url}/healthz`)).status, 200);
  cluster.setAway(false);
  await until(async () => (await fetch(`${url}/readyz`)).status === 200, {
    what: 'ready again',
  });
  await operator.end('SIGTERM');
  assert.equal(operator.child.exitCode, 0);
});
