// What a process is told so that it takes the API server of a test for that of its cluster: over HTTPS, with a token and an authority in
// files.

import type { ClusterApi } from './cluster-api.ts';

export function inCluster({ place }: ClusterApi): Readonly<Record<string, string>> {
  const { hostname, port } = new URL(place.url);
  return {
    KUBERNETES_SERVICE_HOST: hostname,
    KUBERNETES_SERVICE_PORT: port,
    GW_SERVICE_ACCOUNT_DIRECTORY: place.accountDirectory,
  };
}
