// Keeps the last deltas, so that a proxy with a recent snapshot gets only what changed since.

import { composeAll } from '../../snapshot/delta/compose.ts';
import type { SnapshotDelta } from '../../snapshot/delta/delta.ts';
import type { Clock } from '../../lib/clock.ts';
import { toSendable } from './published.ts';
import type { Sendable } from './published.ts';

export type DeltaHistory = Readonly<{
  /** The delta must start where the last one ended. */
  add: (delta: SnapshotDelta) => void;
  /** From this root to the newest. Null if the root is unknown or too old. */
  from: (base: string) => Sendable | null;
  /** Removes old deltas, which may contain secrets that were replaced since. */
  expire: () => void;
  clear: () => void;
}>;

const deltasMax = 1_000;
/** Bounds the memory of the history, and the time to merge it. */
const bytesMax = 2 * 1024 * 1024;
const ageMaxMs = 10 * 60 * 1000;
/** Merged deltas that are kept for other proxies with the same base. */
const mergedMax = 64;

type Entry = Readonly<{ delta: SnapshotDelta; body: Buffer; at: number }>;

export function createDeltaHistory(clock: Clock): DeltaHistory {
  /** Oldest first. Each starts where the one before it ends. */
  let entries: readonly Entry[] = [];
  /** By base. */
  let made = new Map<string, Sendable>();
  const clear = (): void => {
    entries = [];
    made = new Map();
  };
  return {
    clear,
    add: (delta) => {
      const body = bytesOf(delta);
      entries = bounded([...entries, { delta, body, at: clock() }]);
      made = new Map([[delta.base, toSendable(body)]]);
    },
    from: (base) => {
      const held = made.get(base);
      if (held !== undefined) return held;
      const first = entries.findLastIndex(({ delta }) => delta.base === base);
      if (first === -1) return null;
      const merged = toSendable(bytesOf(composeAll(entries.slice(first).map((one) => one.delta))));
      if (made.size < mergedMax) made.set(base, merged);
      return merged;
    },
    expire: () => {
      const [oldest] = entries;
      if (oldest === undefined || clock() - oldest.at <= ageMaxMs) return;
      entries = entries.filter(({ at }) => clock() - at <= ageMaxMs);
      made = new Map();
    },
  };
}

const bytesOf = (delta: SnapshotDelta): Buffer => Buffer.from(JSON.stringify(delta));

/** The newest one stays, whatever its size. */
function bounded(entries: readonly Entry[]): readonly Entry[] {
  const recent = entries.slice(-deltasMax);
  let bytes = 0;
  const tooOld = recent.findLastIndex(({ body }) => (bytes += body.length) > bytesMax);
  return recent.slice(Math.min(tooOld + 1, recent.length - 1));
}
