// Archives the rows of one hour, or the corrections of one recomputation of costs, in segments. Each
// step can be repeated: a segment is written, then its manifest, then the event that names both.

import { randomUUID } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';

import type { Queryable } from '@databases/pg';

import { archivePage, correctionPage } from '../../src/db/usage/archive/archive-rows.ts';
import type { ArchivedRow, Dataset } from '../../src/db/usage/archive/archive-rows.ts';
import {
  addSegment,
  beginHour,
  correctionsPlace,
  finishCorrections,
  finishHour,
  moveCorrections,
  moveHour,
  readHour,
} from '../../src/db/usage/archive/archive-state.ts';
import type { ArchivedHour, ArchivePlace } from '../../src/db/usage/archive/archive-state.ts';
import type { ControlPlane } from '../../src/control/plane.ts';
import type { Clock } from '../../src/lib/clock.ts';
import { isRefusal, refuse } from '../../src/lib/refusal.ts';
import { namesOf, Tally } from './manifest.ts';
import { readSegment, SegmentWriter } from './parquet.ts';
import type { Target } from './target/target.ts';
import { adoptSegment, storeSegment } from './write-segment.ts';
import type { Stored } from './write-segment.ts';

export type Archiving = Readonly<{
  plane: Pick<ControlPlane, 'db' | 'reports' | 'execute'>;
  target: Target;
  logId: string;
  clock: Clock;
  /** False if the next segment must wait for another run. */
  proceed?: () => Promise<boolean>;
  /** Bounds the memory of a segment. */
  segmentRows?: number;
  /** A page is encoded at once, while the process does nothing else. */
  pageRows?: number;
}>;

const segmentRowsMax = 250_000;
const pageRowsMax = 10_000;

/** The rows of a segment, and what its transaction stores. */
type Source = Readonly<{
  dataset: Dataset;
  hour: Date;
  held: ArchivedHour;
  /** Rows after a place. Rows of a later hour end the segment. */
  page: (place: ArchivePlace | null, limit: number) => Promise<ArchivedRow[]>;
  place: ArchivePlace | null;
  /** Stores the last row that is in the archive. */
  move: (tx: Queryable, place: ArchivePlace) => Promise<unknown>;
}>;

/** Archives the rows of the hour up to a closed generation. */
export async function archiveHour(
  archiving: Archiving,
  { hour, generation }: Readonly<{ hour: Date; generation: number }>,
): Promise<void> {
  const { db, reports } = archiving.plane;
  while (await mayProceed(archiving)) {
    const held = await beginHour(db, { hour, generation });
    const doing = held.doing ?? generation;
    const generations = [held.done, doing] as const;
    const isMore = await archiveNext(archiving, {
      dataset: 'usage',
      hour,
      held,
      page: (place, limit) => archivePage(reports, { hour, generations, place, limit }),
      place: held.place,
      move: (tx, place) => moveHour(tx, { hour, doing, place }),
    });
    if (isMore) continue;
    return finishHour(db, { hour, doing, at: new Date(archiving.clock()) });
  }
}

const mayProceed = async ({ proceed }: Archiving): Promise<boolean> => (await proceed?.()) ?? true;

/** Archives all corrections of a recomputation of costs. */
export async function archiveCorrections(archiving: Archiving, id: number): Promise<void> {
  const { db, reports } = archiving.plane;
  while (await mayProceed(archiving)) {
    const place = await correctionsPlace(db, id);
    const page: Source['page'] = (after, limit) =>
      correctionPage(reports, { id, place: after, limit });
    const [first] = await page(place, 1);
    if (first === undefined) {
      return finishCorrections(db, { id, at: new Date(archiving.clock()) });
    }
    const hour = hourOf(first);
    const held = await beginHour(db, { hour, generation: null });
    const move: Source['move'] = (tx, last) => moveCorrections(tx, { id, place: last });
    await archiveNext(archiving, { dataset: 'corrections', hour, held, page, place, move });
  }
}

const hourMs = 3_600_000;
const hourOf = ({ at }: ArchivedRow): Date =>
  new Date(Math.floor(Number(at) / 1000 / hourMs) * hourMs);

/** Returns false if no rows are left. */
async function archiveNext(archiving: Archiving, source: Source): Promise<boolean> {
  const { dataset, hour, held } = source;
  const count = dataset === 'usage' ? held.segments : held.correction_segments;
  const name = { dataset, hour, segment: count + 1 };
  const { bytes, tally, place } = await build(archiving, source);
  if (place === null) return false;
  if (tally.rows === 0) {
    await source.move(archiving.plane.db, place);
    return true;
  }
  const stored = await storeSegment(archiving, { name, bytes, tally });
  if (stored === null)
    await record(archiving, { source, stored: await adoptSegment(archiving, name), place: null });
  else await record(archiving, { source, stored, place });
  return true;
}

/** `place` is that of the last row that was read. Null if there was none. */
async function build(archiving: Archiving, source: Source) {
  const { segmentRows = segmentRowsMax, pageRows = pageRowsMax } = archiving;
  const { dataset, hour } = source;
  const excluded = await adoptedKeys(archiving, source);
  const writer = new SegmentWriter(dataset);
  const tally = new Tally(dataset);
  let place: ArchivePlace | null = null;
  while (tally.rows < segmentRows) {
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
  { target }: Archiving,
  { dataset, hour, held }: Source,
): Promise<ReadonlySet<string>> {
  const keys = new Set<string>();
  const adopted = dataset === 'usage' ? held.adopted : held.adopted_corrections;
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

type Recorded = Readonly<{ source: Source; stored: Stored; place: ArchivePlace | null }>;

/** `place` is null for an adopted segment. */
async function record({ plane }: Archiving, { source, stored, place }: Recorded): Promise<void> {
  const { dataset, hour, held, move } = source;
  const { segment, rows } = stored.manifest;
  const archived = {
    dataset,
    hour: hour.toISOString(),
    segment,
    rows,
    manifest_sha256: stored.digest,
    adopted: place === null,
  };
  const outcome = await plane.execute(
    { command: { type: 'RecordArchivedUsage', archived } },
    {
      actor: { kind: 'system', principal_id: null },
      action: 'ARCHIVE',
      target: 'usage',
      requestId: randomUUID(),
      reason: null,
      exclusive: 'usage-archive',
      precondition: async (_state, tx) =>
        counted(await readHour(tx, hour)) === counted(held)
          ? null
          : refuse('conflict', 'another control plane archived this hour'),
      conclude: async (_outcome, tx) => {
        await addSegment(tx, { dataset, hour, segment, isAdopted: place === null });
        if (place !== null) await move(tx, place);
      },
    },
  );
  if (isRefusal(outcome))
    throw new Error(`archiving usage of ${archived.hour}: ${outcome.message}`);
}

const counted = (hour: ArchivedHour | null): string =>
  JSON.stringify([hour?.segments, hour?.correction_segments, hour?.doing]);
