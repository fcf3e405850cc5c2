// Builds a segment in memory from rows of the database. Equal rows give equal bytes.

import { setImmediate } from 'node:timers/promises';

import type { ArchivedRow, Dataset } from '../../src/db/usage/archive/archive-rows.ts';
import type { ArchivePlace } from '../../src/db/usage/archive/archive-state.ts';
import { namesOf, Tally } from './manifest.ts';
import { readSegment, SegmentWriter } from './parquet.ts';
import type { Target } from './target/target.ts';

export type Bounds = Readonly<{
  /** Bounds the memory of a segment, and how long it takes. */
  segmentRows?: number;
  /** A segment ends with the page that reaches this size. */
  segmentBytes?: number;
  /** A page is encoded at once, while the process does nothing else. */
  pageRows?: number;
}>;

const segmentRowsMax = 250_000;
const segmentBytesMax = 32 * 1024 * 1024;
const pageRowsMax = 10_000;

export type Source = Readonly<{
  dataset: Dataset;
  hour: Date;
  /** Segments whose rows are left out. */
  adopted: readonly number[];
  /** Rows after a place. Rows of a later hour end the segment. */
  page: (place: ArchivePlace | null, limit: number) => Promise<ArchivedRow[]>;
  place: ArchivePlace | null;
}>;

export type Built = Readonly<{
  bytes: Uint8Array;
  tally: Tally;
  /** That of the last row that was read. Null if there was none. */
  place: ArchivePlace | null;
}>;

export async function buildSegment(
  target: Target,
  source: Source,
  {
    segmentRows = segmentRowsMax,
    segmentBytes = segmentBytesMax,
    pageRows = pageRowsMax,
  }: Bounds = {},
): Promise<Built> {
  const { dataset, hour } = source;
  const excluded = await adoptedKeys(target, source);
  const writer = new SegmentWriter(dataset);
  const tally = new Tally(dataset);
  let place: ArchivePlace | null = null;
  while (tally.rows === 0 || (tally.rows < segmentRows && writer.byteLength() < segmentBytes)) {
    const limit = Math.min(pageRows, segmentRows - tally.rows);
    const page = await source.page(place ?? source.place, limit);
    const own = page.filter((row) => hourOf(row).getTime() === hour.getTime());
    const kept = own.filter((row) => !excluded.has(keyOf(dataset, row)));
    if (kept.length > 0) writer.add(kept);
    for (const row of kept) tally.add(row);
    const last = own.at(-1);
    if (last !== undefined) place = placeOf(dataset, last);
    if (own.length < limit) break;
    await setImmediate();
  }
  return { bytes: writer.finish(), tally, place };
}

const hourMs = 3_600_000;
export const hourOf = ({ at }: ArchivedRow): Date =>
  new Date(Math.floor(Number(at) / 1000 / hourMs) * hourMs);

function placeOf(dataset: Dataset, row: ArchivedRow): ArchivePlace {
  const at = String(row['place_at']);
  if (dataset === 'usage') return { at, id: String(row['id']) };
  return { at, id: String(row['usage_id']), currency: String(row['currency']) };
}

/** A restored log can give another recomputation the same id, so the amounts count too. */
const keyOf = (dataset: Dataset, row: Readonly<Record<string, unknown>>): string =>
  dataset === 'usage'
    ? String(row['id'])
    : JSON.stringify(archivedKey.map((column) => row[column]));

const archivedKey = [
  'reprice_id',
  'usage_id',
  'currency',
  'delta_micros',
  'estimated_delta_micros',
] as const;

/** The rows that adopted segments have. Few hours have such segments. */
async function adoptedKeys(
  target: Target,
  { dataset, hour, adopted }: Source,
): Promise<ReadonlySet<string>> {
  const keys = new Set<string>();
  const columns = dataset === 'usage' ? ['id'] : archivedKey;
  for (const segment of adopted) {
    const { segment: name } = namesOf({ dataset, hour, segment });
    const bytes = await target.read(name);
    if (bytes === null) throw new Error(`${name} is missing in the archive`);
    for await (const rows of readSegment(bytes, columns)) {
      for (const row of rows) keys.add(keyOf(dataset, row));
    }
  }
  return keys;
}
