// Carries the gates of backends over to the next generation. A gate survives every edit except a
// change of its engine's address, because its requests are still in flight.

import { Admission } from './admission.ts';
import type { BackendState } from '../backend-state.ts';

export function carryAdmissions(
  backends: readonly BackendState[],
  previous: readonly BackendState[],
): void {
  const kept = new Set(backends);
  const left = Map.groupBy(
    previous.filter((state) => state.admission !== null && !kept.has(state)),
    engineOf,
  );
  for (const state of backends) {
    const { flowControl } = state.backend;
    // A backend with requests in flight must not take this gate: it would release slots that it never took.
    if (state.inFlight === 0)
      state.admission ??= left.get(engineOf(state))?.shift()?.admission ?? null;
    if (state.admission === null && flowControl === null) continue;
    state.admission ??= new Admission(state.inFlight);
    state.admission.configure(flowControl);
  }
}

const engineOf = ({ backend }: BackendState): string =>
  JSON.stringify([backend.apiBase, backend.upstreamModel]);
