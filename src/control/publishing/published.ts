// Makes what is published ready to send: the whole snapshot, and deltas from recent ones. Both are
// made for the first proxy that asks, and reused for the others.

import { promisify } from 'node:util';
import { gzip, zstdCompress } from 'node:zlib';

import { composeAll } from '../../snapshot/delta/compose.ts';
import type { SnapshotDelta } from '../../snapshot/delta/delta.ts';
import { deltaBetween } from '../../snapshot/delta/edition.ts';
import type { Edition } from '../../snapshot/delta/edition.ts';
import { snapshotEtag } from '../../snapshot/schema.ts';
import type { Snapshot } from '../../snapshot/schema.ts';

export const contentCodings = ['zstd', 'gzip'] as const;
export type ContentCoding = (typeof contentCodings)[number];

export type Sendable = Readonly<{
  bytes: () => Buffer;
  /** True once someone asked for the bytes. */
  isMade: () => boolean;
  /** Null if compression would save next to nothing. */
  encoded: (coding: ContentCoding) => Promise<Buffer> | null;
}>;

export type Published = Readonly<{
  snapshot: Snapshot;
  etag: string;
  root: string;
  /** The serialized snapshot. */
  body: () => Buffer;
  whole: Sendable;
  /** Null if the base is unknown or too old. */
  deltaFrom: (base: string) => Sendable | null;
}>;

/** Deltas that lead to the newest edition, oldest first. Each starts where the one before it ends. */
export type DeltaHistory = readonly SnapshotDelta[];

const deltasMax = 1_000;
/** Bounds the memory of the history, and the time to merge it. A proxy with an older snapshot gets a whole one. */
const membersMax = 5_000;

export function nextHistory(history: DeltaHistory, before: Edition, next: Edition): DeltaHistory {
  const all = [...history, deltaBetween(before, next)].slice(-deltasMax);
  let members = 0;
  const tooOld = all.findLastIndex((delta) => (members += sizeOf(delta)) > membersMax);
  return all.slice(tooOld + 1);
}

const sizeOf = ({ config, overlay }: SnapshotDelta): number =>
  [...Object.values(config), overlay.budgets].reduce(
    (sum, change) => sum + (change === undefined ? 0 : change.set.length + change.removed.length),
    1,
  );

export function toPublished({ snapshot, root }: Edition, history: DeltaHistory): Published {
  const whole = sendable(() => snapshot);
  const deltas = new Map<string, Sendable>();
  return {
    snapshot,
    etag: snapshotEtag(snapshot),
    root,
    body: whole.bytes,
    whole,
    deltaFrom: (base) => {
      const held = deltas.get(base);
      if (held !== undefined) return held;
      const from = history.findLastIndex((delta) => delta.base === base);
      if (from === -1) return null;
      const made = sendable(() => composeAll(history.slice(from)));
      deltas.set(base, made);
      return made;
    },
  };
}

const compressors = { zstd: promisify(zstdCompress), gzip: promisify(gzip) } as const;
const compressedBytesMin = 1_024;

function sendable(make: () => unknown): Sendable {
  let body: Buffer | null = null;
  const encodings = new Map<ContentCoding, Promise<Buffer>>();
  const bytes = (): Buffer => (body ??= Buffer.from(JSON.stringify(make())));
  return {
    bytes,
    isMade: () => body !== null,
    encoded: (coding) => {
      const held = encodings.get(coding);
      if (held !== undefined) return held;
      if (bytes().length < compressedBytesMin) return null;
      const made = compressors[coding](bytes());
      encodings.set(coding, made);
      return made;
    },
  };
}
