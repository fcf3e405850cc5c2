// Tests which program settings a resource can set: all except those that the operator decides
// itself.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, it } from 'node:test';

import { parse } from 'yaml';
import { z } from 'zod';

import { knownSettings } from '../../src/cli/operator.ts';
import type { Setting } from '../../src/cli/settings/setting.ts';
import { settingsTable } from '../../src/cli/settings/settings-table.ts';
import { deploymentResource } from '../../src/kubernetes/gw-deployment.ts';
import { desiredOf } from '../../src/operator/desired.ts';
import { ownVariables, problemInSettings } from '../../src/operator/given-settings.ts';
import type { Manifest } from '../../src/operator/kinds.ts';
import { memberAt } from '../harness/cluster/cluster-store.ts';
import type { Json } from '../harness/cluster/cluster-store.ts';
import {
  storedDeployment,
  deploymentNamed,
  objectNamed,
  reconcileAll,
  settle,
  startManagedCluster,
} from '../harness/cluster/managed-deployment.ts';

const metadata = { name: 'gw', namespace: 'gw', uid: 'u', generation: 1, resourceVersion: '1' };
const secret = { name: 'gw-more', key: 'value' };
const variables = Object.values<Setting>(settingsTable);

const resourceWith = (spec: Json) =>
  deploymentResource.parse({
    metadata,
    spec: { ...z.looseObject({}).parse(deploymentNamed('gw')['spec']), ...spec },
  });

/** Null if both components accept the setting from a Secret. */
const problemWith = (name: string) =>
  problemInSettings(
    resourceWith({
      control: { secretSettings: { [name]: secret } },
      proxy: { secretSettings: { [name]: secret } },
    }),
    knownSettings,
  );

function partOf(spec: Json, kind: string, name: string): Manifest {
  const found = desiredOf(resourceWith(spec)).wanted.find(
    ({ manifest }) => manifest.kind === kind && manifest.metadata.name === name,
  );
  assert.ok(found !== undefined);
  return found.manifest;
}

const podOf = (manifest: Manifest): unknown => memberAt(manifest.spec, 'template', 'spec');
function containerOf(manifest: Manifest): unknown {
  const containers = memberAt(podOf(manifest), 'containers');
  return Array.isArray(containers) ? containers[0] : undefined;
}

describe('a setting of the program', () => {
  for (const { variable } of variables.filter((one) => !ownVariables.has(one.variable))) {
    it(`${variable} can be given to either component`, () => {
      assert.equal(problemWith(variable), null);
    });
  }

  for (const [variable, where] of ownVariables) {
    it(`${variable} is refused, because ${where}`, () => {
      assert.ok(variables.some((one) => one.variable === variable));
      assert.deepEqual(problemWith(variable), {
        reason: 'SettingRefused',
        message: `spec.control.secretSettings.${variable}: ${where}`,
      });
    });
  }

  const refused: readonly [string, string, RegExp][] = [
    ['GW_LOGG', 'info', /this setting does not exist in this release/],
    ['GW_USAGE_RETENTION', 'long', /must be a whole number from 1 to 3650/],
    ['GW_WEBHOOK_SECRET', 'ab'.repeat(32), /this setting is a secret; reference a key of a Secret/],
  ];
  for (const [name, value, why] of refused) {
    it(`${name} is refused with its field, and without its value`, () => {
      const resource = resourceWith({ control: { settings: { [name]: value } } });
      const problem = problemInSettings(resource, knownSettings);
      const message = problem?.message ?? '';
      assert.match(message, why);
      assert.ok(message.startsWith(`spec.control.settings.${name}: `));
      assert.equal(message.includes(value), false);
    });
  }

  it('reaches its pods: as a variable of the ConfigMap, and from a Secret by reference', () => {
    const spec = {
      control: {
        settings: { GW_USAGE_RETENTION: '30' },
        secretSettings: { GW_WEBHOOK_SECRET: secret },
      },
      proxy: { settings: { GW_LOG: 'debug' }, secretSettings: { GW_MASTER_KEY: secret } },
    };
    const data = (component: string) => partOf(spec, 'ConfigMap', `gw-${component}`).data ?? {};
    assert.equal(data('control')['GW_USAGE_RETENTION'], '30');
    assert.equal(data('proxy')['GW_LOG'], 'debug');
    for (const [component, name] of [
      ['control', 'GW_WEBHOOK_SECRET'],
      ['proxy', 'GW_MASTER_KEY'],
    ] as const) {
      const env = memberAt(containerOf(partOf(spec, 'Deployment', `gw-${component}`)), 'env');
      assert.ok(Array.isArray(env));
      assert.deepEqual(
        env.find((one) => memberAt(one, 'name') === name),
        {
          name,
          valueFrom: { secretKeyRef: secret },
        },
      );
    }
  });

  it('is valid in the example of docs/guides/kubernetes.md', () => {
    const page = readFileSync(
      path.join(import.meta.dirname, '../../docs/guides/kubernetes.md'),
      'utf8',
    );
    const [, example = ''] = /^```yaml\n(.*?)^```$/ms.exec(page) ?? [];
    const resource = resourceWith(z.object({ spec: z.looseObject({}) }).parse(parse(example)).spec);
    assert.equal(problemInSettings(resource, knownSettings), null);
    assert.equal(resource.spec.control.replicas, 2);
  });

  it('is reported in the status if it is invalid, and nothing is written', async (t) => {
    const cluster = await startManagedCluster(t, {
      spec: { proxy: { settings: { GW_WORKERS: '2' } } },
    });
    await reconcileAll(cluster);
    const status = storedDeployment(cluster)['status'];
    assert.equal(memberAt(status, 'phase'), 'Degraded');
    assert.match(
      JSON.stringify(status),
      /"reason":"SettingRefused","message":"spec.proxy.settings.GW_WORKERS: use spec.proxy.workers"/,
    );
    assert.equal(objectNamed(cluster, 'Deployment', 'gw-control'), undefined);
  });
});

describe('pods', () => {
  it('have the given resources, and the operator’s defaults for the rest', () => {
    const spec = {
      proxy: { resources: { requests: { cpu: '1500m' }, limits: { memory: '2048Mi' } } },
    };
    assert.deepEqual(memberAt(containerOf(partOf(spec, 'Deployment', 'gw-proxy')), 'resources'), {
      requests: { cpu: '1500m', memory: '256Mi' },
      limits: { memory: '2Gi' },
    });
  });

  it('of a proxy keep their state on a mounted volume', () => {
    const claim = { name: 'cache', persistentVolumeClaim: { claimName: 'gw-cache' } };
    const mount = { name: 'cache', mountPath: '/var/lib/gw' };
    const pod = partOf(
      { proxy: { volumes: [claim], volumeMounts: [mount] } },
      'Deployment',
      'gw-proxy',
    );
    assert.deepEqual(memberAt(podOf(pod), 'volumes'), [{ name: 'tmp', emptyDir: {} }, claim]);
    assert.deepEqual(memberAt(containerOf(pod), 'volumeMounts'), [
      { name: 'tmp', mountPath: '/tmp' },
      mount,
    ]);
  });

  it('of several control processes run on different nodes and are not evicted together', async (t) => {
    const cluster = await startManagedCluster(t, { spec: { control: { replicas: 3 } } });
    await reconcileAll(cluster);
    settle(cluster);
    await reconcileAll(cluster);
    const control = objectNamed(cluster, 'Deployment', 'gw-control');
    assert.equal(memberAt(control, 'spec', 'replicas'), 3);
    assert.match(JSON.stringify(control), /"topologyKey":"kubernetes.io\/hostname"/);
    const budget = objectNamed(cluster, 'PodDisruptionBudget', 'gw-control');
    assert.equal(memberAt(budget, 'spec', 'maxUnavailable'), 1);
    assert.equal(memberAt(storedDeployment(cluster), 'status', 'controlReplicas'), '3/3');
  });
});
