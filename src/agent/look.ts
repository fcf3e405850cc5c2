// Looks for endpoints in a cluster: which addresses it exposes now.

import type { ClusterPlace } from '../kubernetes/in-cluster.ts';
import type { Log } from '../telemetry/log.ts';
import type { Candidate } from './candidate.ts';
import { readCluster } from './cluster.ts';
import type { ClusterObjects } from './cluster-objects.ts';
import { exposedBy } from './exposed.ts';

export type LookOptions = Readonly<{
  cluster: ClusterPlace;
  /** Where the ports of nodes are dialled; null leaves them out. */
  advertise: string | null;
  log: Log;
}>;

/** What is beyond is left out, and logged. */
const candidatesMax = 10_000;
/** Of what is left out, so many services are named in the log. */
const saidMax = 1_000;

/** The search as a function that says once of each service why it is left out. It rejects when the cluster cannot be read. */
export function createLook({ cluster, advertise, log }: LookOptions) {
  const said = new Set<string>();
  return async (signal: AbortSignal): Promise<readonly Candidate[]> => {
    const { candidates, left } = exposedBy(await read(cluster, signal), advertise);
    for (const reason of left) {
      if (said.has(reason) || said.size >= saidMax) continue;
      said.add(reason);
      log.warn({ reason }, 'a service is left out');
    }
    if (candidates.length > candidatesMax) {
      log.warn(
        { found: candidates.length, taken: candidatesMax },
        'more candidates than are probed',
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
