// Views in which a choice leaves nothing behind: every endpoint up and idle, as a dry-run knows them (specification, "Dry-run
// limits"), and the live one, for a request that will be refused.

import { defaultTuning } from '../snapshot/tuning.ts';
import type { LiveView, Load } from './load.ts';
import { createAffinity } from './policy/affinity.ts';

const idle: Load = { inFlight: 0, engine: null, latencyMs: null, restsUntilMs: 0, coolsUntilMs: 0 };

/** Made for one question: what is chosen in it is not remembered. */
export const idleView = (): LiveView => ({
  backendsOf: ({ backends }) => backends.map(() => idle),
  windowOf: ({ contextLength }) => contextLength,
  turnOf: () => ({ count: 0 }),
  affinity: createAffinity({ ...defaultTuning, affinity_slots: 1 }),
});

/** Chooses as `view` does, and takes no turn and no place in the memory of conversations. */
export const readOnlyView = (view: LiveView): LiveView => ({
  ...view,
  turnOf: (pool) => ({ ...view.turnOf(pool) }),
  affinity: { ...view.affinity, remembers: false },
});
