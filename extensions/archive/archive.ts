// Archives usage in the background: each hour after it ended, late rows together once an hour, and
// the corrections of costs. One control process at a time does this.

import {
  closeGeneration,
  dueCorrections,
  dueHours,
  holdArchive,
  markCorrectionsFailed,
  markFailed,
  releaseArchive,
} from '../../src/db/usage/archive/archive-state.ts';
import { markVerified, unverifiedHours } from '../../src/db/usage/archive/archive-checks.ts';
import { agreeOnArchive } from './agree.ts';
import { archiveCorrections, archiveHour } from './archive-hour.ts';
import type { Archiving } from './archive-hour.ts';
import { checkPlace } from './target/claim.ts';
import { verifyHour } from './verify.ts';

const hourMs = 3_600_000;
/** Rows of an hour that arrive within this time after it are in its first segment. */
export const settleMs = 10 * 60_000;
/** Late rows of an hour are archived this often, and hours that failed are tried again. */
const retryMs = hourMs;
/** Work that starts after this is left to the next run, so that a stop need not wait for long. */
const runMs = 5_000;
/** Longer than writing a segment takes. */
const holdSeconds = 300;
const hoursMax = 24;

type Dependencies = Archiving &
  Readonly<{
    /** Identifies this process. */
    holder: string;
    /** That of the place, which was claimed. */
    archiveId: string;
    /** Hours before this are verified, because their rows are about to be removed. */
    verifyBefore: () => Date;
  }>;

/** Archives what is due. Throws the first failure, after trying everything else. */
export async function archiveDue(dependencies: Dependencies): Promise<void> {
  const { plane, target, holder, clock, archiveId } = dependencies;
  const { db } = plane;
  await agreeOnArchive({ plane, process: holder }, { place: target.place, archiveId });
  await holdingArchive(plane, holder, async (held) => {
    const startedMs = clock();
    const failures: unknown[] = [];
    const proceed = async (): Promise<boolean> => clock() - startedMs <= runMs && held();
    const attempt = async (
      work: () => Promise<unknown>,
      mark: (failed: Readonly<{ at: Date; failure: string }>) => Promise<unknown>,
    ): Promise<void> => {
      if (!(await proceed())) return;
      try {
        await work();
      } catch (error) {
        failures.push(error);
        // If the place or the database is away, this throws: no hour is to blame.
        await checkPlace(target, archiveId);
        await mark({ at: new Date(clock()), failure: messageOf(error) });
      }
    };
    const bounded = { ...dependencies, proceed };
    for (const due of await dueNow(dependencies)) {
      const { hour } = due;
      await attempt(
        () => archiveHour(bounded, due),
        (failed) => markFailed(db, { hour, ...failed }),
      );
    }
    const id = await dueCorrections(db, triedBefore(dependencies));
    if (id !== null) {
      await attempt(
        () => archiveCorrections(bounded, id),
        ({ at }) => markCorrectionsFailed(db, { id, at }),
      );
    }
    for (const hour of await unverified(dependencies)) {
      await attempt(
        () => verify(dependencies, hour),
        (failed) => markFailed(db, { hour, ...failed }),
      );
    }
    if (failures.length > 0) throw failures[0];
  });
}

/**
 * Returns null if another holder writes the archive. `proceed` keeps it held, and returns false if
 * another one took over.
 */
export async function holdingArchive<Result>(
  { db }: Pick<Archiving['plane'], 'db'>,
  holder: string,
  work: (proceed: () => Promise<boolean>) => Promise<Result>,
): Promise<Result | null> {
  const hold = (): Promise<boolean> => holdArchive(db, { holder, seconds: holdSeconds });
  if (!(await hold())) return null;
  try {
    return await work(hold);
  } finally {
    await releaseArchive(db, holder);
  }
}

const messageOf = (error: unknown): string =>
  error instanceof Error ? error.message : String(error);

const triedBefore = ({ clock }: Dependencies) => ({ triedBefore: new Date(clock() - retryMs) });

async function dueNow(dependencies: Dependencies) {
  const { plane, target, archiveId, clock } = dependencies;
  const now = clock();
  const hours = await dueHours(plane.db, {
    ended: new Date(now - settleMs),
    triedBefore: new Date(now - retryMs),
    limit: hoursMax,
  });
  if (hours.length === 0) return [];
  await checkPlace(target, archiveId);
  const generation = await closeGeneration(plane.db);
  return hours.map((hour) => ({ hour, generation }));
}

const unverified = (dependencies: Dependencies): Promise<Date[]> =>
  unverifiedHours(dependencies.plane.db, {
    before: dependencies.verifyBefore(),
    ...triedBefore(dependencies),
    limit: hoursMax,
  });

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
