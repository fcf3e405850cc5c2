// Holds the settings of whatever calls the API server of its cluster, once.

import { mountedAccount } from '../kubernetes/in-cluster.ts';
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
