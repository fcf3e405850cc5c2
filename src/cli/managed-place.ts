// Decides whether an operator manages this process: it says so in GW_OPERATOR_RESOURCE, and the process runs in a cluster.

import type { ManagedPlace } from '../control/deployment.ts';
import { findCluster } from '../kubernetes/in-cluster.ts';
import { isRefusal } from '../lib/refusal.ts';

/** `resource` is namespace/name. Null outside a cluster. */
export function managedPlace(
  resource: string | null,
  env: Readonly<Record<string, string | undefined>>,
): ManagedPlace | null {
  if (resource === null) return null;
  const place = findCluster(env);
  const [namespace = '', name = ''] = resource.split('/');
  return isRefusal(place) ? null : { place, namespace, name };
}
