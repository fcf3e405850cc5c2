// The composition root of the operator.

import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';

import type { ClusterPlace } from '../kubernetes/in-cluster.ts';
import { readNamespace } from '../kubernetes/in-cluster.ts';
import { createElection } from '../operator/election.ts';
import { operatorTimes, startOperator } from '../operator/operator.ts';
import type { OperatorTimes } from '../operator/operator.ts';
import type { Running } from './lifetime.ts';
import { logToStderr } from './log-to-stderr.ts';
import type { OperatorSettingsTable } from './operator-settings.ts';
import type { SettingsOf } from './settings.ts';

export type OperatorSettings = SettingsOf<OperatorSettingsTable>;

const leaseSeconds = 15;

/** Manages until it is closed, which gives the Lease up. */
export async function runOperator(
  settings: OperatorSettings,
  place: ClusterPlace,
  times: OperatorTimes = operatorTimes,
): Promise<Running> {
  const log = logToStderr(settings).of('operator');
  const namespace = settings.namespace ?? (await readNamespace(place));
  // Of each start its own: a pod that is restarted is not taken for the one that held the Lease.
  const self = `${hostname()}_${randomUUID()}`;
  const election = createElection({
    place,
    holder: { name: settings.lease, namespace, self, seconds: leaseSeconds },
    monotonic: () => performance.now(),
    nowMs: Date.now,
  });
  const { failed, close } = startOperator({
    place,
    namespace,
    election,
    nowMs: Date.now,
    log,
    times,
  });
  log.info({ namespace, lease: settings.lease, self }, 'operator started');
  return { failed, close };
}
