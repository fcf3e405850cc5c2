// Decides how a published snapshot stands to the one that is held: each names the event log that it was built from, and how far.

import type { Snapshot } from '../../snapshot/schema.ts';

/** Where a snapshot stands in the history of its log. */
export type LogPosition = Pick<Snapshot, 'version' | 'log'>;

/**
 * `went_back`: an older version of the same log, as after its restore from a copy. `forked`: the same position with another past,
 * as after a fail-over that lost events. `another_log`: of another database altogether.
 */
export type Lineage = 'follows' | 'went_back' | 'forked' | 'another_log';

/**
 * A position that is lower under an equal version is no step back: events that change no configuration count too, and another
 * replica may not have read them yet.
 */
export function lineageOf(current: LogPosition | null, next: LogPosition): Lineage {
  if (current === null) return 'follows';
  if (next.log.id !== current.log.id) return 'another_log';
  if (next.version < current.version) return 'went_back';
  const isSamePosition = next.log.position === current.log.position;
  return isSamePosition && next.log.hash !== current.log.hash ? 'forked' : 'follows';
}
