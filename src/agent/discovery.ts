// Searches for the endpoints that a cluster exposes.

import type { ClusterPlace } from '../kubernetes/in-cluster.ts';
import type { Log } from '../telemetry/log.ts';
import type { Candidate } from './candidate.ts';
import { readCluster } from './cluster.ts';
import type { ClusterObjects } from './cluster-objects.ts';
import { exposedBy } from './exposed.ts';

export type DiscoveryOptions = Readonly<{
  cluster: ClusterPlace;
  /** The address of node ports; null skips them. */
  advertise: string | null;
  log: Log;
}>;

/** More are skipped and logged. */
const candidatesMax = 10_000;
/** The log names at most this many skipped services. */
const loggedMax = 1_000;

/** Logs once per service why it is left out. Rejects if the cluster cannot be read. */
export function createDiscovery({ cluster, advertise, log }: DiscoveryOptions) {
  const logged = new Set<string>();
  return async (signal: AbortSignal): Promise<readonly Candidate[]> => {
    const { candidates, left } = exposedBy(await read(cluster, signal), advertise);
    for (const reason of left) {
      if (logged.has(reason) || logged.size >= loggedMax) continue;
      logged.add(reason);
      log.warn({ reason }, 'a service is skipped');
    }
    if (candidates.length > candidatesMax) {
      log.warn(
        { found: candidates.length, taken: candidatesMax },
        'too many candidates; the rest is skipped',
      );
    }
    return candidates.slice(0, candidatesMax);
  };
}

async function read(cluster: ClusterPlace, signal: AbortSignal): Promise<ClusterObjects> {
  try {
    return await readCluster(cluster, signal);
  } catch (cause) {
    throw new Error(`reading what the cluster at ${cluster.url} exposes`, { cause });
  }
}
