// Finds the API server of the cluster and reads the mounted token and CA of the service account
// (kubernetes.io/docs/tasks/run-application/access-api-from-pod).

import { readFile } from 'node:fs/promises';
import { isIPv6 } from 'node:net';
import path from 'node:path';

import { refuse } from '../lib/refusal.ts';
import type { Refusal } from '../lib/refusal.ts';

export type ClusterPlace = Readonly<{
  url: string;
  /** The directory with the files `token` and `ca.crt`. */
  accountDirectory: string;
}>;

/** The mount path of Kubernetes. */
export const mountedAccount = '/var/run/secrets/kubernetes.io/serviceaccount';

/** From the variables that Kubernetes sets in every container. */
export function findCluster(
  env: Readonly<Record<string, string | undefined>>,
  accountDirectory: string,
): ClusterPlace | Refusal {
  const host = env['KUBERNETES_SERVICE_HOST'] ?? '';
  const port = env['KUBERNETES_SERVICE_PORT'] ?? '';
  if (host === '' || port === '') {
    const message =
      'this process does not run in a cluster: KUBERNETES_SERVICE_HOST and _PORT are not set';
    return refuse('invalid', message, { param: 'kubernetes' });
  }
  return {
    url: `https://${isIPv6(host) ? `[${host}]` : host}:${port}`,
    accountDirectory,
  };
}

/** Kubernetes rotates the token about hourly, so it is read for each use. */
export const readToken = async ({ accountDirectory }: ClusterPlace): Promise<string> =>
  (await readFile(path.join(accountDirectory, 'token'), 'utf8')).trim();

/** PEM. */
export const readAuthority = ({ accountDirectory }: ClusterPlace): Promise<string> =>
  readFile(path.join(accountDirectory, 'ca.crt'), 'utf8');

export async function readNamespace({ accountDirectory }: ClusterPlace): Promise<string> {
  try {
    return (await readFile(path.join(accountDirectory, 'namespace'), 'utf8')).trim();
  } catch (cause) {
    throw new Error(`could not read the namespace of this pod in ${accountDirectory}`, { cause });
  }
}
