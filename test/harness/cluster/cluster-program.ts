// Gives a process the settings to use a test's API server as its cluster: HTTPS, with the token and
// the CA certificate in files.

import type { ClusterApi } from './cluster-api.ts';

export function inCluster({ place }: ClusterApi): Readonly<Record<string, string>> {
  const { hostname, port } = new URL(place.url);
  return {
    KUBERNETES_SERVICE_HOST: hostname,
    KUBERNETES_SERVICE_PORT: port,
    GW_SERVICE_ACCOUNT_DIRECTORY: place.accountDirectory,
  };
}
