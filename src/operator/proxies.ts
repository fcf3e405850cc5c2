// Builds the objects of the proxies of a managed deployment: settings, Service, pods, disruption budget and autoscaler.

import type { DeploymentResource } from '../kubernetes/gw-deployment.ts';
import { controlUrl } from './control-plane.ts';
import type { Manifest } from './kinds.ts';
import { gatewayPort, manifest, nameOf, secretVariable, selectorOf } from './parts.ts';
import {
  deploymentOf,
  disruptionBudgetOf,
  resourcesOf,
  secretVariables,
  spreadOf,
  volumesOf,
} from './pod.ts';

const component = 'proxy';
const stateDirectory = '/var/lib/gw';
const authorityDirectory = '/etc/gw/authority';

const policies = {
  cacheAffinity: 'cache-affinity',
  leastLoaded: 'least-loaded',
  roundRobin: 'round-robin',
  lowestLatency: 'lowest-latency',
} as const satisfies Record<DeploymentResource['spec']['proxy']['policy'], string>;

function configOf(resource: DeploymentResource): Record<string, string> {
  const { policy, upstreamTimeout, workers, poolMaxIdle } = resource.spec.proxy;
  const isTls = resource.spec.control.tlsSecretName !== undefined;
  return {
    GW_ROLE: 'proxy',
    GW_HOST: '0.0.0.0',
    GW_PORT: String(gatewayPort),
    GW_LOG_FORMAT: 'json',
    GW_CONTROL_URL: controlUrl(resource),
    GW_SNAPSHOT_CACHE: `${stateDirectory}/snapshot.json`,
    GW_POLICY: policies[policy],
    GW_UPSTREAM_TIMEOUT: String(upstreamTimeout),
    GW_WORKERS: String(workers),
    GW_POOL_MAX_IDLE: String(poolMaxIdle),
    ...(isTls ? { GW_CA_BUNDLE: `${authorityDirectory}/ca.crt` } : {}),
    ...resource.spec.proxy.settings,
  };
}

export const proxyConfig = (resource: DeploymentResource): Manifest =>
  manifest(resource, { kind: 'ConfigMap', component }, { data: configOf(resource) });

export const proxyService = (resource: DeploymentResource): Manifest =>
  manifest(
    resource,
    { kind: 'Service', component },
    {
      spec: {
        type: resource.spec.proxy.serviceType,
        selector: selectorOf(resource, component),
        ports: [{ name: 'http', port: gatewayPort, targetPort: 'http', protocol: 'TCP' }],
      },
    },
  );

/** Lives as long as the pod. */
const podState = {
  volumes: [{ name: 'state', emptyDir: {} }],
  volumeMounts: [{ name: 'state', mountPath: stateDirectory }],
};

export function proxyDeployment(resource: DeploymentResource) {
  const { control, proxy } = resource.spec;
  const { tlsSecretName: tls } = control;
  // Only the CA: proxies do not need the control plane's key.
  const items = [{ key: 'ca.crt', path: 'ca.crt' }];
  const secret = { name: 'authority', secret: { secretName: tls ?? '', items } };
  const mount = { name: 'authority', mountPath: authorityDirectory, readOnly: true };
  const share = proxy.workers;
  const given = volumesOf(resource, component);
  const hasOwnState = given.volumeMounts.some((one) => one['mountPath'] === stateDirectory);
  const state = hasOwnState ? { volumes: [], volumeMounts: [] } : podState;
  return deploymentOf(
    resource,
    {
      component,
      port: { name: 'http', containerPort: gatewayPort },
      scheme: 'HTTP',
      env: [
        secretVariable('GW_PROXY_TOKEN', resource.spec.proxyToken),
        ...secretVariables(resource, component),
      ],
      resources: resourcesOf(
        { milliCpu: 250 * share, mebibytes: 256 * share, limitMebibytes: 1024 * share },
        proxy.resources,
      ),
      volumes: [...state.volumes, ...(tls === undefined ? [] : [secret]), ...given.volumes],
      volumeMounts: [
        ...state.volumeMounts,
        ...(tls === undefined ? [] : [mount]),
        ...given.volumeMounts,
      ],
      more: {
        automountServiceAccountToken: false,
        ...spreadOf(resource, component),
      },
      config: configOf(resource),
    },
    { replicas: proxy.autoscaling.enabled ? null : proxy.replicas, maxSurge: '25%' },
  );
}

/** Null without autoscaling. */
export function proxyAutoscaler(resource: DeploymentResource): Manifest | null {
  const { autoscaling } = resource.spec.proxy;
  if (!autoscaling.enabled) return null;
  const { minReplicas, maxReplicas, targetCpuUtilizationPercentage } = autoscaling;
  const target = { type: 'Utilization', averageUtilization: targetCpuUtilizationPercentage };
  const name = nameOf(resource, component);
  const spec = {
    scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name },
    minReplicas,
    maxReplicas,
    metrics: [{ type: 'Resource', resource: { name: 'cpu', target } }],
  };
  return manifest(resource, { kind: 'HorizontalPodAutoscaler', component }, { spec });
}

export function proxyDisruptionBudget(resource: DeploymentResource): Manifest | null {
  const { autoscaling, replicas } = resource.spec.proxy;
  const least = autoscaling.enabled ? autoscaling.minReplicas : replicas;
  return disruptionBudgetOf(resource, component, least);
}
