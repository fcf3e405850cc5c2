// Makes what is published ready to send: the whole snapshot, and deltas from recent ones. Both are
// made for the first proxy that asks, and reused for the others.

import { promisify } from 'node:util';
import { gzip, zstdCompress } from 'node:zlib';

import type { SnapshotDelta } from '../../snapshot/delta/delta.ts';
import type { Edition } from '../../snapshot/delta/edition.ts';
import { wholeOf } from '../../snapshot/paged.ts';
import { snapshotEtag } from '../../snapshot/schema.ts';
import type { Snapshot } from '../../snapshot/schema.ts';

export const contentCodings = ['zstd', 'gzip'] as const;
export type ContentCoding = (typeof contentCodings)[number];

export type Sendable = Readonly<{
  bytes: Buffer;
  /** Null if compression would save next to nothing. */
  encoded: (coding: ContentCoding) => Promise<Buffer> | null;
}>;

export type Published = Readonly<{
  edition: Edition;
  /** From the snapshot that was published before. Null after a start. */
  delta: SnapshotDelta | null;
  version: number;
  etag: string;
  root: string;
  /** Copies all pages when it is first read. */
  snapshot: Snapshot;
}>;

export function toPublished(edition: Edition, delta: SnapshotDelta | null): Published {
  let snapshot: Snapshot | null = null;
  return {
    edition,
    delta,
    version: edition.version,
    etag: snapshotEtag(edition),
    root: edition.root,
    get snapshot() {
      return (snapshot ??= wholeOf(edition));
    },
  };
}

const compressors = { zstd: promisify(zstdCompress), gzip: promisify(gzip) } as const;
const compressedBytesMin = 1_024;

/** Compresses once for each coding. */
export function toSendable(bytes: Buffer): Sendable {
  const encodings = new Map<ContentCoding, Promise<Buffer>>();
  return {
    bytes,
    encoded: (coding) => {
      const held = encodings.get(coding);
      if (held !== undefined) return held;
      if (bytes.length < compressedBytesMin) return null;
      const made = compressors[coding](bytes);
      encodings.set(coding, made);
      return made;
    },
  };
}
