// Compiles a configuration state for routing.

import type { ConfigState } from '../../../projections/config/state.ts';
import { snapshotConfig } from '../../../projections/snapshot.ts';
import type { Routed } from '../../../src/control/history/routed.ts';
import { routingSnapshotOf } from '../../../src/control/history/routing-snapshot.ts';
import { compileTables } from '../../../src/snapshot/compile.ts';
import type { Snapshot } from '../../../src/snapshot/schema.ts';

export const routingSnapshot = (state: ConfigState): Snapshot =>
  routingSnapshotOf(state, snapshotConfig(state));

export function routedAt(state: ConfigState): Routed {
  const snapshot = routingSnapshot(state);
  return { snapshot, tables: compileTables(snapshot, []) };
}
