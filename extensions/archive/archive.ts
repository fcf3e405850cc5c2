// Archives usage in the background: each hour after it ended, late rows together once an hour, and
// the corrections of costs. One control process at a time does this.

import {
  closeArchive,
  closeGeneration,
  dueCorrections,
  dueHours,
  holdArchive,
  openArchive,
  readArchive,
  releaseArchive,
} from '../../src/db/usage/archive/archive-state.ts';
import { markVerified, unverifiedHours } from '../../src/db/usage/archive/archive-checks.ts';
import { archiveCorrections, archiveHour } from './archive-hour.ts';
import type { Archiving } from './archive-hour.ts';
import { verifyHour } from './verify.ts';

const hourMs = 3_600_000;
/** Rows of an hour that arrive within this time after it are in its first segment. */
export const settleMs = 10 * 60_000;
/** Late rows of an hour are archived this often. */
const lateMs = hourMs;
/** Work that starts after this is left to the next run, so that a stop need not wait for long. */
const runMs = 5_000;
/** Longer than writing a segment takes. */
const holdSeconds = 120;
const hoursMax = 24;

type Dependencies = Archiving &
  Readonly<{
    holder: string;
    /** Hours before this are verified, because their rows are about to be removed. */
    verifyBefore: () => Date;
  }>;

/** Null means that rows are removed without an archive, as explicitly configured. */
export const configureArchive = async (
  { db }: Pick<Archiving['plane'], 'db'>,
  place: string | null,
): Promise<void> => {
  const held = await readArchive(db);
  if (place === null) await closeArchive(db);
  else if (!held.is_on || held.place !== place) await openArchive(db, place);
};

/** Archives what is due. Throws the first failure, after trying everything else. */
export async function archiveDue(dependencies: Dependencies): Promise<void> {
  const { plane, target, holder, clock } = dependencies;
  const { db } = plane;
  await configureArchive(plane, target.place);
  if (!(await holdArchive(db, { holder, seconds: holdSeconds }))) return;
  try {
    const startedMs = clock();
    const failures: unknown[] = [];
    const proceed = async (): Promise<boolean> =>
      clock() - startedMs <= runMs && holdArchive(db, { holder, seconds: holdSeconds });
    const attempt = async (work: () => Promise<unknown>): Promise<void> => {
      if (await proceed()) await work().catch((error: unknown) => void failures.push(error));
    };
    const bounded = { ...dependencies, proceed };
    for (const hour of await dueNow(dependencies)) {
      await attempt(() => archiveHour(bounded, hour));
    }
    const id = await dueCorrections(db);
    if (id !== null) await attempt(() => archiveCorrections(bounded, id));
    for (const hour of await unverified(dependencies)) {
      await attempt(() => verify(dependencies, hour));
    }
    if (failures.length > 0) throw failures[0];
  } finally {
    await releaseArchive(db, holder);
  }
}

async function dueNow({ plane, clock }: Dependencies) {
  const now = clock();
  const hours = await dueHours(plane.db, {
    ended: new Date(now - settleMs),
    archivedBefore: new Date(now - lateMs),
    limit: hoursMax,
  });
  if (hours.length === 0) return [];
  const generation = await closeGeneration(plane.db);
  return hours.map((hour) => ({ hour, generation }));
}

const unverified = ({ plane, verifyBefore }: Dependencies): Promise<Date[]> =>
  unverifiedHours(plane.db, { before: verifyBefore(), limit: hoursMax });

/** Rows of the hour are only removed after this. */
async function verify(dependencies: Dependencies, hour: Date): Promise<void> {
  const { plane, clock } = dependencies;
  const { problems, segments, correctionSegments } = await verifyHour(dependencies, hour);
  const [first] = problems;
  if (first !== undefined) {
    throw new Error(`usage of ${hour.toISOString()} stays in the database: ${first.problem}`);
  }
  await markVerified(plane.db, { hour, segments, correctionSegments, at: new Date(clock()) });
}
