// Reconciles one managed deployment: reads its objects, writes the due ones in order, and updates the status.

import { refusalOf } from '../kubernetes/answer.ts';
import type { ClusterAnswer, ClusterClient } from '../kubernetes/client.ts';
import { deploymentPath } from '../kubernetes/gw-deployment.ts';
import type { DeploymentResource, DeploymentStatus } from '../kubernetes/gw-deployment.ts';
import { canonicalJson } from '../lib/canonical-json.ts';
import type { Log } from '../telemetry/log.ts';
import type { OperatorCounts } from './counts.ts';
import { desiredOf } from './desired.ts';
import type { Desired } from './desired.ts';
import { problemInSettings } from './given-settings.ts';
import type { KnownSettings } from './given-settings.ts';
import { keyOf, readHeld, referenceOf } from './held.ts';
import type { HeldObject } from './held.ts';
import { collectionPath } from './kinds.ts';
import type { Reference } from './kinds.ts';
import { nextWrite } from './plan.ts';
import type { Seen, Write } from './plan.ts';
import { isBootstrapped, statusBefore, statusOf } from './status.ts';
import type { Problem } from './status.ts';

export type Reconciling = Readonly<{
  client: ClusterClient;
  nowMs: () => number;
  log: Log;
  /** Aborted when this process stops leading. Nothing is written afterwards. */
  signal: AbortSignal;
  counts: OperatorCounts;
  /** Those that a resource may set. */
  settings: KnownSettings;
}>;

const fieldManager = 'gw-operator';

/** `again`: an object changed concurrently, so the pass must start again. Rejects if the API server does not answer. */
export async function reconcile(
  resource: DeploymentResource,
  reconciling: Reconciling,
): Promise<'done' | 'again'> {
  // The cluster deletes the objects that the resource owns.
  if (resource.metadata.deletionTimestamp !== undefined) return 'done';
  const desired = desiredOf(resource);
  const held = await readAll(resource, desired, reconciling);
  const seen = { owner: resource.metadata, desired, held };
  const wrong = problemInSettings(resource, reconciling.settings);
  // Running objects stay unchanged.
  const refused = wrong ?? (await writeAll(resource, seen, reconciling));
  if (refused === 'again') return 'again';
  return report(resource, { seen, refused }, reconciling);
}

type Writable = Seen & Readonly<{ held: Map<string, HeldObject> }>;

const pathOf = ({ kind, name }: Reference, { metadata }: DeploymentResource): string =>
  `${collectionPath(kind, metadata.namespace)}/${name}`;

async function readAll(
  resource: DeploymentResource,
  desired: Desired,
  { client, signal }: Reconciling,
): Promise<Map<string, HeldObject>> {
  const held = new Map<string, HeldObject>();
  const wanted = desired.wanted.map(({ manifest }) => referenceOf(manifest));
  for (const of of [...wanted, ...desired.unwanted]) {
    const path = pathOf(of, resource);
    const answer = await client.get(path, signal);
    if (answer.status === 404) continue;
    const object = answer.status === 200 ? readHeld(answer.body) : null;
    if (object === null) throw new Error(`${path} answered ${refusalOf(answer)}`);
    held.set(keyOf(of), object);
  }
  return held;
}

/** Writes each object at most once. The next pass sees the result. */
async function writeAll(
  resource: DeploymentResource,
  seen: Writable,
  reconciling: Reconciling,
): Promise<Problem | 'again' | null> {
  const done = new Set<string>();
  const wasBootstrapped = isBootstrapped(statusBefore(resource), seen);
  for (;;) {
    const write = nextWrite(seen, { done, isBootstrapped: wasBootstrapped });
    if (write === null) return null;
    reconciling.signal.throwIfAborted();
    const answer = await send(write, pathOf(write.of, resource), reconciling);
    done.add(keyOf(write.of));
    if (answer.status === 409) {
      reconciling.counts.writes.conflict++;
      return 'again';
    }
    if (write.do === 'delete' && (answer.status < 300 || answer.status === 404)) {
      seen.held.delete(keyOf(write.of));
    } else {
      const object = answer.status < 300 ? readHeld(answer.body) : null;
      if (object === null) return refusedBy(write, answer, reconciling);
      seen.held.set(keyOf(write.of), object);
    }
    reconciling.counts.writes.written++;
    const { kind, name } = write.of;
    reconciling.log.info({ kind, name, did: write.do }, 'an object was written');
  }
}

function refusedBy({ of }: Write, answer: ClusterAnswer, reconciling: Reconciling): Problem {
  const { log, counts } = reconciling;
  counts.writes.refused++;
  const message = `${of.kind} ${of.name}: the API server answers ${refusalOf(answer)}`;
  log.warn({ reason: message }, 'a write was refused');
  return { reason: 'WriteRefused', message };
}

function send(write: Write, path: string, { client, signal }: Reconciling): Promise<ClusterAnswer> {
  if (write.do === 'apply') {
    const query = `fieldManager=${fieldManager}&force=true`;
    const mediaType = 'application/apply-patch+yaml';
    const body = write.manifest;
    return client.send({ method: 'PATCH', path: `${path}?${query}`, mediaType, body }, signal);
  }
  const { uid, resourceVersion } = write;
  const body = { preconditions: { uid, resourceVersion }, propagationPolicy: 'Background' };
  return client.send({ method: 'DELETE', path, mediaType: 'application/json', body }, signal);
}

async function report(
  resource: DeploymentResource,
  { seen, refused }: Readonly<{ seen: Seen; refused: Problem | null }>,
  { client, nowMs, log, signal }: Reconciling,
): Promise<'done' | 'again'> {
  const { namespace, name, resourceVersion } = resource.metadata;
  const status = statusOf(resource, seen, { refused, nowMs: nowMs() });
  const before = statusBefore(resource);
  if (before !== null && canonicalJson(before) === canonicalJson(status)) return 'done';
  signal.throwIfAborted();
  const answer = await client.send(
    {
      method: 'PATCH',
      path: `${deploymentPath(namespace, name)}/status?fieldManager=${fieldManager}`,
      mediaType: 'application/merge-patch+json',
      body: { metadata: { resourceVersion }, status },
    },
    signal,
  );
  if (answer.status === 409) return 'again';
  if (answer.status === 404) return 'done';
  if (answer.status >= 300) {
    throw new Error(`the status of ${namespace}/${name} answered ${refusalOf(answer)}`);
  }
  if (before?.phase !== status.phase) log.info(facts(resource, status), 'the phase changed');
  return 'done';
}

const facts = ({ metadata }: DeploymentResource, { phase, conditions }: DeploymentStatus) => ({
  name: metadata.name,
  phase,
  reason: conditions[0]?.reason ?? null,
});
