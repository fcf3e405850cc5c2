// Records the log positions of the last snapshots. Every health report contains them, and the
// snapshot cache stores them, so that a rewritten or restored log can be detected.

import { observationsMax } from '../../snapshot/health-report.ts';
import type { LogObservation } from '../../snapshot/health-report.ts';
import type { LogPosition } from './lineage.ts';

/** Newest first, and only positions of the served snapshot's log. */
export function withObservation(
  seen: readonly LogObservation[],
  { version, log }: LogPosition,
): readonly LogObservation[] {
  const [last] = seen;
  const { id: log_id, position, hash } = log;
  if (last?.log_id === log_id && last.position === position && last.hash === hash) return seen;
  const others = seen.filter(
    (one) => one.log_id === log_id && (one.position !== position || one.hash !== hash),
  );
  return [{ log_id, version, position, hash }, ...others].slice(0, observationsMax);
}
