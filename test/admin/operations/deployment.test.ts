// Tests reading and changing the managed deployment through the Kubernetes API: limits and audit.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { TestContext } from 'node:test';

import { deploymentPath } from '../../../src/kubernetes/gw-deployment.ts';
import { member, errorOf, testAdministrator } from '../../harness/admin/admin.ts';
import { memberAt } from '../../harness/cluster/cluster-store.ts';
import {
  namespace,
  resourceName as name,
  startManagedCluster,
} from '../../harness/cluster/managed-deployment.ts';

async function managed(test: TestContext) {
  const cluster = await startManagedCluster(test);
  const admin = await testAdministrator(test, {
    managed: { place: cluster.place, namespace, name },
  });
  const spec = () => cluster.store.objects.get(deploymentPath(namespace, name))?.['spec'];
  const patch = (body: unknown) => admin.send('PATCH', '/admin/deployment', body);
  return { ...admin, cluster, spec, patch };
}

const messageOf = (body: unknown): string => String(memberAt(body, 'error', 'message'));
const record = {
  namespace,
  name,
  generation: 1,
  image: 'registry.example/gw:1.0.0',
  proxy: {
    replicas: 2,
    policy: 'cacheAffinity',
    upstream_timeout: 120,
    workers: 1,
    pool_max_idle: 256,
    service_type: 'ClusterIP',
    autoscaling: {
      enabled: false,
      minReplicas: 2,
      maxReplicas: 10,
      targetCpuUtilizationPercentage: 70,
    },
  },
  status: null,
};

describe('a process that no operator manages', () => {
  it('answers 404 and records nothing', async (t) => {
    const { send } = await testAdministrator(t);
    assert.deepEqual(errorOf(await send('GET', '/admin/deployment')), [404, 'absent', null]);
    const patched = await send('PATCH', '/admin/deployment', { replicas: 3 });
    assert.deepEqual(errorOf(patched), [404, 'absent', null]);
    const audit = await send('GET', '/admin/audit?target=/admin/deployment');
    assert.deepEqual(audit.body, []);
  });

  it('returns 404 too if the resource was deleted', async (t) => {
    const { send, cluster } = await managed(t);
    cluster.store.remove(deploymentPath(namespace, name));
    const answer = await send('GET', '/admin/deployment');
    assert.deepEqual(errorOf(answer), [404, 'absent', null]);
    assert.match(messageOf(answer.body), /gw\/gw does not exist/);
  });
});

describe('a managed deployment', () => {
  it('is shown without its secret references', async (t) => {
    const { send } = await managed(t);
    assert.deepEqual((await send('GET', '/admin/deployment')).body, record);
  });

  it('changes only the given fields', async (t) => {
    const { patch, spec } = await managed(t);
    const before = spec();
    const answer = await patch({ replicas: 5, policy: 'lowestLatency', autoscaling_enabled: true });
    assert.equal(answer.status, 200);
    assert.equal(member(answer.body, 'generation'), 2);
    const proxy = { ...record.proxy, replicas: 5, policy: 'lowestLatency' };
    assert.deepEqual(member(answer.body, 'proxy'), {
      ...proxy,
      autoscaling: { ...proxy.autoscaling, enabled: true },
    });
    for (const kept of ['image', 'database', 'proxyToken', 'encryptionKey']) {
      assert.deepEqual(memberAt(spec(), kept), memberAt(before, kept));
    }
  });

  it('restores a default for null', async (t) => {
    const { patch } = await managed(t);
    await patch({ workers: 4, upstream_timeout: 30 });
    const { body } = await patch({ workers: null });
    assert.equal(memberAt(body, 'proxy', 'workers'), 1);
    assert.equal(memberAt(body, 'proxy', 'upstream_timeout'), 30);
  });

  it('records a change with its reason, and does not record a refusal', async (t) => {
    const { ask, cookie, send } = await managed(t);
    const headers = { 'x-gw-reason': 'CHG-7' };
    const path = '/admin/deployment';
    await ask({ method: 'PATCH', path, cookie, headers, body: { image: 'registry.example/gw:2' } });
    await ask({ method: 'PATCH', path, cookie, headers, body: { autoscaling_max_replicas: 1 } });
    const { body } = await send('GET', '/admin/audit?target=/admin/deployment');
    assert.ok(Array.isArray(body));
    assert.deepEqual(
      body.map((row: unknown) => [member(row, 'action'), member(row, 'target')]),
      [['PATCH', path]],
    );
    const events = await send('GET', '/admin/history/events?type=DeploymentPatched');
    assert.ok(Array.isArray(events.body));
    assert.deepEqual(memberAt(events.body[0], 'data'), {
      generation: 2,
      patch: { image: 'registry.example/gw:2' },
    });
  });
});

const unfit: readonly (readonly [object, string | null])[] = [
  [{}, null],
  [{ service_type: 'LoadBalancer' }, 'service_type'],
  [{ database: { name: 'other', key: 'uri' } }, 'database'],
  [{ bootstrap: null }, 'bootstrap'],
  [{ image: null }, 'image'],
  [{ image: '' }, 'image'],
  [{ image: 'gw:1 --privileged' }, 'image'],
  [{ replicas: 0 }, 'replicas'],
  [{ replicas: 1.5 }, 'replicas'],
  [{ replicas: '3' }, 'replicas'],
  [{ policy: 'cache-affinity' }, 'policy'],
  [{ upstream_timeout: 86_401 }, 'upstream_timeout'],
  [{ workers: 257 }, 'workers'],
  [{ pool_max_idle: 0 }, 'pool_max_idle'],
  [{ autoscaling_enabled: 'yes' }, 'autoscaling_enabled'],
  [{ autoscaling_target_cpu: 101 }, 'autoscaling_target_cpu'],
  [{ autoscaling_min_replicas: 5, autoscaling_max_replicas: 4 }, 'autoscaling_max_replicas'],
];

it('a field that cannot be changed is refused by name, before the cluster is contacted', async (t) => {
  const { patch, cluster } = await managed(t);
  for (const [body, param] of unfit) {
    assert.deepEqual(errorOf(await patch(body)), [400, 'invalid', param], JSON.stringify(body));
  }
  assert.deepEqual(cluster.asked, []);
});

describe('an API server that fails', () => {
  it('returns 502 with the message of the API server', async (t) => {
    const { patch, send, cluster } = await managed(t);
    const refused = await patch({ autoscaling_max_replicas: 1 });
    assert.deepEqual(errorOf(refused), [502, 'upstream', null]);
    assert.match(messageOf(refused.body), /422: .*maxReplicas must be at least minReplicas/);
    cluster.setBroken(403);
    const unread = await send('GET', '/admin/deployment');
    assert.deepEqual(errorOf(unread), [502, 'upstream', null]);
    assert.match(messageOf(unread.body), /cannot be read: the API server responded 403: broken/);
  });

  it('returns 502 without the token, even if the API server repeats it', async (t) => {
    const { send, cluster } = await managed(t);
    const echo = { kind: 'GwDeployment', message: 'Bearer token-of-the-first-hour is not valid' };
    cluster.store.handle = () => [500, echo];
    const repeated = await send('GET', '/admin/deployment');
    assert.deepEqual(errorOf(repeated), [502, 'upstream', null]);
    assert.match(messageOf(repeated.body), /Bearer \[token\] is not valid/);
    cluster.setAway(true);
    const away = await send('GET', '/admin/deployment');
    assert.deepEqual(errorOf(away), [502, 'upstream', null]);
    assert.match(messageOf(away.body), /does not respond \(\w+\)/);
  });

  it('returns 502 if the resource does not match this release', async (t) => {
    const { send, cluster } = await managed(t);
    cluster.store.put(deploymentPath(namespace, name), { metadata: { name }, spec: {} });
    const answer = await send('GET', '/admin/deployment');
    assert.deepEqual(errorOf(answer), [502, 'upstream', null]);
    assert.match(messageOf(answer.body), /spec\.image: is required/);
  });
});
