// Builds the pods of gw as the operations pages recommend: without root, with a read-only root filesystem, and with enough time for a
// shutdown.

import { z } from 'zod';

import type { DeploymentResource, PodResources } from '../kubernetes/gw-deployment.ts';
import { digestOf, managedBy, templateAnnotation } from './kinds.ts';
import type { Json, JsonObject, Manifest } from './kinds.ts';
import { manifest, nameOf, secretVariable, selectorOf } from './parts.ts';
import type { Component } from './parts.ts';

const userId = 10_001;
/** More than --shutdown-delay (5) and --shutdown-grace (25) together. */
const graceSeconds = 40;
const progressSeconds = 600;
/** An hour: a control plane answers once it has migrated the database, which can take long. */
const startupFailures = 360;

type Probe = Readonly<{ path: string; port: string; scheme: 'HTTP' | 'HTTPS' }>;

export type Pods = Readonly<{
  component: 'control' | 'proxy';
  port: Readonly<{ name: string; containerPort: number }>;
  scheme: 'HTTP' | 'HTTPS';
  env: readonly Json[];
  resources: JsonObject;
  volumes: readonly JsonObject[];
  volumeMounts: readonly JsonObject[];
  /** In addition to the fields of all pods. */
  more: JsonObject;
  /** A pod annotation, so that a changed configuration rolls out new pods. */
  config: Readonly<Record<string, string>>;
}>;

export type Rolling = Readonly<{
  /** Null: an autoscaler decides. */
  replicas: number | null;
  maxSurge: number | string;
}>;

/** New pods start before old ones stop. */
export function deploymentOf(
  resource: DeploymentResource,
  pods: Pods,
  { replicas, maxSurge }: Rolling,
): Readonly<{ manifest: Manifest; template: string }> {
  const { component } = pods;
  const podTemplate = templateOf(resource, pods);
  const template = digestOf(podTemplate);
  const spec = {
    ...(replicas === null ? {} : { replicas }),
    progressDeadlineSeconds: progressSeconds,
    selector: { matchLabels: selectorOf(resource, component) },
    strategy: { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: 0, maxSurge } },
    template: podTemplate,
  };
  const annotations = { [templateAnnotation]: template };
  return {
    manifest: manifest(resource, { kind: 'Deployment', component }, { spec, annotations }),
    template,
  };
}

function templateOf(resource: DeploymentResource, pods: Pods): JsonObject {
  const { component, config, port, scheme, more, volumes, volumeMounts } = pods;
  const container = {
    ...containerOf(resource, component),
    envFrom: [{ configMapRef: { name: nameOf(resource, component) } }],
    env: pods.env,
    ports: [{ ...port, protocol: 'TCP' }],
    resources: pods.resources,
    startupProbe: {
      ...probe({ path: '/healthz', port: port.name, scheme }, 10),
      failureThreshold: startupFailures,
    },
    readinessProbe: probe({ path: '/readyz', port: port.name, scheme }, 5),
    livenessProbe: probe({ path: '/healthz', port: port.name, scheme }, 10),
    volumeMounts: [{ name: 'tmp', mountPath: '/tmp' }, ...volumeMounts],
  };
  return {
    metadata: {
      labels: { ...selectorOf(resource, component), ...managedBy },
      annotations: { 'gw.io/config': digestOf(config) },
    },
    spec: {
      ...more,
      ...podOf(container, [{ name: 'tmp', emptyDir: {} }, ...volumes]),
      terminationGracePeriodSeconds: graceSeconds,
    },
  };
}

/** Over the nodes. */
export const spreadOf = (resource: DeploymentResource, component: Component): JsonObject => ({
  topologySpreadConstraints: [
    {
      maxSkew: 1,
      topologyKey: 'kubernetes.io/hostname',
      whenUnsatisfiable: 'ScheduleAnyway',
      labelSelector: { matchLabels: selectorOf(resource, component) },
    },
  ],
});

/** Null for a single pod, which could otherwise never be evicted. */
export function disruptionBudgetOf(
  resource: DeploymentResource,
  component: 'control' | 'proxy',
  replicas: number,
): Manifest | null {
  if (replicas < 2) return null;
  const spec = { maxUnavailable: 1, selector: { matchLabels: selectorOf(resource, component) } };
  return manifest(resource, { kind: 'PodDisruptionBudget', component }, { spec });
}

/** The variables of `secretSettings`. */
export const secretVariables = ({ spec }: DeploymentResource, component: 'control' | 'proxy') =>
  Object.entries(spec[component].secretSettings).map(([name, from]) => secretVariable(name, from));

/** JSON, from the resource. */
export function volumesOf({ spec }: DeploymentResource, component: 'control' | 'proxy') {
  const given = jsonObjects.parse(spec[component].volumes);
  return { volumes: given, volumeMounts: jsonObjects.parse(spec[component].volumeMounts) };
}

const jsonObjects = z.array(z.record(z.string(), z.json()));

/** Disables service links: the variables of a Service named gw would look like settings. */
export const podOf = (container: JsonObject, volumes: readonly JsonObject[]): JsonObject => ({
  enableServiceLinks: false,
  securityContext: {
    runAsNonRoot: true,
    runAsUser: userId,
    runAsGroup: userId,
    fsGroup: userId,
    seccompProfile: { type: 'RuntimeDefault' },
  },
  containers: [container],
  volumes,
});

export const containerOf = ({ spec }: DeploymentResource, component: Component) => ({
  name: component,
  image: spec.image,
  imagePullPolicy: 'IfNotPresent',
  securityContext: {
    allowPrivilegeEscalation: false,
    readOnlyRootFilesystem: true,
    capabilities: { drop: ['ALL'] },
  },
});

const probe = (httpGet: Probe, periodSeconds: number): JsonObject => ({
  httpGet,
  periodSeconds,
  timeoutSeconds: 3,
  failureThreshold: 3,
});

type Share = Readonly<{ milliCpu: number; mebibytes: number; limitMebibytes: number }>;

const noResources: PodResources = { requests: {}, limits: {} };

/**
 * Those of the custom resource, else the operator's defaults. Normalized like the API server: 1000m
 * is 1.
 */
export function resourcesOf(
  { milliCpu, mebibytes, limitMebibytes }: Share,
  { requests, limits }: PodResources = noResources,
): JsonObject {
  const limitCpu = limits.cpu === undefined ? {} : { cpu: cpu(milliOf(limits.cpu)) };
  return {
    requests: {
      cpu: cpu(requests.cpu === undefined ? milliCpu : milliOf(requests.cpu)),
      memory: memory(requests.memory === undefined ? mebibytes : mebibytesOf(requests.memory)),
    },
    limits: {
      ...limitCpu,
      memory: memory(limits.memory === undefined ? limitMebibytes : mebibytesOf(limits.memory)),
    },
  };
}

const milliOf = (quantity: string): number =>
  quantity.endsWith('m') ? Number(quantity.slice(0, -1)) : Number(quantity) * 1000;
const mebibytesOf = (quantity: string): number =>
  Number(quantity.slice(0, -2)) * (quantity.endsWith('Gi') ? 1024 : 1);

const cpu = (milli: number): string => (milli % 1000 === 0 ? `${milli / 1000}` : `${milli}m`);
const memory = (mebibytes: number): string => {
  if (mebibytes % 1024 ** 2 === 0) return `${mebibytes / 1024 ** 2}Ti`;
  return mebibytes % 1024 === 0 ? `${mebibytes / 1024}Gi` : `${mebibytes}Mi`;
};
