// Reads and changes the managed deployment (specification, "Observability, operations, other")
// through its custom resource. Secret references, service type and bootstrap cannot be changed
// here.

import { z } from 'zod';

import {
  autoscalingEnabledField,
  imageField,
  policyField,
  poolMaxIdleField,
  replicasField,
  targetCpuField,
  upstreamTimeoutField,
  workersField,
} from '../../kubernetes/gw-deployment.ts';
import type { DeploymentResource } from '../../kubernetes/gw-deployment.ts';
import { isRefusal, refuse } from '../../lib/refusal.ts';
import type { Refusal } from '../../lib/refusal.ts';
import { mutate } from '../http/mutation.ts';
import type { OperationNeeds } from './needs.ts';
import { none, route } from '../http/route.ts';

/** Null restores the default. The image has no default. */
export const deploymentPatch = z.strictObject({
  image: imageField.optional(),
  replicas: replicasField.nullish(),
  policy: policyField.nullish(),
  upstream_timeout: upstreamTimeoutField.nullish(),
  workers: workersField.nullish(),
  pool_max_idle: poolMaxIdleField.nullish(),
  autoscaling_enabled: autoscalingEnabledField.nullish(),
  autoscaling_min_replicas: replicasField.nullish(),
  autoscaling_max_replicas: replicasField.nullish(),
  autoscaling_target_cpu: targetCpuField.nullish(),
});
type DeploymentPatch = z.output<typeof deploymentPatch>;

/** The path of each field in the spec of the resource. */
export const deploymentPlaces = {
  image: ['image'],
  replicas: ['proxy', 'replicas'],
  policy: ['proxy', 'policy'],
  upstream_timeout: ['proxy', 'upstreamTimeout'],
  workers: ['proxy', 'workers'],
  pool_max_idle: ['proxy', 'poolMaxIdle'],
  autoscaling_enabled: ['proxy', 'autoscaling', 'enabled'],
  autoscaling_min_replicas: ['proxy', 'autoscaling', 'minReplicas'],
  autoscaling_max_replicas: ['proxy', 'autoscaling', 'maxReplicas'],
  autoscaling_target_cpu: ['proxy', 'autoscaling', 'targetCpuUtilizationPercentage'],
} as const satisfies Record<keyof DeploymentPatch, readonly string[]>;

const deploymentRecord = z.object({
  namespace: z.string(),
  name: z.string(),
  /** The generation of the desired state. The status names the one that it describes. */
  generation: z.int(),
  image: z.string(),
  proxy: z.object({
    replicas: z.int(),
    policy: policyField,
    /** Seconds. */
    upstream_timeout: z.int(),
    workers: z.int(),
    pool_max_idle: z.int(),
    service_type: z.string(),
    autoscaling: z.object({
      enabled: z.boolean(),
      minReplicas: z.int(),
      maxReplicas: z.int(),
      targetCpuUtilizationPercentage: z.int(),
    }),
  }),
  /**
   * Written by the operator: phase, observedGeneration, conditions and more. Null before its
   * first write.
   */
  status: z.record(z.string(), z.unknown()).nullable(),
});

const place = { path: '/admin/deployment', params: none, query: none } as const;

export const deploymentRoutes = [
  route({
    ...place,
    method: 'GET',
    operation: 'getDeployment',
    permission: 'usage:read',
    summary: 'Get the managed deployment and its status; 404 if no operator manages this process',
    refusals: ['absent', 'upstream'],
    body: none,
    response: deploymentRecord,
    handle: async (_input, _call, { deployment }: OperationNeeds) => {
      const resource = await deployment.read();
      return isRefusal(resource) ? resource : { body: recordOf(resource) };
    },
  }),
  route({
    ...place,
    method: 'PATCH',
    operation: 'updateDeployment',
    permission: 'config:write',
    summary: 'Update the managed deployment, which rolls it out',
    refusals: ['absent', 'upstream'],
    body: deploymentPatch,
    response: deploymentRecord,
    handle: async ({ body }, call, { deployment }: OperationNeeds) => {
      const spec = specPatch(body);
      if (isRefusal(spec)) return spec;
      const resource = await deployment.patch(spec);
      if (isRefusal(resource)) return resource;
      // Recorded after the change, so that only completed changes are in the log (ADR 28).
      const { generation } = resource.metadata;
      const command = { type: 'RecordDeploymentPatch', patch: body, generation } as const;
      return mutate(call, { command }, () => recordOf(resource));
    },
  }),
] as const;

type Nested = { [name: string]: Nested | string | number | boolean | null };

/** Places each given field at its path in the resource. */
export function specPatch(patch: DeploymentPatch): Nested | Refusal {
  const spec: Nested = {};
  let fields = 0;
  for (const [name, path] of Object.entries(deploymentPlaces)) {
    const value = Object.entries(patch).find(([key]) => key === name)?.[1];
    if (value === undefined) continue;
    put(spec, path, value);
    fields += 1;
  }
  if (fields === 0) {
    const names = Object.keys(deploymentPlaces).join(', ');
    return refuse('invalid', `body: at least one field must be given: ${names}`);
  }
  const { autoscaling_min_replicas: least, autoscaling_max_replicas: most } = patch;
  if (typeof least === 'number' && typeof most === 'number' && most < least) {
    const message = `autoscaling_max_replicas: must be at least autoscaling_min_replicas, which is ${least}, was ${most}`;
    return refuse('invalid', message, { param: 'autoscaling_max_replicas' });
  }
  return spec;
}

function put(into: Nested, [name = '', ...rest]: readonly string[], value: Nested[string]): void {
  if (rest.length === 0) {
    into[name] = value;
    return;
  }
  const held = into[name];
  const next: Nested = typeof held === 'object' && held !== null ? held : {};
  into[name] = next;
  put(next, rest, value);
}

function recordOf({
  metadata: { namespace, name, generation },
  spec: { image, proxy },
  status,
}: DeploymentResource): z.input<typeof deploymentRecord> {
  return {
    namespace,
    name,
    generation,
    image,
    proxy: {
      replicas: proxy.replicas,
      policy: proxy.policy,
      upstream_timeout: proxy.upstreamTimeout,
      workers: proxy.workers,
      pool_max_idle: proxy.poolMaxIdle,
      service_type: proxy.serviceType,
      autoscaling: proxy.autoscaling,
    },
    status: isRecord(status) ? status : null,
  };
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null;
