// One space of names for what a client or a rule may call: provider models, frontend models and pools.

import type { ConfigState } from '../../projections/config/state.ts';
import { refuse } from '../lib/refusal.ts';
import type { Refusal } from '../lib/refusal.ts';

/** Refuses a name that a provider model, a frontend model or a pool holds; null when it is free. */
export function refuseTakenName(state: ConfigState, name: string): Refusal | null {
  const holds = (entities: ReadonlyMap<number, { name: string }>): boolean =>
    [...entities.values()].some((entity) => entity.name === name);
  const taken = (what: string): Refusal =>
    refuse('conflict', `${what} ${name} exists`, { param: 'name' });
  if (holds(state.model.byId)) return taken('model');
  if (holds(state.frontend_model.byId)) return taken('frontend model');
  if (holds(state.pool.byId)) return taken('pool');
  return null;
}
