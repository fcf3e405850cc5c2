// Tests that deploy/operator and the objects that the operator creates are valid cluster objects,
// with settings from the settings table.

import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, it } from 'node:test';

import { parse, parseAllDocuments } from 'yaml';
import { z } from 'zod';

import { operatorSettings } from '../../src/cli/settings/operator-settings.ts';
import type { Setting } from '../../src/cli/settings/setting.ts';
import { otherVariables } from '../../src/cli/settings/other-variables.ts';
import { settingsTable } from '../../src/cli/settings/settings-table.ts';
import { deploymentResource, deploymentSpec } from '../../src/kubernetes/gw-deployment.ts';
import { desiredOf } from '../../src/operator/desired.ts';
import type { Manifest } from '../../src/operator/kinds.ts';
import { memberAt } from '../harness/cluster/cluster-store.ts';
import { deploymentNamed } from '../harness/cluster/managed-deployment.ts';

const directory = path.join(import.meta.dirname, '../../deploy/operator');
const read = (name: string): string => readFileSync(path.join(directory, name), 'utf8');
const files = readdirSync(directory).filter((name) => name.endsWith('.yaml'));

const headed = z.looseObject({
  apiVersion: z.string().regex(/^([a-z0-9.]+\/)?v\d+(alpha\d+|beta\d+)?$/),
  kind: z.string().regex(/^[A-Z][A-Za-z]+$/),
  metadata: z.looseObject({ name: z.string(), namespace: z.string().optional() }),
});
const documentsOf = (name: string) =>
  parseAllDocuments(read(name)).map((one) => headed.parse(one.toJS()));

describe('deploy/operator', () => {
  for (const name of files.filter((file) => file !== 'kustomization.yaml')) {
    it(`${name} holds objects of the namespace gw, or of the whole cluster`, () => {
      for (const { kind, metadata } of documentsOf(name)) {
        const isOfCluster = ['Namespace', 'CustomResourceDefinition'].includes(kind);
        assert.equal(metadata.namespace, isOfCluster ? undefined : 'gw', metadata.name);
      }
    });
  }

  it('kustomization.yaml names each file but the example, and the image of the operator', () => {
    const base: unknown = parse(read('kustomization.yaml'));
    const others = files.filter((file) => !['kustomization.yaml', 'example.yaml'].includes(file));
    const named = memberAt(base, 'resources');
    assert.ok(Array.isArray(named));
    assert.deepEqual(named.map(String).toSorted(), others.toSorted());
    assert.match(read('kustomization.yaml'), /- name: gw\n/);
    assert.match(read('operator.yaml'), / image: gw\n/);
  });

  it('example.yaml is a deployment that the program takes, of the name that control planes may read', () => {
    const documents = documentsOf('example.yaml');
    const example = documents.find(({ kind }) => kind === 'GwDeployment');
    assert.equal(example?.metadata.name, 'gw');
    const spec = deploymentSpec.parse(example['spec']);
    const secret = documents.find(({ kind }) => kind === 'Secret');
    const keys = Object.keys(z.looseObject({}).parse(memberAt(secret, 'stringData')));
    const named = [spec.database, spec.encryptionKey, spec.proxyToken, spec.bootstrap?.password];
    assert.deepEqual(named.map((one) => one?.key ?? '').toSorted(), keys.toSorted());
  });
});

const metadata = { name: 'gw', namespace: 'gw', uid: 'u', generation: 1, resourceVersion: '1' };
const secret = { name: 'gw-secrets', key: 'other' };
const resource = deploymentResource.parse({
  metadata,
  spec: {
    ...z.looseObject({}).parse(deploymentNamed('gw')['spec']),
    encryptionKeyPrevious: secret,
    bootstrap: { password: secret },
    control: { tlsSecretName: 'gw-tls' },
    proxy: { workers: 4, autoscaling: { enabled: true } },
  },
});
const { wanted } = desiredOf(resource);
const manifests: readonly Manifest[] = wanted.map(({ manifest }) => manifest);
const settings = new Map<string, Setting>(
  Object.values<Setting>(settingsTable).map((setting) => [setting.variable, setting]),
);

const variable = z.object({ name: z.string() });
const container = z.looseObject({
  env: z.array(variable),
  ports: z.array(z.object({ name: z.string(), containerPort: z.int() })).default([]),
});
const containersOf = ({ spec }: Manifest) =>
  z.array(container).parse(memberAt(spec, 'template', 'spec', 'containers') ?? []);

describe('an object of the operator', () => {
  it('sets existing settings to valid values', () => {
    const given = manifests.flatMap(({ data = {} }) => Object.entries(data));
    assert.ok(given.length > 12);
    for (const [name, value] of given) {
      const setting = settings.get(name);
      assert.ok(setting !== undefined, name);
      assert.equal(setting.schema.safeParse(value).success, true, `${name}=${value}`);
      assert.equal(setting.secret, false, `${name} is a secret`);
    }
  });

  it('contains secrets only by reference, under names that the program reads', () => {
    const names = manifests
      .flatMap(containersOf)
      .flatMap(({ env }) => env)
      .map(({ name }) => name);
    for (const name of names) {
      const isKnown = settings.get(name)?.secret === true || otherVariables.includes(name);
      assert.equal(isKnown, true, name);
    }
    assert.ok(names.includes('GW_DATABASE_URL') && names.includes('GW_BOOTSTRAP_PASSWORD'));
  });

  it('listens on the ports of the settings table, and its Services on the same', () => {
    const ports = manifests.flatMap(containersOf).flatMap((one) => one.ports);
    const expected = [settingsTable.adminPort.fallback, settingsTable.port.fallback];
    assert.deepEqual(
      ports.map(({ containerPort }) => containerPort),
      expected,
    );
    const services = manifests.filter(({ kind }) => kind === 'Service');
    const served = services.flatMap(({ spec }) =>
      z.array(z.object({ port: z.int(), targetPort: z.string() })).parse(spec?.['ports']),
    );
    assert.deepEqual(
      served.map(({ port, targetPort }) => [port, targetPort]),
      ports.map(({ containerPort, name }) => [containerPort, name]),
    );
  });

  it('keeps the admin listener inside the cluster, whatever type the Service of the proxies has', () => {
    const proxy = { ...resource.spec.proxy, serviceType: 'LoadBalancer' as const };
    const open = desiredOf({ ...resource, spec: { ...resource.spec, proxy } });
    const types = open.wanted
      .filter(({ manifest }) => manifest.kind === 'Service')
      .map(({ manifest }) => [manifest.metadata.name, manifest.spec?.['type']]);
    assert.deepEqual(types, [
      ['gw-control', 'ClusterIP'],
      ['gw-proxy', 'LoadBalancer'],
    ]);
  });

  it('writes quantities in the API server’s canonical form', () => {
    const proxy = manifests.find(
      (one) => one.kind === 'Deployment' && one.metadata.name === 'gw-proxy',
    );
    assert.match(JSON.stringify(proxy), /"requests":\{"cpu":"1","memory":"1Gi"\}/);
    assert.match(JSON.stringify(proxy), /"limits":\{"memory":"4Gi"\}/);
  });

  it('has time to shut down before it is killed', () => {
    const grace = settingsTable.shutdownGrace.fallback + 5;
    for (const { kind, spec } of manifests) {
      if (kind !== 'Deployment') continue;
      const seconds = memberAt(spec, 'template', 'spec', 'terminationGracePeriodSeconds');
      assert.ok(Number(seconds) > grace);
    }
  });
});

it('uses distinct names for the operator’s settings', () => {
  const own = [operatorSettings.namespace, operatorSettings.lease];
  for (const { variable: name } of own) assert.equal(settings.has(name), false, name);
});
