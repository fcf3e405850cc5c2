// Decides whether an operator manages this process: GW_OPERATOR_RESOURCE is set, and the process runs in a cluster.

import type { ManagedPlace } from '../control/deployment.ts';
import { findCluster } from '../kubernetes/in-cluster.ts';
import { isRefusal } from '../lib/refusal.ts';
import type { SettingValues } from './settings/settings-table.ts';

type Managed = Pick<SettingValues, 'operatorResource' | 'serviceAccountDirectory'>;

/** Null outside a cluster. */
export function managedPlace(
  { operatorResource, serviceAccountDirectory }: Managed,
  env: Readonly<Record<string, string | undefined>>,
): ManagedPlace | null {
  if (operatorResource === null) return null;
  const place = findCluster(env, serviceAccountDirectory);
  const [namespace = '', name = ''] = operatorResource.split('/');
  return isRefusal(place) ? null : { place, namespace, name };
}
