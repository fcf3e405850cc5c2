// Lists services, pods and nodes of the cluster. deploy/agent/rbac.yaml allows the agent no other
// calls.

import { withCluster } from '../kubernetes/client.ts';
import type { ClusterPlace } from '../kubernetes/in-cluster.ts';
import { listAll } from '../kubernetes/list.ts';
import { node, pod, service } from './cluster-objects.ts';
import type { ClusterObjects } from './cluster-objects.ts';

/** Rejects if a list is incomplete, because partial lists would let the leases of missing endpoints expire. */
export const readCluster = (place: ClusterPlace, signal: AbortSignal): Promise<ClusterObjects> =>
  withCluster(place, async (client) => ({
    services: await listAll(client, { path: '/api/v1/services', item: service }, signal),
    pods: await listAll(
      client,
      { path: '/api/v1/pods', fieldSelector: 'status.phase=Running', item: pod },
      signal,
    ),
    nodes: await listAll(client, { path: '/api/v1/nodes', item: node }, signal),
  }));
