// Reads the parts of the cluster's objects that the operator needs, and compares them with the desired ones.

import { z } from 'zod';

import { desiredAnnotation } from './kinds.ts';
import type { Json, JsonObject, Manifest, Reference } from './kinds.ts';

const count = z.int().default(0);

const heldObject = z.looseObject({
  metadata: z.looseObject({
    uid: z.string(),
    resourceVersion: z.string(),
    generation: count,
    deletionTimestamp: z.string().optional(),
    annotations: z.record(z.string(), z.string()).default({}),
    ownerReferences: z.array(z.looseObject({ uid: z.string() })).default([]),
  }),
  spec: z.looseObject({ replicas: z.int().optional() }).optional(),
  status: z
    .looseObject({
      observedGeneration: count,
      replicas: count,
      updatedReplicas: count,
      availableReplicas: count,
      /** Only on a Job. */
      succeeded: count,
      conditions: z
        .array(
          z.looseObject({
            type: z.string(),
            status: z.string(),
            reason: z.string().default(''),
            message: z.string().default(''),
          }),
        )
        .default([]),
    })
    .prefault({}),
});
export type HeldObject = Readonly<z.output<typeof heldObject>>;

/** Null for an invalid object. */
export const readHeld = (body: unknown): HeldObject | null =>
  heldObject.safeParse(body).data ?? null;

/** Existing objects by `keyOf`. */
export type Held = ReadonlyMap<string, HeldObject>;
export const keyOf = ({ kind, name }: Reference): string => `${kind} ${name}`;
export const referenceOf = ({ kind, metadata }: Manifest): Reference => ({
  kind,
  name: metadata.name,
});

export const isOwnedBy = ({ metadata }: HeldObject, uid: string): boolean =>
  metadata.ownerReferences.some((owner) => owner.uid === uid);

/** True if the object has all desired fields and carries this manifest's annotation. */
export const isAsWanted = (held: HeldObject, manifest: Manifest): boolean =>
  held.metadata.annotations[desiredAnnotation] ===
    manifest.metadata.annotations[desiredAnnotation] && hasAll(held, manifest);

/**
 * True if `held` has every member of `wanted`. Ignores additional fields of the API server or
 * another manager, and additional items in lists of named items.
 */
export function hasAll(held: unknown, wanted: Json | JsonObject | Manifest): boolean {
  if (Array.isArray(wanted)) return Array.isArray(held) && hasItems(held, wanted);
  if (typeof wanted !== 'object' || wanted === null) return held === wanted;
  if (typeof held !== 'object' || held === null) return Object.keys(wanted).length === 0;
  return Object.entries(wanted).every(([name, value]) => hasAll(Reflect.get(held, name), value));
}

function hasItems(held: readonly unknown[], wanted: readonly Json[]): boolean {
  const names = wanted.map(itemName);
  if (names.some((name) => name === undefined)) {
    return held.length === wanted.length && wanted.every((item, at) => hasAll(held[at], item));
  }
  return wanted.every((item, at) => {
    const found = held.find((other) => itemName(other) === names[at]);
    return found !== undefined && hasAll(found, item);
  });
}

const itemName = (item: unknown): unknown =>
  typeof item === 'object' && item !== null ? Reflect.get(item, 'name') : undefined;

export type Rollout = Readonly<{
  /** True if every pod has the desired template and is available. */
  isDone: boolean;
  available: number;
  wanted: number;
  /** The reason for a failure of the Job, or null. */
  stuck: string | null;
}>;

export function rolloutOf(held: HeldObject | undefined): Rollout {
  if (held === undefined) return { isDone: false, available: 0, wanted: 0, stuck: null };
  const { metadata, spec, status } = held;
  const wanted = spec?.replicas ?? 1;
  const { replicas, updatedReplicas, availableReplicas: available } = status;
  const isSeen = status.observedGeneration >= metadata.generation;
  const isUpdated = updatedReplicas >= wanted && replicas === updatedReplicas;
  const stuck = status.conditions.find(
    ({ type, reason }) => type === 'Progressing' && reason === 'ProgressDeadlineExceeded',
  );
  return {
    isDone: isSeen && isUpdated && available >= wanted,
    available,
    wanted,
    stuck: isSeen ? (stuck?.message ?? null) : null,
  };
}
