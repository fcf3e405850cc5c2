// Every endpoint up and idle: what a dry-run knows of them (specification, "Dry-run limits").

import { defaultTuning } from '../snapshot/tuning.ts';
import type { LiveView, Load } from './load.ts';
import { createAffinity } from './policy/cache-affinity.ts';

const idle: Load = { inFlight: 0, engine: null, latencyMs: null, restsUntilMs: 0 };

/** Made for one question: what is chosen in it is not remembered. */
export const idleView = (): LiveView => ({
  backendsOf: ({ backends }) => backends.map(() => idle),
  windowOf: ({ contextLength }) => contextLength,
  turnOf: () => ({ count: 0 }),
  affinity: createAffinity({ ...defaultTuning, affinity_slots: 1 }),
});
