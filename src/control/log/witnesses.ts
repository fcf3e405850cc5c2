// Replicas as witnesses of the log: each tells with its health report which hashes it was given at which positions, also before it was
// started again. A control process is a witness of what it has read itself. A log that holds another hash there was rewritten; one that
// ends before was set back, or restored from an older copy. A fail-over that lost events looks like either. A new epoch of the log explains
// what was seen before it.

import type { Queryable } from '@databases/pg';

import { epochOf, hashesAt, readHead } from '../../db/log/event-log.ts';
import type { Clock } from '../../lib/clock.ts';
import { epochOfVersion } from '../../lib/snapshot-version.ts';
import type { HealthReport, LogObservation } from '../../snapshot/health-report.ts';
import type { Lost } from './reading.ts';
import type { Alarm, Alarms } from './alarms.ts';

/** Never rejects: a report is taken whether or not the database is there, and the next one says the same. */
export type TakeSightings = (report: Pick<HealthReport, 'replica' | 'log_seen'>) => Promise<void>;

/** What many replicas saw is compared once in so long, by this process. */
const againMs = 1_000;
/** Places that are remembered as compared; the oldest is forgotten, and compared sooner. */
const comparedMax = 10_000;

type Dependencies = Readonly<{
  db: Queryable;
  alarms: Pick<Alarms, 'raise'>;
  monotonic: Clock;
  onFailure: (error: unknown) => void;
}>;

export function createTakeSightings(dependencies: Dependencies): TakeSightings {
  const { db, monotonic, alarms, onFailure } = dependencies;
  const compared = new Map<string, number>();
  let isFailing = false;

  const isDue = (seen: LogObservation): boolean => {
    const at = compared.get(nameOf(seen));
    return at === undefined || monotonic() - at >= againMs;
  };
  const note = (seen: LogObservation): void => {
    compared.delete(nameOf(seen));
    compared.set(nameOf(seen), monotonic());
    const [oldest] = compared.keys();
    if (compared.size > comparedMax && oldest !== undefined) compared.delete(oldest);
  };

  return async ({ replica, log_seen }) => {
    const due = log_seen.filter(isDue);
    if (due.length === 0) return;
    try {
      const found = await contradiction(db, due);
      if (found === null) for (const seen of due) note(seen);
      else await alarms.raise(alarmOf(found, { replica, saw: `replica ${replica} was given` }));
      isFailing = false;
    } catch (error) {
      // Said once, not with every report, while the database is away.
      if (!isFailing) onFailure(error);
      isFailing = true;
    }
  };
}

type Process = Readonly<{ db: Queryable; alarms: Pick<Alarms, 'raise'>; replica: string }>;

/** Of what this process has read itself; `replica` names it. Rejects when the database cannot be asked. */
export function createTellLost({ db, alarms, replica }: Process) {
  return async ({ logId, ...place }: Lost): Promise<void> => {
    const saw = `control process ${replica} had read`;
    await raiseContradiction({ db, alarms }, [{ log_id: logId, ...place }], { replica, saw });
  };
}

/** Raises an alarm when the log does not hold all of these places, and no epoch explains it. Answers the place, or null. */
export async function raiseContradiction(
  { db, alarms }: Omit<Process, 'replica'>,
  seen: readonly LogObservation[],
  witness: Witness,
): Promise<number | null> {
  const found = await contradiction(db, seen);
  if (found === null) return null;
  await alarms.raise(alarmOf(found, witness));
  return found.seen.position;
}

const nameOf = ({ log_id, version, position, hash }: LogObservation): string =>
  `${log_id} ${version} ${position} ${hash}`;

/** `held` is null where the log ends before, at `head`. */
type Contradiction = Readonly<{ seen: LogObservation; held: string | null; head: number }>;

/** Of what the log holds otherwise the first; else, of what it does not reach, the last. Null when it holds all of it. */
async function contradiction(
  db: Queryable,
  all: readonly LogObservation[],
): Promise<Contradiction | null> {
  const { logId } = await readHead(db);
  // Of another log it says nothing of this one; the fleet shows that the replica refuses this one's snapshots.
  const seen = all.filter(({ log_id }) => log_id === logId);
  const hashes = await hashesAt(
    db,
    seen.map(({ position }) => position),
  );
  const others = seen.filter(({ position, hash }) => hashes.get(position) !== hash);
  if (others.length === 0) return null;
  const now = await epochOf(db);
  const unexplained = others
    .filter(({ version }) => epochOfVersion(version) >= now)
    .toSorted((a, b) => a.position - b.position);
  const first = unexplained.find(({ position }) => hashes.has(position)) ?? unexplained.at(-1);
  if (first === undefined) return null;
  const { position: head } = await readHead(db);
  return { seen: first, held: hashes.get(first.position) ?? null, head };
}

type Witness = Readonly<{ replica: string | null; saw: string }>;

function alarmOf({ seen, held, head }: Contradiction, { replica, saw }: Witness): Alarm {
  const { position, hash, version } = seen;
  const given = `${saw} hash ${hash} at position ${position}`;
  const problem =
    held === null
      ? `${given}, and the log ends at ${head}: it was set back, restored from an older copy, or ` +
        'lost its end in a fail-over'
      : `${given}, and the log holds ${held} there: it was rewritten, or lost its end in a ` +
        'fail-over and went on without it';
  const epoch = epochOfVersion(version);
  return { position, problem, replica, seen_hash: hash, log_hash: held, epoch };
}
