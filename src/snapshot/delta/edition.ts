// Numbers the snapshots that a control plane publishes by their roots, and makes the deltas between
// them. The digests of each edition come from the one before it.

import { inOneGo } from '../../lib/steps.ts';
import type { Snapshot } from '../schema.ts';
import { changesBetween } from './between.ts';
import type { Readable } from './between.ts';
import type { SnapshotDelta } from './delta.ts';
import { movedOther, otherDigestSteps, rootWith } from './digests.ts';
import type { OtherDigests } from './digests.ts';

export type Edition = Readable & Readonly<{ root: string; other: OtherDigests }>;

/** `before` is any earlier edition of the same log; null computes all digests. */
export function nextEdition(before: Edition | null, next: Readable): Edition {
  const other = before === null ? allDigests(next.snapshot) : digestsAfter(before, next);
  return { ...next, other, root: rootWith(other, next.snapshot) };
}

const allDigests = (snapshot: Snapshot): OtherDigests => inOneGo(otherDigestSteps(snapshot));

const digestsAfter = (before: Edition, next: Readable): OtherDigests =>
  movedOther(before.other, changesBetween(before, next), (ref) => before.snapshot.secrets[ref]);

export const deltaBetween = (base: Edition, next: Edition): SnapshotDelta => ({
  base: base.root,
  root: next.root,
  ...changesBetween(base, next),
});
