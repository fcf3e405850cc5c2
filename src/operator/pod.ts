// The pods of gw, as `docs/operate.md` says of its processes: without root, on a root filesystem that is only read, and with the time
// that a shutdown takes.

import type { DeploymentResource } from '../kubernetes/gw-deployment.ts';
import { digestOf, managedBy, templateAnnotation } from './kinds.ts';
import type { Json, JsonObject, Manifest } from './kinds.ts';
import { manifest, nameOf, selectorOf } from './parts.ts';
import type { Component } from './parts.ts';

const userId = 10_001;
/** More than --shutdown-delay (5) and --shutdown-grace (25) together. */
const graceSeconds = 40;
const progressSeconds = 600;

type Probe = Readonly<{ path: string; port: string; scheme: 'HTTP' | 'HTTPS' }>;

export type Pods = Readonly<{
  component: 'control' | 'proxy';
  port: Readonly<{ name: string; containerPort: number }>;
  scheme: 'HTTP' | 'HTTPS';
  env: readonly Json[];
  resources: JsonObject;
  volumes: readonly JsonObject[];
  volumeMounts: readonly JsonObject[];
  /** Beside what all pods have. */
  more: JsonObject;
  /** In the pods' annotations, so that another configuration is a roll-out. */
  config: Readonly<Record<string, string>>;
}>;

export type Rolling = Readonly<{
  /** Null: someone else says how many. */
  replicas: number | null;
  maxSurge: number | string;
}>;

/** New pods come before old ones go. */
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

/** A pod that a Service named gw says nothing to: its variables would look like settings. */
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

/** As the API server writes quantities back: 1000m is 1, and 1024Mi is 1Gi. */
export const resourcesOf = ({ milliCpu, mebibytes, limitMebibytes }: Share): JsonObject => ({
  requests: { cpu: cpu(milliCpu), memory: memory(mebibytes) },
  limits: { memory: memory(limitMebibytes) },
});

const cpu = (milli: number): string => (milli % 1000 === 0 ? `${milli / 1000}` : `${milli}m`);
const memory = (mebibytes: number): string =>
  mebibytes % 1024 === 0 ? `${mebibytes / 1024}Gi` : `${mebibytes}Mi`;
