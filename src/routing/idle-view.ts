// Views in which a choice has no side effects: all endpoints up and idle, for dry runs (specification, "Dry-run limits"),
// and the live state, for a request that will be refused.

import { defaultTuning } from '../snapshot/tuning.ts';
import type { LiveView, Load } from './load.ts';
import { createAffinity } from './policy/affinity.ts';

const idle: Load = { inFlight: 0, engine: null, latencyMs: null, restsUntilMs: 0, coolsUntilMs: 0 };

/** Create one per question: choices are not remembered. */
export const idleView = (): LiveView => ({
  backendsOf: ({ backends }) => backends.map(() => idle),
  windowOf: ({ contextLength }) => contextLength,
  turnOf: () => ({ count: 0 }),
  affinity: createAffinity({ ...defaultTuning, affinity_slots: 1 }),
});

/** Does not advance round-robin or remember conversations. */
export const readOnlyView = (view: LiveView): LiveView => ({
  ...view,
  turnOf: (pool) => ({ ...view.turnOf(pool) }),
  affinity: { ...view.affinity, remembers: false },
});
