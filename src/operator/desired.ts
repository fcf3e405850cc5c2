// Derives the desired objects of a managed deployment from its resource alone, in the order of their creation.

import type { DeploymentResource } from '../kubernetes/gw-deployment.ts';
import {
  bootstrapJob,
  controlConfig,
  controlDeployment,
  controlDisruptionBudget,
  controlService,
} from './control-plane.ts';
import type { Manifest, Reference } from './kinds.ts';
import { nameOf } from './parts.ts';
import {
  proxyAutoscaler,
  proxyConfig,
  proxyDeployment,
  proxyDisruptionBudget,
  proxyService,
} from './proxies.ts';

export type Wanted = Readonly<{
  manifest: Manifest;
  /** `control`: written once the control plane runs as desired. `proxies`: the same, but only if the write rolls out proxies. */
  waitsFor: 'nothing' | 'control' | 'proxies';
  /** Created once and never changed. */
  isOnce: boolean;
}>;

export type Desired = Readonly<{
  wanted: readonly Wanted[];
  unwanted: readonly Reference[];
  control: Reference;
  proxies: Reference;
  /** Describes the pods of the proxies. */
  proxyTemplate: string;
  bootstrap: Reference | null;
  /** The bounds of the autoscaler's replicas; null without one. */
  scaled: Readonly<{ from: number; to: number }> | null;
}>;

export function desiredOf(resource: DeploymentResource): Desired {
  const proxy = proxyDeployment(resource);
  const job = bootstrapJob(resource);
  const autoscaler = proxyAutoscaler(resource);
  const budget = proxyDisruptionBudget(resource);
  const controlBudget = controlDisruptionBudget(resource);
  const control = nameOf(resource, 'control');
  const { enabled, minReplicas, maxReplicas } = resource.spec.proxy.autoscaling;
  const name = nameOf(resource, 'proxy');
  return {
    wanted: [
      wanted(controlConfig(resource)),
      wanted(controlService(resource)),
      wanted(controlDeployment(resource).manifest),
      ...(controlBudget === null ? [] : [wanted(controlBudget)]),
      ...(job === null ? [] : [wanted(job, { waitsFor: 'control', isOnce: true })]),
      wanted(proxyService(resource)),
      wanted(proxyConfig(resource), { waitsFor: 'proxies' }),
      wanted(proxy.manifest, { waitsFor: 'proxies' }),
      ...(autoscaler === null ? [] : [wanted(autoscaler)]),
      ...(budget === null ? [] : [wanted(budget)]),
    ],
    unwanted: [
      ...(autoscaler === null ? [{ kind: 'HorizontalPodAutoscaler', name } as const] : []),
      ...(budget === null ? [{ kind: 'PodDisruptionBudget', name } as const] : []),
      ...(controlBudget === null ? [{ kind: 'PodDisruptionBudget', name: control } as const] : []),
    ],
    control: { kind: 'Deployment', name: control },
    proxies: { kind: 'Deployment', name },
    proxyTemplate: proxy.template,
    bootstrap: job === null ? null : { kind: 'Job', name: job.metadata.name },
    scaled: enabled ? { from: minReplicas, to: maxReplicas } : null,
  };
}

const wanted = (
  manifest: Manifest,
  how: Partial<Pick<Wanted, 'waitsFor' | 'isOnce'>> = {},
): Wanted => ({ manifest, waitsFor: 'nothing', isOnce: false, ...how });
