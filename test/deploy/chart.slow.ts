// Tests the Helm chart with the real Helm, and its objects with the schemas of Kubernetes. `npm run test:chart` runs it:
// on a machine without these programs, it first builds them, which takes minutes.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { before, describe, it } from 'node:test';

import { parseAllDocuments, stringify } from 'yaml';
import { z } from 'zod';

import { deploymentResource } from '../../src/kubernetes/gw-deployment.ts';
import { desiredOf } from '../../src/operator/desired.ts';
import { prepareChartTools, releases } from '../harness/chart/tools.ts';
import type { ChartTools } from '../harness/chart/tools.ts';

const root = path.join(import.meta.dirname, '../..');
const chart = path.join(root, 'deploy/helm/gw');

const everything = {
  image: { digest: `sha256:${'a'.repeat(64)}`, pullSecrets: [{ name: 'registry' }] },
  secret: { encryptionKeyPreviousKey: 'previous' },
  control: {
    tlsSecretName: 'gw-tls',
    service: { annotations: { team: 'platform' } },
    settings: { GW_USAGE_RETENTION: '30' },
    secretSettings: { GW_AUDIT_SIGNING_KEY: { name: 'gw-secrets', key: 'audit' } },
    podAnnotations: { team: 'platform' },
    nodeSelector: { disk: 'ssd' },
    tolerations: [{ key: 'gw', operator: 'Exists' }],
    volumes: [{ name: 'extra', emptyDir: {} }],
    volumeMounts: [{ name: 'extra', mountPath: '/extra' }],
  },
  proxy: {
    service: { type: 'LoadBalancer', annotations: { team: 'platform' } },
    settings: { GW_LOG: 'info' },
    secretSettings: { GW_OTEL_HEADERS: { name: 'gw-secrets', key: 'headers' } },
    podAnnotations: { team: 'platform' },
    nodeSelector: { disk: 'ssd' },
    tolerations: [{ key: 'gw', operator: 'Exists' }],
    volumes: [{ name: 'state', persistentVolumeClaim: { claimName: 'gw' } }],
    volumeMounts: [{ name: 'state', mountPath: '/var/lib/gw' }],
    autoscaling: { enabled: true, targetInFlight: 200 },
  },
  networkPolicy: {
    enabled: true,
    gatewayFrom: [{ podSelector: {} }],
    adminFrom: [{ namespaceSelector: { matchLabels: { team: 'platform' } } }],
  },
  serviceMonitor: { enabled: true, labels: { release: 'prometheus' } },
};
const proxiesOnly = {
  control: { replicas: 0 },
  proxy: { controlUrl: 'https://control.example:4001' },
};
const cases = { defaults: {}, everything, proxiesOnly };

const object = z.looseObject({
  kind: z.string(),
  metadata: z.looseObject({ name: z.string() }),
});
const workload = z.object({
  spec: z.object({
    template: z.object({
      spec: z.looseObject({ containers: z.array(z.looseObject({ name: z.string() })) }),
    }),
  }),
});

const run = (program: string, args: readonly string[], input: string) => {
  const { status, stdout, stderr } = spawnSync(program, args, { input, encoding: 'utf8' });
  return { status, text: `${stdout}${stderr}`, stdout };
};

const objectsOf = (text: string) =>
  parseAllDocuments(text).map((document) => object.parse(document.toJS()));

const secret = (key: string) => ({ name: 'gw-secrets', key });

describe('the Helm chart', { timeout: 1_500_000 }, () => {
  let tools: ChartTools;
  before(
    () => {
      tools = prepareChartTools();
    },
    { timeout: 1_500_000 },
  );

  const helm = (args: readonly string[], values: object) =>
    run(tools.helm, [...args, '--values', '-'], stringify(values));
  const render = (values: object, release: string = releases[1]): string => {
    const { status, text, stdout } = helm(
      ['template', 'gw', chart, '--kube-version', release],
      values,
    );
    assert.equal(status, 0, text);
    return stdout;
  };
  for (const [name, values] of Object.entries(cases)) {
    it(`passes helm lint with ${name}`, () => {
      const { status, text } = helm(['lint', '--strict', chart], values);
      assert.equal(status, 0, text);
    });

    for (const release of releases) {
      it(`makes valid objects for Kubernetes ${release} with ${name}`, () => {
        const checking = ['-strict', '-summary', '-schema-location', tools.schemas(release)];
        const { status, text } = run(tools.kubeconform, checking, render(values, release));
        assert.equal(status, 0, text);
        assert.match(text, /Invalid: 0, Errors: 0, Skipped: 0/);
      });
    }
  }

  it('makes the objects that the operator makes, with the same pods', () => {
    const ofChart = new Map(
      objectsOf(render({ image: { repository: 'registry.example/gw', tag: '1' } })).map((one) => [
        `${one.kind}/${one.metadata.name}`,
        one,
      ]),
    );
    const resource = deploymentResource.parse({
      metadata: { name: 'gw', namespace: 'gw', uid: '1', generation: 1, resourceVersion: '1' },
      spec: {
        image: 'registry.example/gw:1',
        database: secret('database-url'),
        encryptionKey: secret('encryption-key'),
        proxyToken: secret('proxy-token'),
        control: { replicas: 2 },
      },
    });
    const ofOperator = desiredOf(resource).wanted.map(({ manifest }) => object.parse(manifest));
    assert.deepEqual(
      ofOperator.map((one) => `${one.kind}/${one.metadata.name}`).toSorted(),
      [...ofChart.keys()].filter((name) => !name.startsWith('Job/')).toSorted(),
    );
    for (const one of ofOperator.filter(({ kind }) => kind === 'Deployment')) {
      const made = ofChart.get(`${one.kind}/${one.metadata.name}`);
      const {
        serviceAccountName: _,
        automountServiceAccountToken: __,
        ...expected
      } = workload.parse(one).spec.template.spec;
      const { automountServiceAccountToken, ...actual } = workload.parse(made).spec.template.spec;
      assert.equal(automountServiceAccountToken, false, 'the chart needs no rights in the cluster');
      assert.deepEqual(actual, expected);
    }
  });

  it('refuses values that do not exist, naming them', () => {
    const { status, text } = helm(['lint', chart], { proxy: { replcas: 3 } });
    assert.equal(status, 1);
    assert.match(text, /additional properties 'replcas' not allowed/);
  });
});
