// Decides the next write from desired and existing objects alone, so that a restarted operator continues where it stopped.

import type { DeploymentResource } from '../kubernetes/gw-deployment.ts';
import type { Desired, Wanted } from './desired.ts';
import { isAsWanted, isOwnedBy, keyOf, referenceOf, rolloutOf } from './held.ts';
import type { Held, HeldObject } from './held.ts';
import { templateAnnotation } from './kinds.ts';
import type { Manifest, Reference } from './kinds.ts';

export type Write =
  | Readonly<{ do: 'apply'; of: Reference; manifest: Manifest }>
  | Readonly<{ do: 'delete'; of: Reference; uid: string; resourceVersion: string }>;

type Owner = Pick<DeploymentResource['metadata'], 'uid'>;
export type Seen = Readonly<{ owner: Owner; desired: Desired; held: Held }>;

/** `done`: the objects written in this pass, each at most once. `isBootstrapped`: the first login exists. */
export function nextWrite(
  seen: Seen,
  { done, isBootstrapped }: Readonly<{ done: ReadonlySet<string>; isBootstrapped: boolean }>,
): Write | null {
  const { desired, held, owner } = seen;
  for (const wanted of desired.wanted) {
    const of = referenceOf(wanted.manifest);
    const there = held.get(keyOf(of));
    if (done.has(keyOf(of)) || !isDue(seen, wanted)) continue;
    if (wanted.isOnce && (there !== undefined || isBootstrapped)) continue;
    if (there === undefined) return { do: 'apply', of, manifest: scaled(seen, wanted) };
    if (!isOurs(there, owner) || isAsWanted(there, wanted.manifest)) continue;
    return { do: 'apply', of, manifest: over(there, scaled(seen, wanted)) };
  }
  for (const of of desired.unwanted) {
    const there = held.get(keyOf(of));
    if (there === undefined || done.has(keyOf(of)) || !isOurs(there, owner)) continue;
    const { uid, resourceVersion } = there.metadata;
    return { do: 'delete', of, uid, resourceVersion };
  }
  return null;
}

/** Waits for objects that are being deleted. */
const isOurs = (there: HeldObject, { uid }: Owner): boolean =>
  isOwnedBy(there, uid) && there.metadata.deletionTimestamp === undefined;

const over = (there: HeldObject, manifest: Manifest): Manifest => ({
  ...manifest,
  metadata: { ...manifest.metadata, resourceVersion: there.metadata.resourceVersion },
});

/** Control plane before proxies: writes that roll out proxies wait; scaling does not. */
function isDue({ desired, held, owner }: Seen, { waitsFor }: Wanted): boolean {
  switch (waitsFor) {
    case 'nothing':
      return true;
    case 'control':
      return isControlReady({ desired, held, owner });
    case 'proxies':
      return (
        templateOf(held.get(keyOf(desired.proxies))) === desired.proxyTemplate ||
        isControlReady({ desired, held, owner })
      );
  }
}

const templateOf = (there: HeldObject | undefined): string | undefined =>
  there?.metadata.annotations[templateAnnotation];

/** True if all pods run the desired template and are available. */
export function isControlReady({ desired, held }: Seen): boolean {
  const key = keyOf(desired.control);
  const there = held.get(key);
  const wanted = desired.wanted.find(({ manifest }) => keyOf(referenceOf(manifest)) === key);
  if (there === undefined || wanted === undefined) return false;
  return isAsWanted(there, wanted.manifest) && rolloutOf(there).isDone;
}

/** Under an autoscaler, the current number of replicas within the bounds. */
function scaled({ desired, held }: Seen, { manifest }: Wanted): Manifest {
  if (desired.scaled === null || keyOf(referenceOf(manifest)) !== keyOf(desired.proxies)) {
    return manifest;
  }
  const { from, to } = desired.scaled;
  const there = held.get(keyOf(desired.proxies))?.spec?.replicas ?? from;
  return {
    ...manifest,
    spec: { ...manifest.spec, replicas: Math.min(to, Math.max(from, there)) },
  };
}

/** Objects with the deployment's names that another owner created. They are not touched. */
export const strangersIn = ({ desired, held, owner }: Seen): readonly Reference[] =>
  desired.wanted
    .map(({ manifest }) => referenceOf(manifest))
    .filter((of) => {
      const there = held.get(keyOf(of));
      return there !== undefined && !isOwnedBy(there, owner.uid);
    });

export const isWritten = (seen: Seen): boolean =>
  seen.desired.wanted.every(({ manifest, isOnce }) => {
    const there = seen.held.get(keyOf(referenceOf(manifest)));
    return isOnce || (there !== undefined && isAsWanted(there, manifest));
  });
