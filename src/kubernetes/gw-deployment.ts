// Defines the custom resource of a managed deployment, like deploy/operator/crd.yaml. Bounds are
// those of the corresponding settings.

import { z } from 'zod';

export const apiGroup = 'gw.io';
export const apiVersion = `${apiGroup}/v1alpha1`;
export const resourceKind = 'GwDeployment';
export const resourcePlural = 'gwdeployments';

/** Without a name: the collection of the namespace. */
export const deploymentPath = (namespace: string, name?: string): string =>
  `/apis/${apiVersion}/namespaces/${namespace}/${resourcePlural}${name === undefined ? '' : `/${name}`}`;

const between = (from: number, to: number) => z.int().min(from).max(to);

/** A key in a Secret of the same namespace. */
const secretKey = z.object({
  name: z
    .string()
    .regex(/^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$/)
    .max(253),
  key: z
    .string()
    .regex(/^[-._a-zA-Z0-9]+$/)
    .max(253),
});
export type SecretKey = Readonly<z.output<typeof secretKey>>;

/** The admin API can change these fields. Numbers are seconds, counts or percentages. */
export const imageField = z
  .string()
  .regex(/^[a-zA-Z0-9][a-zA-Z0-9._:/@-]*$/)
  .max(512);
export const replicasField = between(1, 1000);
export const policyField = z.enum(['cacheAffinity', 'leastLoaded', 'roundRobin', 'lowestLatency']);
export const upstreamTimeoutField = between(1, 86_400);
export const workersField = between(1, 256);
export const poolMaxIdleField = between(1, 65_536);
export const autoscalingEnabledField = z.boolean();
export const targetCpuField = between(1, 100);

/** Quantities in the forms that the API server preserves. */
const cpuQuantity = z.string().regex(/^[1-9]\d{0,8}m?$/);
const memoryQuantity = z.string().regex(/^[1-9]\d{0,8}(Mi|Gi)$/);

/** For either component. */
const podFields = {
  /** Any setting, by variable, that is not a secret and has no own field here. */
  settings: z.record(z.string(), z.string().max(8192)).default({}),
  secretSettings: z.record(z.string(), secretKey).default({}),
  /** Each replaces the operator's default. */
  resources: z
    .object({
      requests: z
        .object({ cpu: cpuQuantity.optional(), memory: memoryQuantity.optional() })
        .prefault({}),
      limits: z
        .object({ cpu: cpuQuantity.optional(), memory: memoryQuantity.optional() })
        .prefault({}),
    })
    .prefault({}),
  /** Volumes and mounts in the format of Kubernetes. A mount at /var/lib/gw replaces the state of a proxy. */
  volumes: z.array(z.looseObject({ name: z.string().max(63) })).default([]),
  volumeMounts: z
    .array(z.looseObject({ name: z.string().max(63), mountPath: z.string().max(1024) }))
    .default([]),
};
export type PodResources = Readonly<z.output<typeof podFields.resources>>;

export const deploymentSpec = z.object({
  image: imageField,
  /** The Postgres address. */
  database: secretKey,
  proxyToken: secretKey,
  encryptionKey: secretKey,
  encryptionKeyPrevious: secretKey.optional(),
  /** The first login. */
  bootstrap: z
    .object({ name: z.string().min(1).max(128).default('admin'), password: secretKey })
    .optional(),
  control: z
    .object({
      replicas: between(1, 9).default(1),
      /** A kubernetes.io/tls Secret for the admin listener, with the CA in its ca.crt. */
      tlsSecretName: secretKey.shape.name.optional(),
      ...podFields,
    })
    .prefault({}),
  proxy: z
    .object({
      replicas: replicasField.default(2),
      policy: policyField.default('cacheAffinity'),
      upstreamTimeout: upstreamTimeoutField.default(120),
      workers: workersField.default(1),
      poolMaxIdle: poolMaxIdleField.default(256),
      serviceType: z.enum(['ClusterIP', 'NodePort', 'LoadBalancer']).default('ClusterIP'),
      autoscaling: z
        .object({
          enabled: autoscalingEnabledField.default(false),
          minReplicas: replicasField.default(2),
          maxReplicas: replicasField.default(10),
          targetCpuUtilizationPercentage: targetCpuField.default(70),
        })
        .prefault({}),
      ...podFields,
    })
    .prefault({}),
});

const condition = z.object({
  type: z.string(),
  status: z.enum(['True', 'False', 'Unknown']),
  reason: z.string(),
  message: z.string(),
  lastTransitionTime: z.string(),
  observedGeneration: z.int().optional(),
});
export type Condition = Readonly<z.output<typeof condition>>;

export const deploymentStatus = z.object({
  phase: z.enum(['Pending', 'Upgrading', 'Bootstrapping', 'Degraded', 'Ready']),
  /** The generation that this status describes. */
  observedGeneration: z.int(),
  /** Absent until all proxies run the same image. */
  observedImage: z.string().optional(),
  /** Ready and desired replicas, such as `1/1`. */
  controlReplicas: z.string(),
  proxyReplicas: z.string(),
  /** The first login exists. */
  bootstrapped: z.boolean(),
  conditions: z.array(condition),
});
export type DeploymentStatus = Readonly<z.output<typeof deploymentStatus>>;

export const deploymentResource = z.object({
  metadata: z.object({
    name: z.string(),
    namespace: z.string(),
    uid: z.string(),
    generation: z.int(),
    resourceVersion: z.string(),
    deletionTimestamp: z.string().optional(),
  }),
  spec: deploymentSpec,
  /** Unvalidated, because another release of the operator may have written it. */
  status: z.unknown().optional(),
});
export type DeploymentResource = Readonly<z.output<typeof deploymentResource>>;
