// Appends verified deltas to a sealed file next to the snapshot cache. Each record is bound to its
// chain and to the root of the snapshot that it changes, so that records cannot be moved or reused.
// A record that a crash cut off ends the file.
//
// When the end of a chain is written as a whole snapshot, the file is kept under another name. So
// the snapshot before that, with both files, still leads to the newest.

import { constants } from 'node:fs';
import { open, rename, rm } from 'node:fs/promises';

import { storedDelta } from '../../snapshot/delta/delta.ts';
import type { SnapshotDelta } from '../../snapshot/delta/delta.ts';
import { changeHeld, holdSnapshot, snapshotOf } from '../../snapshot/delta/held.ts';
import { withObservations } from '../../snapshot/health-report.ts';
import type { LogObservation } from '../../snapshot/health-report.ts';
import type { Snapshot } from '../../snapshot/schema.ts';
import { isAbsent, readFile, seal, unseal } from './sealed-file.ts';

/** `seen` are the log positions observed until then. */
export type CachedSnapshot = Readonly<{ snapshot: Snapshot; seen: readonly LogObservation[] }>;

/** `delta` is verified JSON as it was received, and `base` and `root` are its own. */
export type CachedDelta = Readonly<{
  delta: unknown;
  seen: readonly LogObservation[];
}> &
  Pick<SnapshotDelta, 'base' | 'root'>;

/** The snapshot that the first record of a chain changes. Without its root, no record can follow. */
export type SealedBase = Readonly<{ chain: string; root: string | null; bytes: number }>;

type DeltaFile = Readonly<{
  /** The chain that ends with this root. Null if it ends with another. */
  chainTo: (root: string | null) => string | null;
  /** Nothing can be appended until the next `follow`. */
  reset: () => void;
  follow: (base: SealedBase) => void;
  /**
   * Returns false if the whole snapshot must be written: the records are large, or another process
   * wrote to the file.
   */
  append: (change: CachedDelta) => Promise<boolean>;
  /** The snapshot after all records, and why others were refused. */
  read: (
    cached: CachedSnapshot,
    base: SealedBase,
  ) => Promise<Readonly<{ cached: CachedSnapshot; refused: readonly string[] }>>;
  /** Before another whole snapshot replaces the one that the records change. */
  retire: () => Promise<void>;
}>;

const format = Buffer.from('gw-snapshot-deltas-v1\n');
const lengthBytes = 4;
/** Small configurations are not written again for every few changes. */
const deltasBytesMin = 256 * 1024;

type Link = Readonly<{ chain: string; root: string }>;

/**
 * The next record goes to `offset`, and changes the snapshot with this root. A file without `size`
 * bytes was written by another process. Null means any size, before the first record.
 */
type End = Link & Readonly<{ offset: number; bytesMax: number; size: number | null }>;

export function createDeltaFile(path: string, key: Buffer): DeltaFile {
  const previous = `${path}.1`;
  let end: End | null = null;
  return {
    chainTo: (root) => (end?.root === root ? end.chain : null),
    reset: () => void (end = null),
    follow: (base) => void (end = startOf(base)),
    append: async ({ base, root, ...change }) => {
      if (end === null || end.root !== base) return false;
      const { chain, offset, bytesMax, size } = end;
      // A record that fails half written must not be followed by another.
      end = null;
      const sealed = seal(Buffer.from(JSON.stringify(change)), {
        key,
        header: headerOf({ chain, root: base }),
      });
      const bytes = Buffer.concat([...(offset === 0 ? [format] : []), framed(sealed)]);
      if (!(await writeAt(path, bytes, { offset, size }))) return false;
      const next = offset + bytes.length;
      end = { chain, offset: next, root, bytesMax, size: next };
      return next <= bytesMax;
    },
    read: async (cached, base) => {
      end = startOf(base);
      if (end === null) return { cached, refused: [] };
      const earlier = recordsIn(await readFile(previous), key, end);
      const bytes = await readFile(path);
      const found = recordsIn(bytes, key, { ...end, root: earlier.root });
      const { offset, root } = found;
      const length = 'refused' in bytes ? 0 : bytes.length;
      end = { ...end, root, offset, size: offset === 0 ? null : length };
      const isCut = offset > 0 && offset < length;
      const refused = isCut ? [`${path}: cut after ${offset} of ${length} bytes`] : [];
      return { cached: afterAll(cached, [...earlier.records, ...found.records]), refused };
    },
    retire: async () => {
      try {
        await rename(path, previous);
      } catch (error) {
        if (!isAbsent(error)) throw error;
        await rm(previous, { force: true });
      }
    },
  };
}

const startOf = ({ chain, root, bytes }: SealedBase): End | null =>
  root === null
    ? null
    : { offset: 0, chain, root, bytesMax: Math.max(deltasBytesMin, bytes / 2), size: null };

const headerOf = ({ chain, root }: Link): Buffer =>
  Buffer.concat([format, Buffer.from(`${chain}\n${root}`)]);

function framed(sealed: Buffer): Buffer {
  const length = Buffer.alloc(lengthBytes);
  length.writeUInt32BE(sealed.length);
  return Buffer.concat([length, sealed]);
}

/** `root` is that of the snapshot after the records, and `offset` where they end. */
type Found = Readonly<{ records: readonly unknown[]; root: string; offset: number }>;

/** Those up to the first that is incomplete, damaged or of another snapshot. */
function recordsIn(
  bytes: Awaited<ReturnType<typeof readFile>>,
  key: Buffer,
  { chain, root: first }: Link,
): Found {
  const records: unknown[] = [];
  let [root, offset] = [first, 0];
  const isFormat = !('refused' in bytes) && bytes.subarray(0, format.length).equals(format);
  if (!isFormat) return { records, root, offset };
  let at = format.length;
  while (at + lengthBytes <= bytes.length) {
    const to = at + lengthBytes + bytes.readUInt32BE(at);
    if (to > bytes.length) break;
    const plain = unseal(bytes.subarray(at + lengthBytes, to), {
      key,
      header: headerOf({ chain, root }),
    });
    if (plain === null) break;
    const json: unknown = JSON.parse(plain.toString());
    const record = storedDelta.safeParse(json);
    if (!record.success) break;
    records.push(json);
    ({ root } = record.data.delta);
    at = to;
    offset = to;
  }
  return { records, root, offset };
}

function afterAll({ snapshot, seen }: CachedSnapshot, records: readonly unknown[]): CachedSnapshot {
  const held = holdSnapshot(snapshot);
  for (const one of records) changeHeld(held, storedDelta.parse(one).delta);
  const last = records.at(-1);
  return {
    snapshot: snapshotOf(held),
    seen: last === undefined ? seen : withObservations.parse(last).seen,
  };
}

/** Removes what the file had from `offset` on. Returns false, and writes nothing, if it has another size. */
async function writeAt(
  path: string,
  bytes: Buffer,
  { offset, size }: Pick<End, 'offset' | 'size'>,
): Promise<boolean> {
  const { O_RDWR, O_CREAT, O_NOFOLLOW } = constants;
  await using file = await open(path, O_RDWR | O_CREAT | O_NOFOLLOW, 0o600);
  if (size !== null && (await file.stat()).size !== size) return false;
  await file.truncate(offset);
  const { bytesWritten } = await file.write(bytes, 0, bytes.length, offset);
  if (bytesWritten < bytes.length) throw new Error(`${path}: the disk is full`);
  await file.datasync();
  return true;
}
