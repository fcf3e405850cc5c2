// Agrees with the other control processes on one archive. The one in use stays as long as a running
// process is configured with it, and an archive wins over `off`. So no process flips it.

import { tellArchive } from '../../src/db/usage/archive/archive-processes.ts';
import type { ConfiguredArchive } from '../../src/db/usage/archive/archive-processes.ts';
import {
  closeArchive,
  openArchive,
  readArchive,
} from '../../src/db/usage/archive/archive-state.ts';
import type { ArchiveState } from '../../src/db/usage/archive/archive-state.ts';
import type { Archiving } from './archive-hour.ts';
import { checkPlace } from './target/claim.ts';
import type { Target } from './target/target.ts';

type Agreeing = Readonly<{ plane: Pick<Archiving['plane'], 'db'>; process: string }>;

/** Another control process has other settings, and its archive stays in use. */
export class ArchiveConflict extends Error {
  override readonly name = 'ArchiveConflict';
}

/** Throws a conflict if another running process archives. */
export async function agreeOnNone({ plane: { db }, process }: Agreeing): Promise<void> {
  const others = await tellArchive(db, { process, place: null, archiveId: null });
  const held = await readArchive(db);
  const other = others.find(({ place }) => place !== null);
  if (other !== undefined) throw conflict('off', other);
  if (held.is_on) await closeArchive(db, held);
}

/** Tells others that this process has an archive, also while the store does not answer. */
export const announce = ({ plane: { db }, process }: Agreeing, place: string): Promise<unknown> =>
  tellArchive(db, { process, place, archiveId: null });

/**
 * Throws if the place is in use but is not the one that was claimed. Claiming it again would archive to
 * a directory over which the archive was not mounted.
 */
export async function checkUsedPlace(
  { plane: { db } }: Pick<Agreeing, 'plane'>,
  target: Target,
): Promise<void> {
  const { is_on: isOn, place, archive_id: id } = await readArchive(db);
  if (isOn && id !== null && place === target.place) await checkPlace(target, id);
}

type Own = Readonly<{ place: string; archiveId: string }>;

/** Throws a conflict if a running process uses another archive. */
export async function agreeOnArchive(
  { plane: { db }, process }: Agreeing,
  { place, archiveId }: Own,
): Promise<void> {
  const others = await tellArchive(db, { process, place, archiveId });
  const held = await readArchive(db);
  if (held.is_on && isUsed(held, { place, archive_id: archiveId })) {
    // The same archive can have another name, after a move or at another path.
    const isNamed = held.place === place || others.some((one) => one.place === held.place);
    if (held.archive_id !== null && isNamed) return;
  } else if (held.is_on) {
    const user = others.find((one) => isUsed(held, one));
    if (user !== undefined) throw conflict(place, user);
  }
  await openArchive(db, { place, archiveId, insteadOf: held });
}

/** The identity is unknown after an upgrade. */
const isUsed = (
  held: ArchiveState,
  { place, archive_id: id }: Pick<ConfiguredArchive, 'place' | 'archive_id'>,
): boolean => (held.archive_id === null ? place === held.place : id === held.archive_id);

const conflict = (own: string, { place, seen_at: seenAt }: ConfiguredArchive): ArchiveConflict =>
  new ArchiveConflict(
    `--usage-archive ${own} is not used: another control process, last seen ` +
      `${seenAt.toISOString()}, archives to ${place}; set the same archive everywhere`,
  );
