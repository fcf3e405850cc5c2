// Writes a segment and its manifest to the target, or finds that the target has them.

import type { Manifest, SegmentName } from './manifest.ts';
import {
  isSame,
  manifest,
  manifestBytes,
  namesOf,
  sha256,
  Tally,
  talliedColumns,
} from './manifest.ts';
import { readSegment } from './parquet.ts';
import type { Target } from './target/target.ts';

export type Stored = Readonly<{ manifest: Manifest; digest: string }>;

export type Made = Readonly<{ name: SegmentName; bytes: Uint8Array; tally: Tally }>;
type Archive = Readonly<{ target: Target; logId: string }>;

/** Null if the target has another segment of this name. Equal bytes are from an earlier attempt. */
export async function storeSegment(
  { target, logId }: Archive,
  { name, bytes, tally }: Made,
): Promise<Stored | null> {
  const { segment } = namesOf(name);
  if (!(await target.write(segment, bytes))) {
    const held = await target.read(segment);
    if (held === null) throw new Error(`${segment} exists, but cannot be read`);
    if (sha256(held) !== sha256(bytes)) return null;
  }
  return storeManifest(target, tally.describe(name, bytes, logId));
}

/** A segment that the log does not have: of a crash, or of after the backup that was restored. */
export async function adoptSegment({ target, logId }: Archive, name: SegmentName): Promise<Stored> {
  const names = namesOf(name);
  const bytes = await target.read(names.segment);
  if (bytes === null) throw new Error(`${names.segment} exists, but cannot be read`);
  return storeManifest(target, await describeSegment({ logId, name, bytes }));
}

type Described = Readonly<{ logId: string; name: SegmentName; bytes: Uint8Array }>;

/** Throws if it is not a whole Parquet file. */
export const describeSegment = async ({ logId, name, bytes }: Described): Promise<Manifest> =>
  (await tallyOf(name, bytes)).describe(name, bytes, logId);

async function storeManifest(target: Target, described: Manifest): Promise<Stored> {
  const { manifest: name } = namesOf({ ...described, hour: new Date(described.hour) });
  const bytes = manifestBytes(described);
  if (await target.write(name, bytes)) return { manifest: described, digest: sha256(bytes) };
  const file = await target.read(name);
  if (file === null) throw new Error(`${name} exists, but cannot be read`);
  const held = readManifest(name, file);
  if (held.log_id !== described.log_id) {
    throw new Error(
      `${name} belongs to event log ${held.log_id}, not ${described.log_id}: set --usage-archive to a place of its own`,
    );
  }
  if (!isSame(held, described)) {
    throw new Error(`${name} does not describe its segment: someone changed the archive`);
  }
  return { manifest: held, digest: sha256(file) };
}

export function readManifest(name: string, bytes: Uint8Array): Manifest {
  try {
    return manifest.parse(JSON.parse(new TextDecoder().decode(bytes)));
  } catch (cause) {
    throw new Error(`${name} is not a manifest of gw`, { cause });
  }
}

/** Adds up the rows of a segment. Throws if it is not a whole Parquet file. */
export async function tallyOf(name: SegmentName, bytes: Uint8Array): Promise<Tally> {
  const tally = new Tally(name.dataset);
  try {
    for await (const rows of readSegment(bytes, talliedColumns[name.dataset])) {
      for (const row of rows) tally.add(row);
    }
  } catch (cause) {
    throw new Error(`${namesOf(name).segment} is not a whole Parquet file`, { cause });
  }
  return tally;
}
