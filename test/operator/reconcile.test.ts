// Tests the result of reconciling a managed deployment: from nothing to Ready, in order, despite
// crashes, foreign edits and refused requests.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { openManagedDeployment } from '../../src/control/deployment.ts';
import { deploymentPath } from '../../src/kubernetes/gw-deployment.ts';
import type { ClusterApi } from '../harness/cluster/cluster-api.ts';
import { isJson, memberAt } from '../harness/cluster/cluster-store.ts';
import type { Json } from '../harness/cluster/cluster-store.ts';
import {
  storedDeployment,
  namespace,
  objectNamed,
  reconcileAll,
  resourceName as name,
  settle,
  startManagedCluster,
} from '../harness/cluster/managed-deployment.ts';

const statusOf = (cluster: ClusterApi): unknown => storedDeployment(cluster)['status'];
const phaseOf = (cluster: ClusterApi): unknown => memberAt(statusOf(cluster), 'phase');

function conditionOf(cluster: ClusterApi, type: string): readonly unknown[] {
  const conditions = memberAt(statusOf(cluster), 'conditions');
  assert.ok(Array.isArray(conditions));
  const found: unknown = conditions.find((one) => memberAt(one, 'type') === type);
  return [memberAt(found, 'status'), memberAt(found, 'reason')];
}

/** Kind and name of each completed write, in order. */
function writesOf(cluster: ClusterApi): readonly string[] {
  return cluster.asked
    .filter(({ verb, status }) => ['patch', 'delete', 'create'].includes(verb) && status < 300)
    .map(({ path, verb }) => {
      const [bare = ''] = path.split('?');
      return `${verb} ${bare.split('/').slice(-2).join('/')}`;
    });
}

const patchSpec = (cluster: ClusterApi, spec: Json): void => {
  const [status, body] = cluster.store.handle({
    method: 'PATCH',
    path: deploymentPath(namespace, name),
    query: new URLSearchParams(),
    mediaType: 'application/merge-patch+json',
    body: { spec },
  });
  assert.equal(status, 200, JSON.stringify(body));
};

const imageOf = (cluster: ClusterApi, component: string): unknown => {
  const deployment = objectNamed(cluster, 'Deployment', `${name}-${component}`);
  const containers = memberAt(deployment, 'spec', 'template', 'spec', 'containers');
  return Array.isArray(containers) ? memberAt(containers[0], 'image') : undefined;
};

const bootstrap = { password: { name: 'gw-secrets', key: 'password' } };
const everything: Json = {
  bootstrap,
  control: { tlsSecretName: 'gw-tls' },
  proxy: { autoscaling: { enabled: true } },
};

describe('a deployment without any object', () => {
  it('comes up in order: the control plane, then the first login and the proxies', async (t) => {
    const cluster = await startManagedCluster(t, { spec: everything });
    await reconcileAll(cluster);
    assert.deepEqual(writesOf(cluster), [
      'patch configmaps/gw-control',
      'patch services/gw-control',
      'patch deployments/gw-control',
      'patch services/gw-proxy',
      'patch horizontalpodautoscalers/gw-proxy',
      'patch poddisruptionbudgets/gw-proxy',
      'patch gw/status',
    ]);
    assert.equal(phaseOf(cluster), 'Pending');
    assert.deepEqual(conditionOf(cluster, 'Progressing'), ['True', 'RollingControl']);
    assert.deepEqual(conditionOf(cluster, 'Ready'), ['False', 'RollingControl']);

    settle(cluster);
    await reconcileAll(cluster);
    assert.deepEqual(writesOf(cluster).slice(7), [
      'patch jobs/gw-bootstrap',
      'patch configmaps/gw-proxy',
      'patch deployments/gw-proxy',
      'patch gw/status',
    ]);
    assert.deepEqual(conditionOf(cluster, 'Progressing'), ['True', 'RollingProxies']);

    settle(cluster, (one) => one === 'gw-proxy');
    await reconcileAll(cluster);
    assert.equal(phaseOf(cluster), 'Bootstrapping');

    settle(cluster);
    await reconcileAll(cluster);
    assert.equal(phaseOf(cluster), 'Ready');
    assert.deepEqual(conditionOf(cluster, 'Ready'), ['True', 'AllAvailable']);
    assert.deepEqual(conditionOf(cluster, 'Degraded'), ['False', 'AsExpected']);
    const status = statusOf(cluster);
    assert.equal(memberAt(status, 'observedGeneration'), 1);
    assert.equal(memberAt(status, 'observedImage'), 'registry.example/gw:1.0.0');
    assert.equal(memberAt(status, 'proxyReplicas'), '2/2');
    assert.equal(memberAt(status, 'bootstrapped'), true);
  });

  it('has objects that are all owned by its resource and deleted with it', async (t) => {
    const cluster = await startManagedCluster(t, { spec: everything });
    await upToReady(cluster);
    const uid = memberAt(storedDeployment(cluster), 'metadata', 'uid');
    for (const [path, object] of cluster.store.objects) {
      if (path === deploymentPath(namespace, name)) continue;
      const owners = memberAt(object, 'metadata', 'ownerReferences');
      assert.ok(Array.isArray(owners) && memberAt(owners[0], 'uid') === uid, path);
    }
    cluster.store.remove(deploymentPath(namespace, name));
    assert.equal(cluster.store.objects.size, 0);
  });

  it('is left alone while it is being deleted', async (t) => {
    const cluster = await startManagedCluster(t);
    const held = storedDeployment(cluster);
    const metadata = { ...toJson(held['metadata']), deletionTimestamp: '2026-11-21T12:00:00Z' };
    cluster.store.put(deploymentPath(namespace, name), { ...held, metadata });
    await reconcileAll(cluster);
    assert.deepEqual(cluster.asked, []);
  });
});

const toJson = (value: unknown): Json => (isJson(value) ? value : {});

/** Reconciles until nothing is left to do. Every pod starts immediately. */
const upToReady = (cluster: ClusterApi): Promise<void> =>
  reconcileAll(cluster, { afterPass: () => settle(cluster) });

it('writes nothing when the objects are up to date', async (t) => {
  const cluster = await startManagedCluster(t, { spec: everything });
  await upToReady(cluster);
  const before = writesOf(cluster).length;
  await reconcileAll(cluster);
  assert.equal(writesOf(cluster).length, before);
});

describe('a change of the resource', () => {
  it('through the admin API rolls out the control plane first, then the proxies', async (t) => {
    const cluster = await startManagedCluster(t);
    await upToReady(cluster);
    const managed = openManagedDeployment({ place: cluster.place, namespace, name });
    const patched = await managed.patch({ image: 'registry.example/gw:2.0.0' });
    assert.ok('metadata' in patched);
    await reconcileAll(cluster);
    assert.equal(imageOf(cluster, 'control'), 'registry.example/gw:2.0.0');
    assert.equal(imageOf(cluster, 'proxy'), 'registry.example/gw:1.0.0');
    assert.equal(phaseOf(cluster), 'Upgrading');
    assert.equal(memberAt(statusOf(cluster), 'observedImage'), 'registry.example/gw:1.0.0');

    settle(cluster);
    await reconcileAll(cluster);
    assert.equal(imageOf(cluster, 'proxy'), 'registry.example/gw:2.0.0');
    settle(cluster);
    await reconcileAll(cluster);
    assert.equal(phaseOf(cluster), 'Ready');
    const status = statusOf(cluster);
    assert.equal(memberAt(status, 'observedImage'), 'registry.example/gw:2.0.0');
    assert.equal(memberAt(status, 'observedGeneration'), patched.metadata.generation);
  });

  it('of settings restarts the proxies with them', async (t) => {
    const cluster = await startManagedCluster(t);
    await upToReady(cluster);
    patchSpec(cluster, { proxy: { policy: 'leastLoaded', upstreamTimeout: 30 } });
    await reconcileAll(cluster);
    const config = objectNamed(cluster, 'ConfigMap', 'gw-proxy');
    assert.equal(memberAt(config, 'data', 'GW_POLICY'), 'least-loaded');
    assert.equal(memberAt(config, 'data', 'GW_UPSTREAM_TIMEOUT'), '30');
    assert.equal(phaseOf(cluster), 'Upgrading');
  });

  it('of replicas only scales, even while the control plane is down', async (t) => {
    const cluster = await startManagedCluster(t);
    await upToReady(cluster);
    const [path, control] = pathAndObject(cluster, 'gw-control');
    const down = { ...toJson(control['status']), availableReplicas: 0 };
    cluster.store.put(path, { ...control, status: down });
    patchSpec(cluster, { proxy: { replicas: 7 } });
    await reconcileAll(cluster);
    assert.equal(memberAt(objectNamed(cluster, 'Deployment', 'gw-proxy'), 'spec', 'replicas'), 7);
  });

  it('deletes objects that are no longer desired', async (t) => {
    const cluster = await startManagedCluster(t, { spec: everything });
    await upToReady(cluster);
    patchSpec(cluster, {
      control: { tlsSecretName: null },
      proxy: { replicas: 1, autoscaling: { enabled: false } },
    });
    await upToReady(cluster);
    assert.equal(objectNamed(cluster, 'HorizontalPodAutoscaler', 'gw-proxy'), undefined);
    assert.equal(objectNamed(cluster, 'PodDisruptionBudget', 'gw-proxy'), undefined);
    const config = objectNamed(cluster, 'ConfigMap', 'gw-proxy');
    assert.equal(memberAt(config, 'data', 'GW_CA_BUNDLE'), undefined);
    const control = objectNamed(cluster, 'Deployment', 'gw-control');
    const volumes = memberAt(control, 'spec', 'template', 'spec', 'volumes');
    assert.deepEqual(volumes, [{ name: 'tmp', emptyDir: {} }]);
    assert.equal(phaseOf(cluster), 'Ready');
  });
});

function pathAndObject({ store }: ClusterApi, of: string): readonly [string, Json] {
  const found = [...store.objects].find(([path]) => path.endsWith(`/deployments/${of}`));
  assert.ok(found !== undefined, of);
  return found;
}

describe('a foreign change of its objects', () => {
  it('is reverted in fields that the operator owns', async (t) => {
    const cluster = await startManagedCluster(t);
    await upToReady(cluster);
    const [path, proxy] = pathAndObject(cluster, 'gw-proxy');
    cluster.store.put(path, { ...proxy, spec: { ...toJson(proxy['spec']), replicas: 0 } });
    const configPath = path
      .replace('/apis/apps/v1', '/api/v1')
      .replace('deployments', 'configmaps');
    const config = cluster.store.objects.get(configPath) ?? {};
    const data = { ...toJson(config['data']), GW_POLICY: 'round-robin' };
    cluster.store.put(configPath, { ...config, data });
    cluster.store.remove(
      path.replace('/apis/apps/v1', '/api/v1').replace('deployments', 'services'),
    );
    await upToReady(cluster);
    assert.equal(memberAt(objectNamed(cluster, 'Deployment', 'gw-proxy'), 'spec', 'replicas'), 2);
    const healed = objectNamed(cluster, 'ConfigMap', 'gw-proxy');
    assert.equal(memberAt(healed, 'data', 'GW_POLICY'), 'cache-affinity');
    assert.ok(objectNamed(cluster, 'Service', 'gw-proxy') !== undefined);
    assert.equal(phaseOf(cluster), 'Ready');
  });

  it('is kept in other fields, such as the annotation of kubectl rollout restart', async (t) => {
    const cluster = await startManagedCluster(t);
    await upToReady(cluster);
    const [path] = pathAndObject(cluster, 'gw-proxy');
    const restarted = { 'kubectl.kubernetes.io/restartedAt': '2026-11-21T12:00:00Z' };
    cluster.store.handle({
      method: 'PATCH',
      path,
      query: new URLSearchParams(),
      mediaType: 'application/merge-patch+json',
      body: { spec: { template: { metadata: { annotations: restarted } } } },
    });
    patchSpec(cluster, { proxy: { replicas: 3 } });
    await upToReady(cluster);
    const proxy = objectNamed(cluster, 'Deployment', 'gw-proxy');
    const annotations = memberAt(proxy, 'spec', 'template', 'metadata', 'annotations');
    assert.equal(
      memberAt(annotations, 'kubectl.kubernetes.io/restartedAt'),
      '2026-11-21T12:00:00Z',
    );
  });

  it('is kept for replicas set by an autoscaler, within its bounds', async (t) => {
    const cluster = await startManagedCluster(t, { spec: everything });
    await upToReady(cluster);
    const replicas = () => memberAt(pathAndObject(cluster, 'gw-proxy')[1], 'spec', 'replicas');
    const [path, proxy] = pathAndObject(cluster, 'gw-proxy');
    cluster.store.put(path, { ...proxy, spec: { ...toJson(proxy['spec']), replicas: 6 } });
    patchSpec(cluster, { proxy: { workers: 2 } });
    await upToReady(cluster);
    assert.equal(replicas(), 6);
    patchSpec(cluster, {
      image: 'registry.example/gw:2.0.0',
      proxy: { autoscaling: { maxReplicas: 4 } },
    });
    await upToReady(cluster);
    assert.equal(replicas(), 4);
  });
});

describe('a failure', () => {
  it('leaves an object with another owner unchanged, and reports it', async (t) => {
    const cluster = await startManagedCluster(t);
    const path = `/api/v1/namespaces/${namespace}/services/gw-proxy`;
    const theirs = { kind: 'Service', metadata: { name: 'gw-proxy' }, spec: { type: 'NodePort' } };
    cluster.store.put(path, theirs);
    const before = cluster.store.objects.get(path);
    await upToReady(cluster);
    assert.deepEqual(cluster.store.objects.get(path), before);
    assert.equal(phaseOf(cluster), 'Degraded');
    assert.deepEqual(conditionOf(cluster, 'Degraded'), ['True', 'NameTaken']);
  });

  it('reports a refused write in the status, with the API server’s message', async (t) => {
    const cluster = await startManagedCluster(t, {
      allows: ({ resource, verb }) => resource !== 'deployments' || verb !== 'patch',
    });
    await reconcileAll(cluster);
    assert.deepEqual(conditionOf(cluster, 'Degraded'), ['True', 'WriteRefused']);
    const text = JSON.stringify(statusOf(cluster));
    assert.match(text, /Deployment gw-control: the API server answers 403: .*cannot patch/);
  });

  it('marks a roll-out that timed out as Degraded, and continues once it succeeds', async (t) => {
    const cluster = await startManagedCluster(t);
    await reconcileAll(cluster);
    const [path, control] = pathAndObject(cluster, 'gw-control');
    const reason = 'ProgressDeadlineExceeded';
    const conditions = [{ type: 'Progressing', status: 'False', reason, message: 'no image' }];
    cluster.store.put(path, { ...control, status: { observedGeneration: 1, conditions } });
    await reconcileAll(cluster);
    assert.deepEqual(conditionOf(cluster, 'Degraded'), ['True', 'ControlStuck']);
    assert.equal(objectNamed(cluster, 'Deployment', 'gw-proxy'), undefined);
    await upToReady(cluster);
    assert.equal(phaseOf(cluster), 'Ready');
    assert.deepEqual(conditionOf(cluster, 'Degraded'), ['False', 'AsExpected']);
  });

  it('reconciles again after a change during a pass, and loses neither change', async (t) => {
    const cluster = await startManagedCluster(t);
    await upToReady(cluster);
    patchSpec(cluster, { proxy: { replicas: 3, workers: 2 } });
    let isMet = false;
    cluster.onWrite(({ resource }) => {
      if (isMet || resource !== 'configmaps') return;
      isMet = true;
      const [path, proxy] = pathAndObject(cluster, 'gw-proxy');
      const annotated = { ...toJson(proxy['metadata']), labels: { theirs: 'yes' } };
      cluster.store.put(path, { ...proxy, metadata: annotated });
    });
    await upToReady(cluster);
    assert.equal(isMet, true);
    assert.ok(
      cluster.asked.some(({ status, resource }) => status === 409 && resource === 'deployments'),
    );
    const proxy = objectNamed(cluster, 'Deployment', 'gw-proxy');
    assert.equal(memberAt(proxy, 'metadata', 'labels', 'theirs'), 'yes');
    assert.equal(memberAt(proxy, 'spec', 'replicas'), 3);
  });
});

/** Excludes what differs in each cluster: ids, versions and generation counters. */
const endState = ({ store }: ClusterApi): unknown =>
  [...store.objects.entries()]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([path, object]) => [path, JSON.parse(withoutVersions(object))]);
const withoutVersions = (object: Json): string =>
  JSON.stringify(object, (key, value: unknown) =>
    ['uid', 'resourceVersion', 'clusterIP'].includes(key) ? undefined : value,
  );

const stories: readonly (readonly [string, Json, Json | null])[] = [
  ['its start', everything, null],
  [
    'a roll-out',
    {},
    { image: 'registry.example/gw:2.0.0', bootstrap, proxy: { autoscaling: { enabled: true } } },
  ],
];
for (const [what, spec, change] of stories) {
  it(`a kill between any two writes of ${what} creates no duplicates and reaches the same final state`, async (t) => {
    const clean = await startManagedCluster(t, { spec });
    if (change !== null) {
      await upToReady(clean);
      patchSpec(clean, change);
    }
    const from = writesOf(clean).length;
    await upToReady(clean);
    const writes = writesOf(clean).length - from;
    assert.ok(writes > 6, `${writes} writes`);
    for (let killedAfter = 1; killedAfter <= writes; killedAfter++) {
      const cluster = await startManagedCluster(t, { spec });
      if (change !== null) {
        await upToReady(cluster);
        patchSpec(cluster, change);
      }
      const killing = new AbortController();
      let done = 0;
      // The write succeeds but its response is lost.
      cluster.onWrite(() => {
        done += 1;
        if (done !== killedAfter) return;
        cluster.setAway(true);
        killing.abort();
      });
      const passes = reconcileAll(cluster, {
        signal: killing.signal,
        afterPass: () => settle(cluster),
      });
      await assert.rejects(passes, `killed after ${killedAfter}`);
      cluster.setAway(false);
      await upToReady(cluster);
      assert.equal(phaseOf(cluster), 'Ready');
      assert.deepEqual(endState(cluster), endState(clean), `killed after ${killedAfter}`);
    }
  });
}
