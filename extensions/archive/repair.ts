// Repairs the archive: writes lost and damaged files again from the rows that the database still has.
// If the bytes have the digest that the log names, nothing else changes. Otherwise, for example
// because another release wrote the file, an event names the new manifest.

import { loggedSegments } from '../../src/db/usage/archive/archive-checks.ts';
import type { HourSpan, LoggedSegment } from '../../src/db/usage/archive/archive-checks.ts';
import { archivePage, correctionPage } from '../../src/db/usage/archive/archive-rows.ts';
import { markRepaired, readSegmentRows } from '../../src/db/usage/archive/archive-segments.ts';
import type { SegmentRows } from '../../src/db/usage/archive/archive-segments.ts';
import { readHour } from '../../src/db/usage/archive/archive-state.ts';
import type { MutationContext } from '../../src/control/commands/execute.ts';
import { recordSegment } from './archive-hour.ts';
import type { Archiving } from './archive-hour.ts';
import { buildSegment } from './build-segment.ts';
import type { Source } from './build-segment.ts';
import { isSame, manifestBytes, namesOf, sha256 } from './manifest.ts';
import type { Manifest } from './manifest.ts';
import type { Target } from './target/target.ts';
import { checkSegment } from './verify.ts';
import { describeSegment, readManifest, tallyOf } from './write-segment.ts';

/** `same` has the digest of the log, `new` needed an event, and `lost` was not written. */
export const repairOutcomes = ['same', 'new', 'lost'] as const;

export type SegmentRepair = Readonly<{
  hour: string;
  file: string;
  outcome: (typeof repairOutcomes)[number];
  /** The reason why it was not written. */
  problem: string | null;
}>;

export type ArchiveRepair = Readonly<{ segments: number; repairs: readonly SegmentRepair[] }>;

type Repairing = Archiving & Readonly<{ actor: MutationContext['actor'] }>;

/** Reads every segment of these hours. */
export async function repairArchive(repairing: Repairing, span: HourSpan): Promise<ArchiveRepair> {
  const { plane, proceed } = repairing;
  const logged = await loggedSegments(plane.reports, span);
  const repairs: SegmentRepair[] = [];
  for (const one of logged) {
    if ((await proceed?.()) === false) throw new Error('another control plane archives now');
    const repair = await repairSegment(repairing, one);
    if (repair !== null) repairs.push(repair);
  }
  return { segments: logged.length, repairs };
}

/** Null if the segment is intact. */
async function repairSegment(
  repairing: Repairing,
  logged: LoggedSegment,
): Promise<SegmentRepair | null> {
  const { target } = repairing;
  const found = await checkSegment(target, logged);
  if (!('kind' in found)) return null;
  const done = (outcome: SegmentRepair['outcome'], problem: string | null): SegmentRepair => ({
    hour: logged.hour.toISOString(),
    file: namesOf(logged).segment,
    outcome,
    problem,
  });
  if (await repairManifest(repairing, logged)) return done('same', null);
  const made = await rebuild(repairing, logged);
  if (typeof made === 'string') return done('lost', `${found.problem}; ${made}`);
  const { bytes, manifest } = made;
  const manifestFile = manifestBytes(manifest);
  const digest = sha256(manifestFile);
  const isLogged = digest === logged.manifest_sha256;
  const held = isLogged ? manifest : await intactManifest(target, logged);
  if (held === null) {
    const why = 'its manifest is damaged too, so the rows of the database cannot be compared';
    return done('lost', `${found.problem}; ${why}`);
  }
  if (!hasSameRows(held, manifest)) {
    return done('lost', `${found.problem}; the rows of the database do not add up to its manifest`);
  }
  const names = namesOf(logged);
  await put(target, names.segment, bytes);
  await put(target, names.manifest, manifestFile);
  if (isLogged) {
    await markRepaired(repairing.plane.db, logged.hour);
    return done('same', null);
  }
  await recordSegment(
    repairing.plane,
    { manifest, digest },
    {
      actor: repairing.actor,
      change: { adopted: false, repaired: true },
      conclude: async (_outcome, tx) => void (await markRepaired(tx, logged.hour)),
    },
  );
  return done('new', null);
}

/** The manifest follows from its segment. Returns false if the segment is not the one of the log. */
async function repairManifest(
  { target, logId, plane }: Repairing,
  logged: LoggedSegment,
): Promise<boolean> {
  const names = namesOf(logged);
  const bytes = await target.read(names.segment);
  if (bytes === null) return false;
  const manifest = await describeSegment({ logId, name: logged, bytes }).catch(() => null);
  if (manifest === null) return false;
  const file = manifestBytes(manifest);
  if (sha256(file) !== logged.manifest_sha256) return false;
  await put(target, names.manifest, file);
  await markRepaired(plane.db, logged.hour);
  return true;
}

async function put(target: Target, name: string, bytes: Uint8Array): Promise<void> {
  const held = await target.read(name);
  if (held !== null && sha256(held) === sha256(bytes)) return;
  if (held === null && (await target.write(name, bytes))) return;
  await target.replace(name, bytes);
}

async function intactManifest(target: Target, logged: LoggedSegment): Promise<Manifest | null> {
  const { manifest: name } = namesOf(logged);
  const file = await target.read(name);
  return file !== null && sha256(file) === logged.manifest_sha256 ? readManifest(name, file) : null;
}

/** Another release can write other bytes for the same rows. */
const hasSameRows = (held: Manifest, again: Manifest): boolean =>
  isSame(held, Object.assign({}, again, { bytes: held.bytes, sha256: held.sha256 }));

type Rebuilt = Readonly<{ bytes: Uint8Array; manifest: Manifest }>;

/** A text says why the segment cannot be built. */
async function rebuild(repairing: Repairing, logged: LoggedSegment): Promise<Rebuilt | string> {
  const { plane, target, logId } = repairing;
  const kept = await readSegmentRows(plane.db, logged);
  if (kept === null) {
    return 'the database does not know its rows; restore it from a copy of the archive';
  }
  const source = await sourceOf(repairing, logged, kept);
  const lacking = await lackingOf(target, source);
  if (lacking !== null) return lacking;
  const { bytes, tally } = await buildSegment(target, source, repairing);
  if (tally.rows !== logged.rows) {
    return `the database has ${tally.rows} of its ${logged.rows} rows; restore it from a copy of the archive`;
  }
  return { bytes, manifest: tally.describe(logged, bytes, logId) };
}

/** Says which adopted segment cannot be read. */
async function lackingOf(target: Target, { dataset, hour, adopted }: Source) {
  for (const segment of adopted) {
    const name = { dataset, hour, segment };
    const { segment: file } = namesOf(name);
    const bytes = await target.read(file);
    const problem = `${file}, whose rows it leaves out, is`;
    if (bytes === null) return `${problem} missing; restore it from a copy of the archive`;
    if ((await tallyOf(name, bytes).catch(() => null)) === null) {
      return `${problem} damaged; restore it from a copy of the archive`;
    }
  }
  return null;
}

async function sourceOf(
  { plane: { db, reports } }: Repairing,
  { dataset, hour, segment }: LoggedSegment,
  kept: SegmentRows,
): Promise<Source> {
  const held = await readHour(db, hour);
  const adopted = (dataset === 'usage' ? held?.adopted : held?.adopted_corrections) ?? [];
  const { after_generation: after, up_to_generation: upTo, reprice_id: id } = kept;
  const last = kept.last_place;
  const spans = [{ since: hour, until: new Date(hour.getTime() + 3_600_000) }];
  const generations = [after ?? -1, upTo ?? -1] as const;
  return {
    dataset,
    hour,
    adopted: adopted.filter((one) => one < segment),
    place: kept.after_place,
    page: (place, limit) =>
      id === null
        ? archivePage(reports, { spans, generations, place, last, limit })
        : correctionPage(reports, { id, place, last, limit }),
  };
}
