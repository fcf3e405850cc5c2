// Lists the settings for calls to the Kubernetes API.

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
      'directory of the service account: token, ca.crt and namespace, read again for each use',
  }),
} as const;

const resourceName = z.string().regex(/^[a-z0-9-]{1,63}\/[a-z0-9-]{1,63}$/, {
  error: 'must be the namespace and the name of a resource, such as gw/gw',
});

/** For a control plane that the operator manages. */
export const managedSettings = {
  operatorResource: define({
    flag: null,
    variable: 'GW_OPERATOR_RESOURCE',
    schema: resourceName,
    fallback: null,
    description: 'namespace/name of the GwDeployment that manages this control plane',
  }),
  ...clusterSettings,
} as const;
