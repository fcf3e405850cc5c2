// A managed deployment as it stands in a cluster before an operator has seen it.

import type { TestContext } from 'node:test';

import { deploymentPath } from '../../src/kubernetes/gw-deployment.ts';
import { startClusterApi } from './cluster-api.ts';
import type { ClusterApi, Call } from './cluster-api.ts';
import type { Json } from './cluster-store.ts';

export const namespace = 'gw';
export const resourceName = 'gw';

/** `spec` beside what every deployment needs. */
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

/** An API server with the deployment `gw` in the namespace `gw`. */
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
