// Compares two reports of one replica and lists the backends that went down or recovered
// (specification, "Events" rules 1 and 2).

import type { NotificationOf } from '../../notifications/types.ts';
import type { BackendReport, HealthReport } from '../../snapshot/health-report.ts';

export type Transition = NotificationOf<'backend_down'> | NotificationOf<'backend_recovered'>;

/**
 * Empty for the first report of a process. A new backend counts as healthy before. One that is no
 * longer reported has neither gone down nor recovered.
 */
export function transitionsBetween(
  before: HealthReport | null,
  after: HealthReport,
): readonly Transition[] {
  if (before === null || after.uptime_seconds < before.uptime_seconds) return [];
  const wasHealthy = healthByBackend(before.backends);
  return [...healthByBackend(after.backends).values()].flatMap((now): readonly Transition[] => {
    const was = wasHealthy.get(keyOf(now))?.healthy ?? true;
    if (was === now.healthy) return [];
    const { api_base, model } = now;
    const type = now.healthy ? 'backend_recovered' : 'backend_down';
    return [{ type, data: { replica: after.replica, api_base, model } }];
  });
}

/**
 * True for a report that arrives after a later one, for example because another control plane held
 * it. Older replicas do not number their reports.
 */
export function isLate(before: HealthReport, after: HealthReport): boolean {
  if (before.sequence === undefined || after.sequence === undefined) return false;
  return after.sequence <= before.sequence;
}

const keyOf = ({ api_base, model }: Pick<BackendReport, 'api_base' | 'model'>): string =>
  JSON.stringify([api_base, model]);

/** Backends can share a name, for example with two credentials. The less healthy one counts. */
function healthByBackend(backends: readonly BackendReport[]): ReadonlyMap<string, BackendReport> {
  const found = new Map<string, BackendReport>();
  for (const backend of backends) {
    const key = keyOf(backend);
    if (found.get(key)?.healthy !== false) found.set(key, backend);
  }
  return found;
}
