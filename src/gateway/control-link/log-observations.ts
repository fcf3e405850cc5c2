// What this replica has seen of the log of its control plane: the places that its last snapshots name. It tells them with every health
// report and keeps them beside the snapshot cache, so that a log that was rewritten or set back contradicts it.

import { observationsMax } from '../../snapshot/health-report.ts';
import type { LogObservation } from '../../snapshot/health-report.ts';
import type { LogPosition } from './lineage.ts';

/** `seen` and the place of a snapshot that is served now: the newest first, and of its log alone. */
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
