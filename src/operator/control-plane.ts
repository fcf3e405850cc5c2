// Builds the objects of the control plane of a managed deployment: settings, Service, pod, and the Job that creates the first login.

import type { DeploymentResource } from '../kubernetes/gw-deployment.ts';
import type { Json, Manifest } from './kinds.ts';
import { adminPort, manifest, nameOf, secretVariable, selectorOf } from './parts.ts';
import {
  containerOf,
  deploymentOf,
  disruptionBudgetOf,
  podOf,
  resourcesOf,
  secretVariables,
  spreadOf,
  volumesOf,
} from './pod.ts';

const component = 'control';
const tlsDirectory = '/etc/gw/tls';

const tlsOf = ({ spec }: DeploymentResource): string | null => spec.control.tlsSecretName ?? null;

/** For proxies. */
export const controlUrl = (resource: DeploymentResource): string =>
  `${tlsOf(resource) === null ? 'http' : 'https'}://${nameOf(resource, component)}:${adminPort}`;

function configOf(resource: DeploymentResource): Record<string, string> {
  const { namespace, name } = resource.metadata;
  return {
    GW_ROLE: 'control',
    GW_HOST: '0.0.0.0',
    GW_ADMIN_PORT: String(adminPort),
    GW_LOG_FORMAT: 'json',
    GW_OPERATOR_RESOURCE: `${namespace}/${name}`,
    ...(tlsOf(resource) === null
      ? {}
      : { GW_TLS_CERT: `${tlsDirectory}/tls.crt`, GW_TLS_KEY: `${tlsDirectory}/tls.key` }),
    ...resource.spec.control.settings,
  };
}

export const controlConfig = (resource: DeploymentResource): Manifest =>
  manifest(resource, { kind: 'ConfigMap', component }, { data: configOf(resource) });

/** Only inside the cluster, because `/snapshot` returns upstream credentials. */
export const controlService = (resource: DeploymentResource): Manifest =>
  manifest(
    resource,
    { kind: 'Service', component },
    {
      spec: {
        type: 'ClusterIP',
        selector: selectorOf(resource, component),
        ports: [{ name: 'admin', port: adminPort, targetPort: 'admin', protocol: 'TCP' }],
      },
    },
  );

export function controlDeployment(resource: DeploymentResource) {
  const tls = tlsOf(resource);
  const secret = { name: 'tls', secret: { secretName: tls ?? '' } };
  const mount = { name: 'tls', mountPath: tlsDirectory, readOnly: true };
  const given = volumesOf(resource, component);
  return deploymentOf(
    resource,
    {
      component,
      port: { name: 'admin', containerPort: adminPort },
      scheme: tls === null ? 'HTTP' : 'HTTPS',
      env: [
        ...databaseVariables(resource),
        secretVariable('GW_PROXY_TOKEN', resource.spec.proxyToken),
        ...secretVariables(resource, component),
      ],
      resources: resourcesOf(
        { milliCpu: 100, mebibytes: 256, limitMebibytes: 1024 },
        resource.spec.control.resources,
      ),
      volumes: [...(tls === null ? [] : [secret]), ...given.volumes],
      volumeMounts: [...(tls === null ? [] : [mount]), ...given.volumeMounts],
      // This account can only read and patch the resource.
      more: { serviceAccountName: 'gw-control', ...spreadOf(resource, component) },
      config: configOf(resource),
    },
    { replicas: resource.spec.control.replicas, maxSurge: 1 },
  );
}

export const controlDisruptionBudget = (resource: DeploymentResource): Manifest | null =>
  disruptionBudgetOf(resource, component, resource.spec.control.replicas);

function databaseVariables({ spec }: DeploymentResource): readonly Json[] {
  const { database, encryptionKey, encryptionKeyPrevious: previous } = spec;
  return [
    secretVariable('GW_DATABASE_URL', database),
    secretVariable('GW_ENCRYPTION_KEY', encryptionKey),
    ...(previous === undefined ? [] : [secretVariable('GW_ENCRYPTION_KEY_PREVIOUS', previous)]),
  ];
}

/** Null without a first login. Created once, because another run would reset the password. */
export function bootstrapJob(resource: DeploymentResource): Manifest | null {
  const { bootstrap } = resource.spec;
  if (bootstrap === undefined) return null;
  const container = {
    ...containerOf(resource, 'bootstrap'),
    args: ['set-password', `--name=${bootstrap.name}`],
    env: [
      ...databaseVariables(resource),
      secretVariable('GW_BOOTSTRAP_PASSWORD', bootstrap.password),
    ],
    resources: resourcesOf({ milliCpu: 100, mebibytes: 256, limitMebibytes: 512 }),
    volumeMounts: [{ name: 'tmp', mountPath: '/tmp' }],
  };
  const spec = {
    backoffLimit: 6,
    template: {
      metadata: { labels: selectorOf(resource, 'bootstrap') },
      spec: {
        ...podOf(container, [{ name: 'tmp', emptyDir: {} }]),
        automountServiceAccountToken: false,
        restartPolicy: 'Never',
      },
    },
  };
  return manifest(resource, { kind: 'Job', component: 'bootstrap' }, { spec });
}
