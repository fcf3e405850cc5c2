// Creates the managed deployment that an operator finds in a cluster, and simulates the cluster's
// controllers.

import type { TestContext } from 'node:test';

import { knownSettings } from '../../../src/cli/operator.ts';
import { withCluster } from '../../../src/kubernetes/client.ts';
import { deploymentPath, deploymentResource } from '../../../src/kubernetes/gw-deployment.ts';
import { newOperatorCounts } from '../../../src/operator/counts.ts';
import { reconcile } from '../../../src/operator/reconcile.ts';
import { startClusterApi } from './cluster-api.ts';
import type { ClusterApi, Call } from './cluster-api.ts';
import { memberAt } from './cluster-store.ts';
import type { Json } from './cluster-store.ts';
import { collectLog } from '../gateway/gateway.ts';

export const namespace = 'gw';
export const resourceName = 'gw';

/** `spec` extends the fields that every deployment needs. */
export const deploymentNamed = (name: string, spec: Json = {}): Json => ({
  apiVersion: 'gw.io/v1alpha1',
  kind: 'GwDeployment',
  metadata: { name },
  spec: {
    image: 'registry.example/gw:1.0.0',
    database: { name: 'gw-database', key: 'uri' },
    proxyToken: { name: 'gw-secrets', key: 'proxy-token' },
    encryptionKey: { name: 'gw-secrets', key: 'encryption-key' },
    ...spec,
  },
});

type Options = Readonly<{ spec?: Json; allows?: (call: Call) => boolean }>;

/** Starts an API server with the deployment `gw` in the namespace `gw`. */
export async function startManagedCluster(
  test: Pick<TestContext, 'after'>,
  { spec = {}, ...options }: Options = {},
): Promise<ClusterApi> {
  const cluster = await startClusterApi(test, options);
  createDeployment(cluster, deploymentNamed(resourceName, spec));
  return cluster;
}

export function createDeployment({ store }: ClusterApi, body: Json): void {
  const [status, answer] = store.handle({
    method: 'POST',
    path: deploymentPath(namespace),
    query: new URLSearchParams(),
    mediaType: 'application/json',
    body,
  });
  if (status !== 201) throw new Error(JSON.stringify(answer));
}

/** Simulates the cluster's controllers: every Deployment becomes ready and every Job completes. */
export function settle({ store }: ClusterApi, only: (name: string) => boolean = () => true): void {
  for (const [path, object] of store.objects) {
    const { kind } = object;
    const name = String(memberAt(object, 'metadata', 'name'));
    if (!only(name)) continue;
    if (kind === 'Deployment') store.put(path, { ...object, status: runningStatus(object) });
    if (kind === 'Job') store.put(path, { ...object, status: { succeeded: 1 } });
  }
}

function runningStatus(object: Json): Json {
  const replicas = memberAt(object, 'spec', 'replicas');
  return {
    observedGeneration: memberAt(object, 'metadata', 'generation'),
    replicas,
    updatedReplicas: replicas,
    readyReplicas: replicas,
    availableReplicas: replicas,
    conditions: [{ type: 'Available', status: 'True', reason: 'MinimumReplicasAvailable' }],
  };
}

/** The deployment as stored in the cluster. */
export function storedDeployment({ store }: ClusterApi): Json {
  const held = store.objects.get(deploymentPath(namespace, resourceName));
  if (held === undefined) throw new Error('the deployment is gone');
  return held;
}

/** The object of this kind and name; undefined if it does not exist. */
export const objectNamed = ({ store }: ClusterApi, kind: string, name: string): Json | undefined =>
  [...store.objects.values()].find(
    (object) => object['kind'] === kind && memberAt(object, 'metadata', 'name') === name,
  );

/** Reconciles the deployment until a pass changes nothing. Rejects if a pass fails. */
export async function reconcileAll(
  cluster: ClusterApi,
  { signal = new AbortController().signal, afterPass = () => undefined }: Passing = {},
): Promise<void> {
  const log = collectLog([]);
  for (let passes = 0; passes < passesMax; passes++) {
    const before = JSON.stringify([...cluster.store.objects]);
    await withCluster(cluster.place, (client) =>
      reconcile(deploymentResource.parse(storedDeployment(cluster)), {
        client,
        nowMs: () => Date.parse('2026-11-21T12:00:00Z'),
        log,
        signal,
        counts: newOperatorCounts(),
        settings: knownSettings,
      }),
    );
    afterPass();
    if (JSON.stringify([...cluster.store.objects]) === before) return;
  }
  throw new Error(`${passesMax} passes without reaching a fixed point`);
}

type Passing = Readonly<{ signal?: AbortSignal; afterPass?: () => void }>;
const passesMax = 20;
