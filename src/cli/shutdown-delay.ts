// Decides how long a process keeps serving after SIGTERM while it reports that it is not ready, so
// that load balancers send new requests elsewhere ("Limits", Shutdown).

import { setTimeout as sleep } from 'node:timers/promises';

import type { Log } from '../telemetry/log.ts';

/** Kubernetes needs about this long to remove a terminating pod from its Services. */
const kubernetesDelaySeconds = 5;

type Environment = Readonly<Record<string, string | undefined>>;

/** Kubernetes sets this variable in every container. */
export const shutdownDelaySeconds = (
  given: number | null,
  environment: Environment = process.env,
): number =>
  given ?? (environment['KUBERNETES_SERVICE_HOST'] === undefined ? 0 : kubernetesDelaySeconds);

/** Resolves when the process should stop accepting connections. */
export async function serveOn(
  settings: Readonly<{ shutdownDelay: number | null; shutdownGrace: number }>,
  log: Log,
): Promise<void> {
  const seconds = shutdownDelaySeconds(settings.shutdownDelay);
  log.info({ delay: seconds, grace: settings.shutdownGrace }, 'shutting down');
  await sleep(seconds * 1000);
}
