// Tests the complete agent in a cluster: it registers every listed endpoint that answers under the
// cluster's name, for as long as the cluster exposes it.

import assert from 'node:assert/strict';
import { it } from 'node:test';

import { startAgent } from '../../src/agent/agent.ts';
import { createDiscovery } from '../../src/agent/discovery.ts';
import { openProbe } from '../../src/agent/probe.ts';
import { openRegistrar } from '../../src/agent/register.ts';
import { planAgent } from '../../src/cli/agent-plan.ts';
import { agentSettings } from '../../src/cli/settings/agent-settings.ts';
import { readTable } from '../../src/cli/settings/settings.ts';
import { startClusterApi } from '../harness/cluster/cluster-api.ts';
import { startEngine, startRegistrationServer } from '../harness/upstream/engine.ts';
import { collectLog } from '../harness/gateway/gateway.ts';
import { until } from '../harness/wait.ts';

const onNodes = (name: string, nodePort: number) => ({
  metadata: { name, namespace: 'models' },
  spec: { type: 'NodePort', ports: [{ protocol: 'TCP', port: 8000, targetPort: 8000, nodePort }] },
  status: { loadBalancer: {} },
});

it('keeps an exposed engine registered across a token rotation and API server errors', async (t) => {
  const [cluster, control] = [await startClusterApi(t), await startRegistrationServer(t)];
  const [engine, later] = [await startEngine(t), await startEngine(t, { model: 'Later' })];
  const flags = {
    controlUrl: control.url,
    token: 'gw-key',
    kubernetes: 'true',
    providerName: 'East',
    advertise: '127.0.0.1',
  };
  const read = readTable(agentSettings, { flags, env: {}, readFile: () => '' });
  assert.ok('settings' in read);
  const env = { KUBERNETES_SERVICE_HOST: '127.0.0.1', KUBERNETES_SERVICE_PORT: '443' };
  const plan = planAgent(read.settings, { env, hostName: 'agent-5d8c7-pp2rj' });
  assert.ok('controlUrl' in plan);
  const logLines: Parameters<typeof collectLog>[0] = [];
  const log = collectLog(logLines);
  const registrar = openRegistrar({ controlUrl: control.url, token: 'gw-key', ca: null });
  const probing = openProbe();
  const services = { ...cluster.lists['services'], items: [onNodes('first', engine.port)] };
  Object.assign(cluster.lists, { services, pods: { ...cluster.lists['pods'], items: [] } });
  const agent = startAgent({
    fixed: plan.fixed,
    findExposed: createDiscovery({ cluster: cluster.place, advertise: '127.0.0.1', log }),
    probe: probing.probe,
    register: registrar.register,
    describe: plan.describe,
    workers: 4,
    intervalMs: 25,
    discoverMs: 25,
    log,
    random: Math.random,
  });
  t.after(async () => {
    await agent.close();
    await Promise.all([registrar.close(), probing.close()]);
  });
  const countOf = (apiBase: string): number =>
    control.seen.filter(({ api_base }) => api_base === apiBase).length;
  const messages = () => logLines.map(({ message }) => message);

  await until(() => countOf(engine.apiBase) > 1, { what: 'the first engine' });
  assert.equal(control.seen[0]?.name, `east-m-${engine.port}`);

  await cluster.setToken('token-of-the-second-hour');
  services.items.push(onNodes('second', later.port));
  await until(() => countOf(later.apiBase) > 1, { what: 'the engine that came later' });
  assert.equal(control.seen.at(-1)?.name.startsWith('east-'), true);

  cluster.setBroken(500);
  const failed = 'the search for endpoints failed';
  await until(() => messages().includes(failed), { what: 'the API server is away' });
  const before = countOf(engine.apiBase);
  await until(() => countOf(engine.apiBase) > before + 2, { what: 'leases are renewed' });

  cluster.setBroken(null);
  services.items.shift();
  const gone = 'an endpoint is no longer exposed, so its lease expires';
  await until(() => messages().includes(gone), { what: 'the first engine is gone' });
  const last = countOf(later.apiBase);
  await until(() => countOf(later.apiBase) > last, { what: 'the other is held' });
});
