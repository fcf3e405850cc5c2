// Numbers the snapshots that a control plane publishes by their roots, and makes the deltas between
// them. The digests of each edition come from the one before it.

import { inOneGo } from '../../lib/steps.ts';
import { secretsIn } from '../paged.ts';
import type { PagedSnapshot } from '../paged.ts';
import { changesBetween } from './between.ts';
import type { SnapshotDelta } from './delta.ts';
import { movedOther, otherDigestSteps, rootWith } from './digests.ts';
import type { OtherDigests } from './digests.ts';

export type Edition = PagedSnapshot & Readonly<{ root: string; other: OtherDigests }>;

/** Computes all digests. */
export function firstEdition(snapshot: PagedSnapshot): Edition {
  const other = inOneGo(otherDigestSteps(secretsIn(snapshot), snapshot));
  return { ...snapshot, other, root: rootWith(other, snapshot) };
}

export type Followed = Readonly<{ edition: Edition; delta: SnapshotDelta }>;

/** `before` is any earlier edition of the same log. */
export function followedBy(before: Edition, next: PagedSnapshot): Followed {
  const { changes, secretBefore } = changesBetween(before, next);
  const other = movedOther(before.other, changes, secretBefore);
  const root = rootWith(other, next);
  return {
    edition: { ...next, other, root },
    delta: { base: before.root, root, ...changes },
  };
}
