// Runs leader election step by step: reads the Lease and creates, renews or takes it when due.

import { refusalOf } from '../kubernetes/answer.ts';
import { withCluster } from '../kubernetes/client.ts';
import type { ClusterClient, ClusterWrite } from '../kubernetes/client.ts';
import type { ClusterPlace } from '../kubernetes/in-cluster.ts';
import { claimed, claimOf, readLease, released } from './lease.ts';
import type { Holder, LeaseObject } from './lease.ts';

export type ElectionOptions = Readonly<{
  place: ClusterPlace;
  holder: Holder;
  /** Monotonic milliseconds. */
  monotonic: () => number;
  /** Epoch milliseconds. */
  nowMs: () => number;
}>;

export type Election = Readonly<{
  /** Returns true if this process leads now. Rejects if the API server does not answer. */
  step: (signal: AbortSignal) => Promise<boolean>;
  release: (signal: AbortSignal) => Promise<void>;
}>;

type Observed = Readonly<{ version: string; sinceMs: number }>;

export function createElection({ place, holder, monotonic, nowMs }: ElectionOptions): Election {
  const { namespace, name, self } = holder;
  const collection = `/apis/coordination.k8s.io/v1/namespaces/${namespace}/leases`;
  const path = `${collection}/${name}`;
  let observed: Observed | null = null;

  const read = async (client: ClusterClient, signal: AbortSignal): Promise<LeaseObject | null> => {
    const answer = await client.get(path, signal);
    if (answer.status === 404) return null;
    const lease = answer.status === 200 ? readLease(answer.body) : null;
    if (lease === null) throw new Error(`${path} answered ${refusalOf(answer)}`);
    return lease;
  };

  /** Returns false if another process was faster. */
  const write = async (
    client: ClusterClient,
    write: Pick<ClusterWrite, 'method' | 'path' | 'body'>,
    signal: AbortSignal,
  ): Promise<boolean> => {
    const answer = await client.send({ ...write, mediaType: 'application/json' }, signal);
    if (answer.status === 409) return false;
    if (answer.status >= 300) throw new Error(`${path} answered ${refusalOf(answer)}`);
    return true;
  };

  const seenForMs = ({ metadata: { resourceVersion: version } }: LeaseObject): number => {
    if (observed?.version !== version) observed = { version, sinceMs: monotonic() };
    return monotonic() - observed.sinceMs;
  };

  const step = async (client: ClusterClient, signal: AbortSignal): Promise<boolean> => {
    const lease = await read(client, signal);
    const body = claimed(holder, lease, nowMs());
    if (lease === null) return write(client, { method: 'POST', path: collection, body }, signal);
    if (claimOf(lease, { self, seenForMs: seenForMs(lease) }) === 'wait') return false;
    return write(client, { method: 'PUT', path, body }, signal);
  };

  return {
    step: (signal) => withCluster(place, (client) => step(client, signal)),
    release: (signal) =>
      withCluster(place, async (client) => {
        const lease = await read(client, signal);
        if (lease?.spec.holderIdentity !== self) return;
        const body = released({ namespace, name }, lease, nowMs());
        await write(client, { method: 'PUT', path, body }, signal);
      }),
  };
}
