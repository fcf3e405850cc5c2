// Appends verified deltas to a sealed file next to the snapshot cache. Each record is bound to the
// one before it, and the first to the cached snapshot, so that records cannot be moved or reused. A
// record that a crash cut off ends the file.

import { constants } from 'node:fs';
import { open } from 'node:fs/promises';

import { storedDelta } from '../../snapshot/delta/delta.ts';
import { changeHeld, holdSnapshot, snapshotOf } from '../../snapshot/delta/held.ts';
import { withObservations } from '../../snapshot/health-report.ts';
import type { LogObservation } from '../../snapshot/health-report.ts';
import type { Snapshot } from '../../snapshot/schema.ts';
import { readFile, seal, tagOf, unseal } from './sealed-file.ts';

/** `seen` are the log positions observed until then. */
export type CachedSnapshot = Readonly<{ snapshot: Snapshot; seen: readonly LogObservation[] }>;

/** `delta` is the received JSON. */
export type CachedDelta = Readonly<{ delta: unknown; seen: readonly LogObservation[] }>;

/** The sealed snapshot that the first record follows. */
export type SealedBase = Readonly<{ tag: Buffer; bytes: number }>;

type DeltaFile = Readonly<{
  /** Nothing can be appended until the next `follow`. */
  reset: () => void;
  follow: (base: SealedBase) => void;
  append: (change: CachedDelta) => Promise<boolean>;
  /** The snapshot after all records, and why others were refused. */
  read: (
    cached: CachedSnapshot,
    base: SealedBase,
  ) => Promise<Readonly<{ cached: CachedSnapshot; refused: readonly string[] }>>;
}>;

const format = Buffer.from('gw-snapshot-deltas-v1\n');
const lengthBytes = 4;
/** Small configurations are not written again for every few changes. */
const deltasBytesMin = 256 * 1024;

/**
 * The next record goes to `offset`. `tag` is that of the record before it. A file without `size`
 * bytes was written by another process. Null means any size, before the first record.
 */
type End = Readonly<{ offset: number; tag: Buffer; bytesMax: number; size: number | null }>;

export function createDeltaFile(path: string, key: Buffer): DeltaFile {
  let end: End | null = null;
  return {
    reset: () => void (end = null),
    follow: (base) => void (end = startOf(base)),
    append: async (change) => {
      if (end === null || end.offset > end.bytesMax) return false;
      const { tag, offset, bytesMax, size } = end;
      // A record that fails half written must not be followed by another.
      end = null;
      const sealed = seal(Buffer.from(JSON.stringify(change)), { key, header: headerAfter(tag) });
      const bytes = Buffer.concat([...(offset === 0 ? [format] : []), framed(sealed)]);
      if (!(await writeAt(path, bytes, { offset, size }))) return false;
      const next = offset + bytes.length;
      end = { offset: next, tag: tagOf(sealed), bytesMax, size: next };
      return true;
    },
    read: async (cached, base) => {
      end = startOf(base);
      const bytes = await readFile(path);
      const isFormat = !('refused' in bytes) && bytes.subarray(0, format.length).equals(format);
      if (!isFormat) return { cached, refused: [] };
      const found = recordsIn(bytes, { key, end });
      if (found.end.offset === 0) return { cached, refused: [] };
      end = { ...found.end, size: bytes.length };
      const { offset } = found.end;
      const isCut = offset < bytes.length;
      const refused = isCut ? [`${path}: cut after ${offset} of ${bytes.length} bytes`] : [];
      return { cached: afterAll(cached, found.records), refused };
    },
  };
}

const startOf = ({ tag, bytes }: SealedBase): End => ({
  offset: 0,
  tag,
  bytesMax: Math.max(deltasBytesMin, bytes / 2),
  size: null,
});

const headerAfter = (tag: Buffer): Buffer => Buffer.concat([format, tag]);

function framed(sealed: Buffer): Buffer {
  const length = Buffer.alloc(lengthBytes);
  length.writeUInt32BE(sealed.length);
  return Buffer.concat([length, sealed]);
}

type Found = Readonly<{ records: readonly unknown[]; end: End }>;

/** Those up to the first that is incomplete, damaged or of another snapshot. */
function recordsIn(bytes: Buffer, { key, end }: Readonly<{ key: Buffer; end: End }>): Found {
  const records: unknown[] = [];
  let { offset, tag } = end;
  let at = format.length;
  while (at + lengthBytes <= bytes.length) {
    const to = at + lengthBytes + bytes.readUInt32BE(at);
    if (to > bytes.length) break;
    const sealed = bytes.subarray(at + lengthBytes, to);
    const plain = unseal(sealed, { key, header: headerAfter(tag) });
    if (plain === null) break;
    const json: unknown = JSON.parse(plain.toString());
    if (!storedDelta.safeParse(json).success) break;
    records.push(json);
    tag = tagOf(sealed);
    at = to;
    offset = to;
  }
  return { records, end: { ...end, offset, tag } };
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
