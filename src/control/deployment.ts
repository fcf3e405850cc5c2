// Reads and merge-patches the custom resource of the managed deployment (specification,
// `/admin/deployment`), as the service account of this process.

import { refusalOf } from '../kubernetes/answer.ts';
import { withCluster } from '../kubernetes/client.ts';
import type { ClusterAnswer, ClusterClient } from '../kubernetes/client.ts';
import { deploymentPath, deploymentResource } from '../kubernetes/gw-deployment.ts';
import type { DeploymentResource } from '../kubernetes/gw-deployment.ts';
import { readToken } from '../kubernetes/in-cluster.ts';
import type { ClusterPlace } from '../kubernetes/in-cluster.ts';
import { plainly, problemText } from '../lib/plain-issue.ts';
import { refuse } from '../lib/refusal.ts';
import type { Refusal } from '../lib/refusal.ts';

export type ManagedDeployment = Readonly<{
  /** If false, all other calls are refused. */
  isManaged: boolean;
  read: () => Promise<DeploymentResource | Refusal>;
  /**
   * `spec` is a JSON merge patch (RFC 7396): named members are set, and null restores the default.
   */
  patch: (spec: object) => Promise<DeploymentResource | Refusal>;
}>;

export type ManagedPlace = Readonly<{ place: ClusterPlace; namespace: string; name: string }>;

const callMs = 10_000;

export function openManagedDeployment(managed: ManagedPlace | null): ManagedDeployment {
  if (managed === null) {
    const absent = (): Promise<Refusal> => Promise.resolve(unmanaged);
    return { isManaged: false, read: absent, patch: absent };
  }
  const path = deploymentPath(managed.namespace, managed.name);
  return {
    isManaged: true,
    read: () => ask(managed, 'read', (client, signal) => client.get(path, signal)),
    patch: (spec) =>
      ask(managed, 'patched', (client, signal) =>
        client.send(
          {
            method: 'PATCH',
            path: `${path}?fieldValidation=Strict&fieldManager=gw-control`,
            mediaType: 'application/merge-patch+json',
            body: { spec },
          },
          signal,
        ),
      ),
  };
}

const unmanaged = refuse('absent', 'deployment is not managed: no operator runs this process');

type Work = (client: ClusterClient, signal: AbortSignal) => Promise<ClusterAnswer>;

async function ask(
  { place, namespace, name }: ManagedPlace,
  done: 'read' | 'patched',
  work: Work,
): Promise<DeploymentResource | Refusal> {
  const what = `the deployment ${namespace}/${name} cannot be ${done}`;
  let answer: ClusterAnswer;
  try {
    answer = await withCluster(place, (client) => work(client, AbortSignal.timeout(callMs)));
  } catch (error) {
    return refuse('upstream', `${what}: the API server does not respond (${codeOf(error)})`);
  }
  if (answer.status === 404) {
    return refuse('absent', `deployment is not managed: ${namespace}/${name} does not exist`);
  }
  if (answer.status !== 200) {
    return refuse(
      'upstream',
      await withoutToken(place, `${what}: the API server responded ${refusalOf(answer)}`),
    );
  }
  const read = deploymentResource.safeParse(answer.body, plainly);
  if (read.success) return read.data;
  const problem = problemText(read.error);
  return refuse('upstream', `${what}: the resource does not match this release of gw: ${problem}`);
}

/** Only the code: the message of a failed call may contain what was sent. */
function codeOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown';
  if ('code' in error && typeof error.code === 'string') return error.code;
  return error.name;
}

/** The API server may repeat the token in its message, which the caller sees. */
async function withoutToken(place: ClusterPlace, message: string): Promise<string> {
  const token = await readToken(place).catch(() => '');
  return token === '' ? message : message.replaceAll(token, '[token]');
}
