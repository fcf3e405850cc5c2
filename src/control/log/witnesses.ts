// Uses replicas as witnesses of the log. Each health report lists hashes that the replica was given
// and their positions, also from before its last restart. A control process is a witness of what it
// has read itself. If the log has another hash at such a position, it was rewritten. If it ends
// earlier, it was reset or restored from an older copy. A failover that lost events looks the same,
// so a new epoch of the log explains observations made before it.

import type { Queryable } from '@databases/pg';

import { epochOf, hashesAt, readHead } from '../../db/log/event-log.ts';
import type { Clock } from '../../lib/clock.ts';
import { epochOfVersion } from '../../lib/snapshot-version.ts';
import type { HealthReport, LogObservation } from '../../snapshot/health-report.ts';
import type { Lost } from './reading.ts';
import type { Alarm, Alarms } from './alarms.ts';

/**
 * Never rejects: a report is accepted even if the database is unreachable. The next one repeats it.
 */
export type TakeSightings = (report: Pick<HealthReport, 'replica' | 'log_seen'>) => Promise<void>;

/** The minimum time between two comparisons of a position that many replicas report. */
const againMs = 1_000;
/** A full table drops the oldest position, which is then compared sooner. */
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
      // Only the first failure, not one per report.
      if (!isFailing) onFailure(error);
      isFailing = true;
    }
  };
}

type Process = Readonly<{ db: Queryable; alarms: Pick<Alarms, 'raise'>; replica: string }>;

/**
 * Compares what this process has read. `replica` is its name. Rejects if the database is
 * unreachable.
 */
export function createTellLost({ db, alarms, replica }: Process) {
  return async ({ logId, ...place }: Lost): Promise<void> => {
    const saw = `control process ${replica} had read`;
    await raiseContradiction({ db, alarms }, [{ log_id: logId, ...place }], { replica, saw });
  };
}

/**
 * Raises an alarm if the log lacks any of these observations and no epoch explains that. Returns
 * the mismatch or null.
 */
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

/** `held` is null if the log ends before it, at `head`. */
type Contradiction = Readonly<{ seen: LogObservation; held: string | null; head: number }>;

/**
 * The first position with another hash, otherwise the last position past the end. Null if the log
 * contains all.
 */
async function contradiction(
  db: Queryable,
  all: readonly LogObservation[],
): Promise<Contradiction | null> {
  const { logId } = await readHead(db);
  // A report about another log says nothing about this one. The fleet shows that the replica
  // rejects this log's snapshots.
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
      ? `${given}, but the log ends at ${head}: it was reset, restored from an older copy, or ` +
        'lost its end in a failover'
      : `${given}, but the log has ${held} there: it was rewritten, or lost its end in a ` +
        'failover and continued without it';
  const epoch = epochOfVersion(version);
  return { position, problem, replica, seen_hash: hash, log_hash: held, epoch };
}
