// Tests how the agent reads a cluster: only with paged lists, with a service account token that
// rotates, and within the role of deploy/.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { it } from 'node:test';
import { rootCertificates } from 'node:tls';

import { parseAllDocuments } from 'yaml';
import { z } from 'zod';

import { readCluster } from '../../src/agent/cluster.ts';
import { createDiscovery } from '../../src/agent/discovery.ts';
import { findCluster, mountedAccount } from '../../src/kubernetes/in-cluster.ts';
import { startClusterApi } from '../harness/cluster/cluster-api.ts';
import type { Call, ClusterApi } from '../harness/cluster/cluster-api.ts';
import { collectLog } from '../harness/gateway/gateway.ts';

const signal = new AbortController().signal;
const manifest = path.join(import.meta.dirname, '../../deploy/agent/rbac.yaml');

const clusterRole = z.object({
  kind: z.literal('ClusterRole'),
  rules: z.array(
    z.strictObject({
      apiGroups: z.array(z.string()),
      resources: z.array(z.string()),
      verbs: z.array(z.string()),
    }),
  ),
});

/** Every call that the manifest allows, one by one. */
function allowedCalls(): readonly Call[] {
  const documents = parseAllDocuments(readFileSync(manifest, 'utf8')).map((one) => one.toJS());
  const roles = documents.flatMap((one) => clusterRole.safeParse(one).data ?? []);
  return roles.flatMap(({ rules }) =>
    rules.flatMap(({ apiGroups, resources, verbs }) =>
      apiGroups.flatMap((group) =>
        resources.flatMap((resource) => verbs.map((verb) => ({ group, resource, verb }))),
      ),
    ),
  );
}

const keyOf = ({ group, resource, verb }: Call): string => `${verb} ${group}/${resource}`;
const callsOf = ({ asked }: ClusterApi): readonly string[] =>
  [...new Set(asked.map(keyOf))].toSorted();

it('makes exactly the calls that the manifest allows', async (t) => {
  const allowed = allowedCalls().map(keyOf).toSorted();
  const cluster = await startClusterApi(t, { allows: (call) => allowed.includes(keyOf(call)) });
  await readCluster(cluster.place, signal);
  assert.deepEqual(callsOf(cluster), allowed);
  assert.deepEqual(
    cluster.asked.map(({ status }) => status),
    [200, 200, 200],
  );
});

it('finds exposed endpoints in the lists, and reports each skipped one once', async (t) => {
  const { place } = await startClusterApi(t);
  const logLines: Parameters<typeof collectLog>[0] = [];
  const findExposed = createDiscovery({
    cluster: place,
    advertise: '10.0.0.4',
    log: collectLog(logLines),
  });
  const found = (await findExposed(signal)).map(({ apiBase, node }) => [apiBase, node]);
  assert.deepEqual(found, [
    ['http://10.0.0.4:8000/v1', 'gpu-1'],
    ['http://10.0.0.5:8089/v1', 'gpu-2'],
    ['http://10.0.0.5:11434/v1', 'gpu-2'],
    ['http://10.0.0.4:31800/v1', null],
    ['http://198.51.100.20:30000/v1', null],
    ['https://tgi.models.example/v1', null],
  ]);
  await findExposed(signal);
  assert.deepEqual(
    logLines.map(({ fields }) => fields['reason']),
    ['gw.io/advertise of service models/lost is not an http or https address of an endpoint'],
  );
});

it('reads a list page by page to its end', async (t) => {
  const cluster = await startClusterApi(t);
  cluster.setPageItems(2);
  const { services, pods, nodes } = await readCluster(cluster.place, signal);
  assert.deepEqual([services.length, pods.length, nodes.length], [9, 5, 2]);
  const paths = cluster.asked.filter(({ resource }) => resource === 'pods').map((one) => one.path);
  assert.deepEqual(paths, [
    '/api/v1/pods?limit=500&fieldSelector=status.phase%3DRunning',
    '/api/v1/pods?limit=500&fieldSelector=status.phase%3DRunning&continue=2',
    '/api/v1/pods?limit=500&fieldSelector=status.phase%3DRunning&continue=4',
  ]);
});

it('restarts a list that expires between pages, and never mixes two versions', async (t) => {
  const cluster = await startClusterApi(t);
  cluster.setPageItems(4);
  cluster.expireNext(1);
  const { services } = await readCluster(cluster.place, signal);
  const names = services.map(({ metadata }) => metadata.name);
  assert.equal(names.length, 9);
  assert.equal(new Set(names).size, 9);
});

it('gives up a list that keeps expiring', async (t) => {
  const cluster = await startClusterApi(t);
  cluster.setPageItems(4);
  cluster.expireNext(1000);
  await assert.rejects(readCluster(cluster.place, signal), {
    message: '/api/v1/services expired 3 times while it was read',
  });
});

it('reads null as an empty list', async (t) => {
  const cluster = await startClusterApi(t);
  Object.assign(cluster.lists['services'] ?? {}, { items: [] });
  assert.deepEqual((await readCluster(cluster.place, signal)).services, []);
});

it('uses a rotated token from then on', async (t) => {
  const cluster = await startClusterApi(t);
  await readCluster(cluster.place, signal);
  await cluster.setToken('token-of-the-second-hour');
  await readCluster(cluster.place, signal);
  assert.deepEqual(
    [...new Set(cluster.asked.map(({ token, status }) => `${token} ${status}`))],
    ['token-of-the-first-hour 200', 'token-of-the-second-hour 200'],
  );
});

it('reports the API server’s error message', async (t) => {
  const cluster = await startClusterApi(t, { allows: ({ resource }) => resource !== 'nodes' });
  await assert.rejects(readCluster(cluster.place, signal), {
    message: /^\/api\/v1\/nodes answered 403: nodes is forbidden: User "system:serviceaccount/,
  });
  cluster.setBroken(503);
  await assert.rejects(readCluster(cluster.place, signal), {
    message: '/api/v1/services answered 503: broken',
  });
});

it('verifies the API server only with the CA of the service account', async (t) => {
  const { place, asked } = await startClusterApi(t);
  await writeFile(path.join(place.accountDirectory, 'ca.crt'), rootCertificates[0] ?? '');
  await assert.rejects(readCluster(place, signal), /self-signed certificate/);
  assert.deepEqual(asked, []);
});

it('names the cluster that cannot be read, and why', async (t) => {
  const { place, setBroken } = await startClusterApi(t);
  setBroken(503);
  const findExposed = createDiscovery({ cluster: place, advertise: null, log: collectLog([]) });
  await assert.rejects(findExposed(signal), (error: Error) => {
    assert.equal(error.message, `reading what the cluster at ${place.url} exposes`);
    assert.match(String(error.cause), /services answered 503: broken/);
    return true;
  });
});

it('finds the cluster in the variables that Kubernetes sets', () => {
  const env = { KUBERNETES_SERVICE_HOST: 'fd00::1', KUBERNETES_SERVICE_PORT: '443' };
  assert.deepEqual(findCluster(env, mountedAccount), {
    url: 'https://[fd00::1]:443',
    accountDirectory: '/var/run/secrets/kubernetes.io/serviceaccount',
  });
  assert.match(JSON.stringify(findCluster({}, mountedAccount)), /does not run in a cluster/);
});
