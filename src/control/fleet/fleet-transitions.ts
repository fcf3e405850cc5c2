// What of a replica's backends changed between two of its reports (specification, "Events" rules 1 and 2): transitions, not
// states, of each replica by itself.

import type { BackendReport, HealthReport } from '../../snapshot/health-report.ts';

export type Transition = Readonly<{
  event: 'backend_down' | 'backend_recovered';
  replica: string;
  api_base: string;
  model: string;
}>;

/**
 * None for the first report, that of a process which has begun anew included. A backend that was not reported before counts as
 * healthy until then; one that is not reported any more is gone, and neither down nor recovered.
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
    const event = now.healthy ? 'backend_recovered' : 'backend_down';
    return [{ event, replica: after.replica, api_base, model }];
  });
}

const keyOf = ({ api_base, model }: Pick<BackendReport, 'api_base' | 'model'>): string =>
  JSON.stringify([api_base, model]);

/** Two backends of one name (with two credentials, say) count as the one that is worse off. */
function healthByBackend(backends: readonly BackendReport[]): ReadonlyMap<string, BackendReport> {
  const found = new Map<string, BackendReport>();
  for (const backend of backends) {
    const key = keyOf(backend);
    if (found.get(key)?.healthy !== false) found.set(key, backend);
  }
  return found;
}
