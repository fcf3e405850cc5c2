// Holds the settings of whatever calls the API server of its cluster, once.

import { z } from 'zod';

import { mountedAccount } from '../../kubernetes/in-cluster.ts';
import { define, text } from './setting.ts';

export const clusterSettings = {
  serviceAccountDirectory: define({
    flag: null,
    variable: 'GW_SERVICE_ACCOUNT_DIRECTORY',
    schema: text,
    fallback: mountedAccount,
    description:
      'directory of the service account in a cluster: its token, ca.crt and namespace, read anew for each use',
  }),
} as const;

const resourceName = z.string().regex(/^[a-z0-9-]{1,63}\/[a-z0-9-]{1,63}$/, {
  error: 'must be the namespace and the name of a resource, such as gw/gw',
});

/** Of a control plane that an operator may run. */
export const managedSettings = {
  operatorResource: define({
    flag: null,
    variable: 'GW_OPERATOR_RESOURCE',
    schema: resourceName,
    fallback: null,
    description: 'namespace/name of the resource that `gw operator` runs this control plane by',
  }),
  ...clusterSettings,
} as const;
