// Archives the rows of one hour, or the corrections of one recomputation of costs, in segments. Each
// step can be repeated: a segment is written, then its manifest, then the event that names both.

import { randomUUID } from 'node:crypto';

import type { Queryable } from '@databases/pg';

import { archivePage, correctionPage } from '../../src/db/usage/archive/archive-rows.ts';
import { addSegment } from '../../src/db/usage/archive/archive-segments.ts';
import type { SegmentRows } from '../../src/db/usage/archive/archive-segments.ts';
import {
  beginHour,
  correctionsPlace,
  finishCorrections,
  finishHour,
  hourSpans,
  moveCorrections,
  moveHour,
  readHour,
} from '../../src/db/usage/archive/archive-state.ts';
import type { ArchivedHour, ArchivePlace } from '../../src/db/usage/archive/archive-state.ts';
import type { ControlPlane } from '../../src/control/plane.ts';
import type { MutationContext } from '../../src/control/commands/execute.ts';
import type { Clock } from '../../src/lib/clock.ts';
import { isRefusal, refuse } from '../../src/lib/refusal.ts';
import { buildSegment, hourOf } from './build-segment.ts';
import type { Bounds, Source } from './build-segment.ts';
import type { Target } from './target/target.ts';
import { adoptSegment, storeSegment } from './write-segment.ts';
import type { Stored } from './write-segment.ts';

export type Archiving = Bounds &
  Readonly<{
    plane: Pick<ControlPlane, 'db' | 'reports' | 'execute'>;
    target: Target;
    logId: string;
    clock: Clock;
    /** False if the next segment must wait for another run. */
    proceed?: () => Promise<boolean>;
  }>;

/** The rows of a segment, and what its transaction stores. */
type Part = Source &
  Readonly<{
    held: ArchivedHour;
    rows: Pick<SegmentRows, 'after_generation' | 'up_to_generation' | 'reprice_id'>;
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
    const spans = await hourSpans(db, { hour, upTo: doing });
    const isMore = await archiveNext(archiving, {
      dataset: 'usage',
      hour,
      held,
      adopted: held.adopted,
      page: (place, limit) => archivePage(reports, { spans, generations, place, limit }),
      place: held.place,
      rows: { after_generation: held.done, up_to_generation: doing, reprice_id: null },
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
    await archiveNext(archiving, {
      dataset: 'corrections',
      hour,
      held,
      adopted: held.adopted_corrections,
      page,
      place,
      rows: { after_generation: null, up_to_generation: null, reprice_id: id },
      move: (tx, last) => moveCorrections(tx, { id, place: last }),
    });
  }
}

/** Returns false if no rows are left. */
async function archiveNext(archiving: Archiving, part: Part): Promise<boolean> {
  const { dataset, hour, held } = part;
  const count = dataset === 'usage' ? held.segments : held.correction_segments;
  const name = { dataset, hour, segment: count + 1 };
  const { bytes, tally, place } = await buildSegment(archiving.target, part, archiving);
  if (place === null) return false;
  if (tally.rows === 0) {
    await part.move(archiving.plane.db, place);
    return true;
  }
  const stored = await storeSegment(archiving, { name, bytes, tally });
  if (stored === null)
    await record(archiving, { part, stored: await adoptSegment(archiving, name), place: null });
  else await record(archiving, { part, stored, place });
  return true;
}

type Recorded = Readonly<{ part: Part; stored: Stored; place: ArchivePlace | null }>;

/** `place` is null for an adopted segment. */
async function record({ plane }: Archiving, { part, stored, place }: Recorded): Promise<void> {
  const { dataset, hour, held, move } = part;
  const { segment, bytes } = stored.manifest;
  await recordSegment(plane, stored, {
    actor: { kind: 'system', principal_id: null },
    change: { adopted: place === null },
    precondition: async (_state, tx) =>
      counted(await readHour(tx, hour)) === counted(held)
        ? null
        : refuse('conflict', 'another control plane archived this hour'),
    conclude: async (_outcome, tx) => {
      const rows =
        place === null
          ? null
          : Object.assign({ after_place: part.place, last_place: place }, part.rows);
      await addSegment(tx, { dataset, hour, segment, bytes, rows });
      if (place !== null) await move(tx, place);
    },
  });
}

type Recording = Pick<MutationContext, 'actor' | 'precondition' | 'conclude'> &
  Readonly<{ change: Readonly<{ adopted: boolean; repaired?: true }> }>;

/** Appends the event that names the manifest of a segment. */
export async function recordSegment(
  { execute }: Pick<ControlPlane, 'execute'>,
  { manifest, digest }: Stored,
  { change, ...context }: Recording,
): Promise<void> {
  const { dataset, hour, segment, rows } = manifest;
  const archived = { dataset, hour, segment, rows, manifest_sha256: digest, ...change };
  const outcome = await execute(
    { command: { type: 'RecordArchivedUsage', archived } },
    {
      ...context,
      action: 'ARCHIVE',
      target: 'usage',
      requestId: randomUUID(),
      reason: null,
      exclusive: 'usage-archive',
    },
  );
  if (isRefusal(outcome)) throw new Error(`archiving usage of ${hour}: ${outcome.message}`);
}

const counted = (hour: ArchivedHour | null): string =>
  JSON.stringify([hour?.segments, hour?.correction_segments, hour?.doing]);
