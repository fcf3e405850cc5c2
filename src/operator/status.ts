// Builds the status of a managed deployment: phase, replicas, and the conditions Ready, Progressing and Degraded.

import { deploymentStatus } from '../kubernetes/gw-deployment.ts';
import type {
  Condition,
  DeploymentResource,
  DeploymentStatus,
} from '../kubernetes/gw-deployment.ts';
import { toRfc3339 } from '../lib/clock.ts';
import { keyOf, rolloutOf } from './held.ts';
import type { Rollout } from './held.ts';
import { isControlReady, isWritten, strangersIn } from './plan.ts';
import type { Seen } from './plan.ts';

export type Problem = Readonly<{ reason: string; message: string }>;

/** Null for a status of another release, or without one. */
export const statusBefore = ({ status }: DeploymentResource): DeploymentStatus | null =>
  deploymentStatus.safeParse(status).data ?? null;

export const isBootstrapped = (before: DeploymentStatus | null, seen: Seen): boolean =>
  before?.bootstrapped === true ||
  (seen.desired.bootstrap !== null &&
    (seen.held.get(keyOf(seen.desired.bootstrap))?.status.succeeded ?? 0) > 0);

/** `refused` is the write that the API server refused, or null. */
export function statusOf(
  resource: DeploymentResource,
  seen: Seen,
  { refused, nowMs }: Readonly<{ refused: Problem | null; nowMs: number }>,
): DeploymentStatus {
  const { desired, held } = seen;
  const before = statusBefore(resource);
  const control = rolloutOf(held.get(keyOf(desired.control)));
  const proxies = rolloutOf(held.get(keyOf(desired.proxies)));
  const bootstrapped = isBootstrapped(before, seen);
  const problem = refused ?? problemIn(seen, { control, proxies });
  const step = stepOf(seen, { proxies, bootstrapped });
  const { generation } = resource.metadata;
  const observedImage = step === null ? resource.spec.image : before?.observedImage;
  return {
    phase: phaseOf(problem, step, before),
    observedGeneration: generation,
    ...(observedImage === undefined ? {} : { observedImage }),
    controlReplicas: `${control.available}/${control.wanted}`,
    proxyReplicas: `${proxies.available}/${proxies.wanted}`,
    bootstrapped,
    conditions: conditionsOf({ problem, step }).map(({ type, status, reason, message }) => {
      const held = before?.conditions.find((one) => one.type === type);
      const isSame = held !== undefined && held.status === status;
      const lastTransitionTime = isSame ? held.lastTransitionTime : toRfc3339(nowMs);
      return { type, status, reason, message, lastTransitionTime, observedGeneration: generation };
    }),
  };
}

type Rollouts = Readonly<{ control: Rollout; proxies: Rollout }>;

function problemIn(seen: Seen, { control, proxies }: Rollouts): Problem | null {
  const [stranger] = strangersIn(seen);
  if (stranger !== undefined) {
    const message = `${stranger.kind} ${stranger.name} exists and does not belong to this resource`;
    return { reason: 'NameTaken', message };
  }
  if (control.stuck !== null) return { reason: 'ControlStuck', message: control.stuck };
  if (proxies.stuck !== null) return { reason: 'ProxiesStuck', message: proxies.stuck };
  const { bootstrap } = seen.desired;
  const job = bootstrap === null ? undefined : seen.held.get(keyOf(bootstrap));
  const failed = job?.status.conditions.find(
    ({ type, status }) => type === 'Failed' && status === 'True',
  );
  return failed === undefined ? null : { reason: 'BootstrapFailed', message: failed.message };
}

/** The operator waits for this, or for nothing if null. */
type Step = Readonly<{ phase: 'Rolling' | 'Bootstrapping'; reason: string; message: string }>;

function stepOf(
  seen: Seen,
  { proxies, bootstrapped }: Readonly<{ proxies: Rollout; bootstrapped: boolean }>,
): Step | null {
  if (!isControlReady(seen)) {
    const message = 'the control plane is being replaced; proxies follow once it is available';
    return { phase: 'Rolling', reason: 'RollingControl', message };
  }
  if (!isWritten(seen) || !proxies.isDone) {
    const message = `${proxies.available} of ${proxies.wanted} proxies are available`;
    return { phase: 'Rolling', reason: 'RollingProxies', message };
  }
  if (seen.desired.bootstrap !== null && !bootstrapped) {
    const message = 'the first login is being created';
    return { phase: 'Bootstrapping', reason: 'Bootstrapping', message };
  }
  return null;
}

function phaseOf(
  problem: Problem | null,
  step: Step | null,
  before: DeploymentStatus | null,
): DeploymentStatus['phase'] {
  if (problem !== null) return 'Degraded';
  if (step === null) return 'Ready';
  if (step.phase === 'Bootstrapping') return 'Bootstrapping';
  return before?.observedImage === undefined ? 'Pending' : 'Upgrading';
}

type ReportedCondition = Pick<Condition, 'type' | 'status' | 'reason' | 'message'>;

function conditionsOf({
  problem,
  step,
}: Readonly<{ problem: Problem | null; step: Step | null }>): readonly ReportedCondition[] {
  const isReady = problem === null && step === null;
  const all = { reason: 'AllAvailable', message: 'everything runs as the resource specifies' };
  const { reason, message } = problem ?? step ?? all;
  const none = { reason: 'AsExpected', message: 'no problem' };
  const complete = { reason: 'Complete', message: 'no change in progress' };
  const moving = step === null ? complete : { reason: step.reason, message: step.message };
  return [
    { type: 'Ready', status: isReady ? 'True' : 'False', reason, message },
    { type: 'Progressing', status: step === null ? 'False' : 'True', ...moving },
    { type: 'Degraded', status: problem === null ? 'False' : 'True', ...(problem ?? none) },
  ];
}
