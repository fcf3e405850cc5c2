// Builds and caches the routing tables of configurations. Building takes about 20 ms for thousands
// of models, so it works in slices, between which other requests are served.

import { createConfigSteps } from '../../../projections/snapshot.ts';
import type { ConfigState } from '../../../projections/config/state.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Steps } from '../../lib/steps.ts';
import { tableSteps } from '../../snapshot/compile.ts';
import type { RoutingTables } from '../../snapshot/compile.ts';
import type { Snapshot } from '../../snapshot/schema.ts';
import { createYieldTurn, inSlices } from '../../lib/slices.ts';
import { routingSnapshotOf } from './routing-snapshot.ts';

export type Routed = Readonly<{ snapshot: Snapshot; tables: RoutingTables }>;

export type AskRouted = Readonly<{
  /** With the placeholders of `routingSnapshotOf`. */
  ofState: (state: ConfigState) => Promise<Routed>;
  ofSnapshot: (snapshot: Snapshot) => Promise<Routed>;
}>;

export const routedMax = 4;

export function createAskRouted(monotonic: Clock): AskRouted {
  const kept = new Map<object, Promise<Routed>>();
  const ask = (of: object, steps: () => Steps<Routed>): Promise<Routed> => {
    const found = kept.get(of) ?? inSlices(createYieldTurn(monotonic), steps());
    kept.delete(of);
    kept.set(of, found);
    const oldest = kept.size > routedMax ? kept.keys().next().value : undefined;
    if (oldest !== undefined) kept.delete(oldest);
    return found;
  };
  return {
    ofState: (state) => ask(state, () => stateSteps(state)),
    ofSnapshot: (snapshot) => ask(snapshot, () => snapshotSteps(snapshot)),
  };
}

function* stateSteps(state: ConfigState): Steps<Routed> {
  return yield* snapshotSteps(routingSnapshotOf(state, yield* createConfigSteps()(state)));
}

function* snapshotSteps(snapshot: Snapshot): Steps<Routed> {
  return { snapshot, tables: yield* tableSteps(snapshot, []) };
}
