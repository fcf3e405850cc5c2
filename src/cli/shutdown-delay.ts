// Decides how long a process serves on after it was told to end. Its readiness says no meanwhile, so that whoever balances between
// processes sends the next requests elsewhere ("Limits", Shutdown).

import { setTimeout as sleep } from 'node:timers/promises';

import type { Log } from '../telemetry/log.ts';

/** Kubernetes takes about as long to take a pod that is to end out of its Services everywhere. */
const kubernetesDelaySeconds = 5;

type Environment = Readonly<Record<string, string | undefined>>;

/** Kubernetes sets the variable in every container. */
export const shutdownDelaySeconds = (
  given: number | null,
  environment: Environment = process.env,
): number =>
  given ?? (environment['KUBERNETES_SERVICE_HOST'] === undefined ? 0 : kubernetesDelaySeconds);

/** Resolves when it is time to stop accepting. */
export async function serveOn(
  settings: Readonly<{ shutdownDelay: number | null; shutdownGrace: number }>,
  log: Log,
): Promise<void> {
  const seconds = shutdownDelaySeconds(settings.shutdownDelay);
  log.info({ delay: seconds, grace: settings.shutdownGrace }, 'shutting down');
  await sleep(seconds * 1000);
}
