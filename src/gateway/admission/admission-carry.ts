// Takes the gates of backends from one generation to the next. A gate outlives every edit but that of where its engine is: the requests
// that it let through are still there.

import { Admission } from './admission.ts';
import type { BackendState } from '../backend-state.ts';

/** Each backend has the settings that its gate is configured with now, and the gate of one that it takes the place of. */
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
    // One that has requests without a slot of that gate would release what it never took.
    if (state.inFlight === 0)
      state.admission ??= left.get(engineOf(state))?.shift()?.admission ?? null;
    if (state.admission === null && flowControl === null) continue;
    state.admission ??= new Admission(state.inFlight);
    state.admission.configure(flowControl);
  }
}

const engineOf = ({ backend }: BackendState): string =>
  JSON.stringify([backend.apiBase, backend.upstreamModel]);
