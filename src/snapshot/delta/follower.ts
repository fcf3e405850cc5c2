// Follows a published snapshot by deltas. Each delta is verified by the roots of its base and of its
// result before anything changes.

import { plainly, problemText } from '../../lib/plain-issue.ts';
import { refuse } from '../../lib/refusal.ts';
import type { Refusal } from '../../lib/refusal.ts';
import type { Steps } from '../../lib/steps.ts';
import type { CompiledSnapshot } from '../compile.ts';
import type { Snapshot } from '../schema.ts';
import { isReceivedSnapshot, receivedDelta, snapshotDelta } from './delta.ts';
import type { ReceivedDelta, SnapshotDelta } from './delta.ts';
import { configHashOf, digestSteps, movedDigests, rootWith } from './digests.ts';
import type { SnapshotDigests } from './digests.ts';
import { holdSnapshot, snapshotOf } from './held.ts';
import type { HeldSnapshot } from './held.ts';
import { applyDelta, lookupsOf } from './recompile.ts';

/** A whole snapshot as it was received, as it was read, and its lookups. */
export type Whole = Readonly<{ received: unknown; snapshot: Snapshot; compiled: CompiledSnapshot }>;

export type Follower = Readonly<{
  /** The root of the held snapshot. Deltas apply to it. */
  root: () => string;
  /** Refuses a delta that does not fit, and then changes nothing. */
  apply: (read: Read) => CompiledSnapshot | Refusal;
  snapshot: () => Snapshot;
}>;

/** Each step digests one page of members, so that requests are served in between. */
export function* followerSteps({ received, snapshot, compiled }: Whole): Steps<Follower> {
  if (!isReceivedSnapshot(received)) throw new Error('the snapshot omits parts with a default');
  let digests = yield* digestSteps(received);
  const held = holdSnapshot(snapshot);
  let lookups = lookupsOf(compiled);
  let root = rootWith(digests.other, { ...held, config_hash: configHashOf(digests) });
  return {
    root: () => root,
    snapshot: () => snapshotOf(held),
    apply: (read) => {
      const moved = verified({ root, held, digests }, read.received);
      if ('refused' in moved) return moved;
      lookups = applyDelta(held, lookups, read.delta);
      digests = moved;
      root = read.delta.root;
      return lookups.compiled;
    },
  };
}

/** A delta as it is applied, and as it was received. */
export type Read = Readonly<{ delta: SnapshotDelta; received: ReceivedDelta }>;

export function readDelta(json: unknown): Read | Refusal {
  const delta = snapshotDelta.safeParse(json, plainly);
  const received = receivedDelta.safeParse(json, plainly);
  if (delta.success && received.success) return { delta: delta.data, received: received.data };
  const problem = delta.error ?? received.error;
  const text = problem === undefined ? '' : `: ${problemText(problem)}`;
  return refuse('invalid', `the delta does not fit this release${text}`);
}

type Base = Readonly<{ root: string; held: HeldSnapshot; digests: SnapshotDigests }>;

function verified({ root, held, digests }: Base, delta: ReceivedDelta): SnapshotDigests | Refusal {
  const { base, version, log, config_hash: told } = delta;
  if (base !== root) {
    return refuse('conflict', `the delta is for snapshot ${base}, but ${root} is held`);
  }
  const moved = movedDigests(digests, delta, (ref) => held.secrets.get(ref));
  const configHash = configHashOf(moved);
  const { schema } = held;
  const result = rootWith(moved.other, { schema, version, log, config_hash: configHash });
  if (configHash === told && result === delta.root) return moved;
  return refuse('conflict', `the delta gives snapshot ${result} instead of ${delta.root}`);
}
