// Decides who leads, from the record of a Lease in the format of client-go (coordination.k8s.io/v1). Its times are informative: other
// candidates measure with their own clock how long the record has not changed.

import { z } from 'zod';

import { toRfc3339 } from '../lib/clock.ts';

const leaseObject = z.looseObject({
  metadata: z.looseObject({ resourceVersion: z.string() }),
  spec: z
    .looseObject({
      holderIdentity: z.string().nullish(),
      leaseDurationSeconds: z.int().nullish(),
      acquireTime: z.string().nullish(),
      leaseTransitions: z.int().nullish(),
    })
    .prefault({}),
});
export type LeaseObject = Readonly<z.output<typeof leaseObject>>;

export const readLease = (body: unknown): LeaseObject | null =>
  leaseObject.safeParse(body).data ?? null;

/** `seenForMs`: how long the record has not changed. */
export function claimOf(
  { spec }: LeaseObject,
  { self, seenForMs }: Readonly<{ self: string; seenForMs: number }>,
): 'renew' | 'take' | 'wait' {
  const holder = spec.holderIdentity ?? '';
  if (holder === self) return 'renew';
  if (holder === '' || seenForMs >= (spec.leaseDurationSeconds ?? 0) * 1000) return 'take';
  return 'wait';
}

export type Holder = Readonly<{ name: string; namespace: string; self: string; seconds: number }>;

/** `held` is null before the first leader. */
export function claimed(
  { name, namespace, self, seconds }: Holder,
  held: LeaseObject | null,
  nowMs: number,
) {
  const now = microTime(nowMs);
  const isRenewal = held?.spec.holderIdentity === self;
  const transitions = held?.spec.leaseTransitions ?? 0;
  return {
    ...headOf({ name, namespace }, held),
    spec: {
      holderIdentity: self,
      leaseDurationSeconds: seconds,
      acquireTime: isRenewal ? (held.spec.acquireTime ?? now) : now,
      renewTime: now,
      leaseTransitions: held === null || isRenewal ? transitions : transitions + 1,
    },
  };
}

/** No holder, so that the next leader does not wait. */
export const released = (
  place: Pick<Holder, 'name' | 'namespace'>,
  held: LeaseObject,
  nowMs: number,
) => ({
  ...headOf(place, held),
  spec: {
    holderIdentity: '',
    leaseDurationSeconds: 1,
    acquireTime: microTime(nowMs),
    renewTime: microTime(nowMs),
    leaseTransitions: held.spec.leaseTransitions ?? 0,
  },
});

const headOf = (place: Pick<Holder, 'name' | 'namespace'>, held: LeaseObject | null) => ({
  apiVersion: 'coordination.k8s.io/v1',
  kind: 'Lease',
  metadata: {
    ...place,
    ...(held === null ? {} : { resourceVersion: held.metadata.resourceVersion }),
  },
});

/** A MicroTime has six decimal digits. */
const microTime = (ms: number): string => toRfc3339(ms).replace(/Z$/, '000Z');
