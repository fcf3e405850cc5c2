// Compares a published snapshot with the served one by the log and the position that each was built
// from.

import type { Snapshot } from '../../snapshot/schema.ts';

/** The position of a snapshot in the history of its log. */
export type LogPosition = Pick<Snapshot, 'version' | 'log'>;

/**
 * `went_back`: an older version of the same log, for example after a restore from backup. `forked`: the same position
 * with a different history, for example after a failover that lost events. `another_log`: a different database.
 */
export type Lineage = 'follows' | 'went_back' | 'forked' | 'another_log';

/**
 * A lower position with the same version is not a step back: events without configuration changes also count, and
 * another replica may not have read them yet.
 */
export function lineageOf(current: LogPosition | null, next: LogPosition): Lineage {
  if (current === null) return 'follows';
  if (next.log.id !== current.log.id) return 'another_log';
  if (next.version < current.version) return 'went_back';
  const isSamePosition = next.log.position === current.log.position;
  return isSamePosition && next.log.hash !== current.log.hash ? 'forked' : 'follows';
}
