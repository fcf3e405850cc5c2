// Tests the complete operator: it brings deployments up, reacts to changes, hands over to another
// operator, and stays within the role of deploy/operator.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, it } from 'node:test';
import type { TestContext } from 'node:test';

import { parseAllDocuments } from 'yaml';
import { z } from 'zod';

import { openManagedDeployment } from '../../src/control/deployment.ts';
import { deploymentPath } from '../../src/kubernetes/gw-deployment.ts';
import { newOperatorCounts } from '../../src/operator/counts.ts';
import { createElection } from '../../src/operator/election.ts';
import { knownSettings } from '../../src/cli/operator.ts';
import { startOperator } from '../../src/operator/operator.ts';
import type { Call, ClusterApi } from '../harness/cluster/cluster-api.ts';
import { memberAt } from '../harness/cluster/cluster-store.ts';
import { collectLog } from '../harness/gateway/gateway.ts';
import type { LogLine } from '../harness/gateway/gateway.ts';
import {
  createDeployment,
  deploymentNamed,
  storedDeployment,
  namespace,
  objectNamed,
  resourceName as name,
  settle,
  startManagedCluster,
} from '../harness/cluster/managed-deployment.ts';
import { until } from '../harness/wait.ts';

const times = { electionMs: 25, deadlineMs: 500, pauseMs: 5, resyncMs: 60_000, retryMs: 20 };

function operate(test: TestContext, { place }: ClusterApi, self: string, seconds = 15) {
  const logLines: LogLine[] = [];
  const election = createElection({
    place,
    holder: { name: 'gw-operator', namespace, self, seconds },
    monotonic: () => performance.now(),
    nowMs: Date.now,
  });
  const log = collectLog(logLines);
  const counts = newOperatorCounts();
  const shared = { place, namespace, election, nowMs: Date.now, log, times };
  const operator = startOperator({ ...shared, counts, settings: knownSettings });
  test.after(operator.kill);
  const logged = (message: string) => logLines.some((line) => line.message === message);
  return { ...operator, logged, logLines, counts };
}

/** Starts every pod as soon as its Deployment is written. */
const startPods = (cluster: ClusterApi): void =>
  cluster.onWrite(({ resource }) => {
    if (resource === 'deployments' || resource === 'jobs') settle(cluster);
  });

const isPhase = (cluster: ClusterApi, phase: string, of = name): boolean => {
  const held = cluster.store.objects.get(deploymentPath(namespace, of));
  return memberAt(held, 'status', 'phase') === phase;
};
const isReady = (cluster: ClusterApi, generation: number): boolean =>
  isPhase(cluster, 'Ready') &&
  memberAt(storedDeployment(cluster), 'status', 'observedGeneration') === generation;

const role = z.object({
  kind: z.literal('Role'),
  metadata: z.object({ name: z.string() }),
  rules: z.array(
    z.object({
      apiGroups: z.array(z.string()),
      resources: z.array(z.string()),
      verbs: z.array(z.string()),
    }),
  ),
});

/** Every call that the Role of this name allows. */
function allowedBy(of: string): ReadonlySet<string> {
  const file = path.join(import.meta.dirname, '../../deploy/operator/rbac.yaml');
  const documents = parseAllDocuments(readFileSync(file, 'utf8')).map((one) => one.toJS());
  const roles = documents.flatMap((one) => role.safeParse(one).data ?? []);
  const rules = roles.filter(({ metadata }) => metadata.name === of).flatMap(({ rules }) => rules);
  return new Set(
    rules.flatMap(({ apiGroups, resources, verbs }) =>
      apiGroups.flatMap((group) =>
        resources.flatMap((resource) => verbs.map((verb) => keyOf({ group, resource, verb }))),
      ),
    ),
  );
}
const keyOf = ({ group, resource, verb }: Call): string => `${verb} ${group}/${resource}`;

it('creates, changes and deletes a deployment with exactly the rights of deploy/operator', async (t) => {
  const allowed = allowedBy('gw-operator');
  const cluster = await startManagedCluster(t, {
    spec: {
      bootstrap: { password: { name: 'gw-secrets', key: 'password' } },
      proxy: { autoscaling: { enabled: true } },
    },
    allows: (call) => allowed.has(keyOf(call)),
  });
  startPods(cluster);
  const operator = operate(t, cluster, 'a');
  await until(() => isReady(cluster, 1), { what: 'Ready' });
  const spec = { proxy: { replicas: 1, autoscaling: { enabled: false } } };
  const query = new URLSearchParams();
  const mediaType = 'application/merge-patch+json';
  const at = deploymentPath(namespace, name);
  cluster.store.handle({ method: 'PATCH', path: at, query, mediaType, body: { spec } });
  await until(() => isReady(cluster, 2), { what: 'Ready again' });
  await operator.close();
  const refused = cluster.asked.filter(({ status }) => status === 403);
  assert.deepEqual(refused.map(keyOf), []);
  const used = new Set(cluster.asked.map(keyOf));
  // An apply that creates an object also needs create. The cluster deletes dependents itself.
  const unused = [...allowed].filter((call) => !used.has(call));
  const unseen = unused.filter((call) => !/^create |finalizers$/.test(call));
  assert.deepEqual(unseen, []);
});

it('lets a control plane read and patch its resource with the rights of deploy/operator', async (t) => {
  const allowed = allowedBy('gw-control');
  const cluster = await startManagedCluster(t, { allows: (call) => allowed.has(keyOf(call)) });
  const managed = openManagedDeployment({ place: cluster.place, namespace, name });
  assert.ok('spec' in (await managed.read()));
  assert.ok('spec' in (await managed.patch({ proxy: { replicas: 3 } })));
  assert.deepEqual([...new Set(cluster.asked.map(keyOf))].toSorted(), [...allowed].toSorted());
});

describe('a running operator', () => {
  it('reacts to new deployments, changes and foreign edits', async (t) => {
    const cluster = await startManagedCluster(t);
    startPods(cluster);
    operate(t, cluster, 'a');
    await until(() => isReady(cluster, 1), { what: 'Ready' });
    createDeployment(cluster, deploymentNamed('second'));
    await until(() => isPhase(cluster, 'Ready', 'second'), { what: 'the second' });
    const managed = openManagedDeployment({ place: cluster.place, namespace, name });
    assert.ok('spec' in (await managed.patch({ image: 'registry.example/gw:2.0.0' })));
    await until(() => isReady(cluster, 2), { what: 'the roll-out' });
    cluster.store.remove(`/api/v1/namespaces/${namespace}/services/gw-proxy`);
    const service = () => objectNamed(cluster, 'Service', 'gw-proxy');
    await until(() => service() !== undefined, { what: 'the Service' });
  });

  it('continues with other deployments if it cannot read one', async (t) => {
    const cluster = await startManagedCluster(t);
    startPods(cluster);
    const ofAnotherRelease = { ...deploymentNamed('a'), spec: { image: 7 } };
    cluster.store.put(deploymentPath(namespace, 'a'), ofAnotherRelease);
    const operator = operate(t, cluster, 'a');
    await until(() => isReady(cluster, 1), { what: 'Ready' });
    assert.equal(operator.logged('a pass failed; retrying'), true);
    assert.ok(operator.counts.passes.failed > 0);
  });

  it('resumes after an outage of the API server, and after expired watches', async (t) => {
    const cluster = await startManagedCluster(t);
    startPods(cluster);
    const operator = operate(t, cluster, 'a');
    await until(() => isReady(cluster, 1), { what: 'Ready' });
    cluster.setAway(true);
    await until(() => operator.logged('the lease cannot be read'), { what: 'it is away' });
    cluster.store.remove(`/api/v1/namespaces/${namespace}/services/gw-proxy`);
    cluster.setAway(false);
    const service = () => objectNamed(cluster, 'Service', 'gw-proxy');
    await until(() => service() !== undefined, { what: 'the Service' });
    const watches = () => cluster.asked.filter(({ verb }) => verb === 'watch').length;
    await until(() => watches() >= 14, { what: 'watches after the outage' });
    const lists = () => cluster.asked.filter(({ path: at }) => at.endsWith('limit=1')).length;
    const listed = lists();
    // Advances the version with an object that no watch covers, so that all watches lag behind.
    cluster.store.put(`/api/v1/namespaces/${namespace}/pods/other`, { metadata: {} });
    cluster.store.compact();
    cluster.endWatches();
    await until(() => lists() > listed, { what: 'lists after the compaction' });
    cluster.store.remove(`/api/v1/namespaces/${namespace}/services/gw-control`);
    const control = () => objectNamed(cluster, 'Service', 'gw-control');
    await until(() => control() !== undefined, { what: 'the other Service' });
  });

  it('leads in one of two processes; the other takes over after a kill, and at once after a clean exit', async (t) => {
    const cluster = await startManagedCluster(t);
    startPods(cluster);
    const leads = 'this operator leads';
    const first = operate(t, cluster, 'a', 1);
    await until(() => first.logged(leads), { what: 'the first leads' });
    await until(() => isReady(cluster, 1), { what: 'Ready' });
    const second = operate(t, cluster, 'b', 1);
    await until(() => second.logLines.length === 0 && asks(cluster) > 10, { what: 'it stands by' });
    assert.equal(second.logged(leads), false);
    await first.kill();
    const killedAt = performance.now();
    await until(() => second.logged(leads), { what: 'the second leads' });
    assert.ok(performance.now() - killedAt > 500, 'not before the lease ran out');
    const third = operate(t, cluster, 'c', 60);
    await second.close();
    await until(() => third.logged(leads), { what: 'the third leads' });
    cluster.store.remove(`/api/v1/namespaces/${namespace}/services/gw-proxy`);
    const service = () => objectNamed(cluster, 'Service', 'gw-proxy');
    await until(() => service() !== undefined, { what: 'the Service' });
  });

  it('stops writing if it cannot renew its lease', async (t) => {
    let mayAsk = true;
    const cluster = await startManagedCluster(t, {
      allows: ({ resource }) => mayAsk || resource !== 'leases',
    });
    const operator = operate(t, cluster, 'a');
    await until(() => isPhase(cluster, 'Pending'), { what: 'it leads' });
    mayAsk = false;
    await until(() => operator.logged('the lease cannot be read'), { what: 'it cannot renew' });
    await until(() => operator.logged('this operator no longer leads'), {
      what: 'the end of its term',
    });
    cluster.store.remove(`/api/v1/namespaces/${namespace}/services/gw-proxy`);
    const asked = asks(cluster);
    await until(() => asks(cluster) > asked + 3, { what: 'it tries to acquire the lease' });
    assert.equal(objectNamed(cluster, 'Service', 'gw-proxy'), undefined);
  });
});

const asks = ({ asked }: ClusterApi): number =>
  asked.filter(({ resource, verb }) => resource === 'leases' && verb === 'get').length;
