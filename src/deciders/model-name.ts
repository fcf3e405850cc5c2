// One space of names for what a client or a rule may call: provider models, frontend models and pools.

import { streamOf } from '../../events/catalogue.ts';
import type { GwEvent } from '../../events/catalogue.ts';
import type { Model } from '../../projections/config/model.ts';
import type { ConfigState } from '../../projections/config/state.ts';
import { modelNameField } from '../lib/fields.ts';
import { refuse } from '../lib/refusal.ts';
import type { Refusal } from '../lib/refusal.ts';
import type { Decision } from './decision.ts';
import { isUnclaimed } from './model-reference.ts';

/** Refuses a name that a provider model, a frontend model or a pool holds; null when it is free. */
export function refuseTakenName(state: ConfigState, name: string): Refusal | null {
  const taken = (what: string): Refusal =>
    refuse('conflict', `${what} ${name} exists`, { param: 'name' });
  if (isHeld(state.model.byId, name)) return taken('model');
  if (isHeld(state.frontend_model.byId, name)) return taken('frontend model');
  if (isHeld(state.pool.byId, name)) return taken('pool');
  return null;
}

/** Gives an operator a name: a learned model that no one reaches yields it, so that hosts cannot reserve names. */
export function claimName(state: ConfigState, name: string): Decision {
  const holder = [...state.model.byId.values()].find((model) => model.name === name);
  if (holder !== undefined && isUnclaimed(state, holder)) return [yielded(state, holder)];
  return refuseTakenName(state, name) ?? [];
}

/** It is renamed after its provider, or forgotten where that name cannot be had either: the next sweep learns it again. */
function yielded(state: ConfigState, { id, name, backend }: Model): GwEvent {
  const stream = streamOf('model', id);
  const provider = backend === null ? undefined : state.provider.byId.get(backend.providerId);
  const next = `${name}@${provider?.name ?? ''}`;
  const isFree = refuseTakenName(state, next) === null && modelNameField.safeParse(next).success;
  return provider !== undefined && isFree
    ? { stream, type: 'ModelRenamed', data: { id, name: next } }
    : { stream, type: 'ModelDeleted', data: { id } };
}

const isHeld = (entities: ReadonlyMap<number, { name: string }>, name: string): boolean =>
  [...entities.values()].some((entity) => entity.name === name);
