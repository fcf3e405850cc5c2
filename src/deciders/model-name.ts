// The names of what a client or a rule can call: provider models, frontend models and pools.

import { streamOf } from '../../events/catalogue.ts';
import type { GwEvent } from '../../events/catalogue.ts';
import type { Model } from '../../projections/config/model.ts';
import type { ConfigState } from '../../projections/config/state.ts';
import { modelNameField } from '../lib/fields.ts';
import { refuse } from '../lib/refusal.ts';
import type { Refusal } from '../lib/refusal.ts';
import type { Decision } from './decision.ts';
import { isUnclaimed } from './model-reference.ts';

type NamedNoun = 'model' | 'frontend_model' | 'pool';

/**
 * Where the name of each must be unique. A frontend model may have the name of a provider model: clients that call it reach the
 * frontend model, while targets, pool members and grants name the provider model. Targets name a model or a pool, and no one should
 * have to ask whether a name is a pool or what clients call, so a pool shares its name with neither.
 */
export const nameSpaces: Readonly<Record<NamedNoun, readonly ('model' | 'frontend_model')[]>> = {
  model: ['model'],
  frontend_model: ['frontend_model'],
  pool: ['model', 'frontend_model'],
};

/** Null when an entity of that kind can have the name; refuses one that is held. */
export function refuseTakenName(state: ConfigState, noun: NamedNoun, name: string): Refusal | null {
  const taken = (what: string): Refusal =>
    refuse('conflict', `${what} ${name} exists`, { param: 'name' });
  const spaces = nameSpaces[noun];
  if (spaces.includes('model') && isHeld(state.model.byId, name)) return taken('model');
  if (spaces.includes('frontend_model') && isHeld(state.frontend_model.byId, name)) {
    return taken('frontend model');
  }
  return isHeld(state.pool.byId, name) ? taken('pool') : null;
}

/** Nothing has the name, of whatever kind: for a name that no operator chose. */
export const isFreeName = (state: ConfigState, name: string): boolean =>
  refuseTakenName(state, 'pool', name) === null;

/** Gives an operator a name: a learned model that no one reaches yields it, so that hosts cannot reserve names. */
export function claimName(state: ConfigState, noun: NamedNoun, name: string): Decision {
  const holder = [...state.model.byId.values()].find((model) => model.name === name);
  const isRival = holder !== undefined && nameSpaces[noun].includes('model');
  if (isRival && isUnclaimed(state, holder)) return [yielded(state, holder)];
  return refuseTakenName(state, noun, name) ?? [];
}

/** It is renamed after its provider, or forgotten where that name cannot be had either: the next sweep learns it again. */
function yielded(state: ConfigState, { id, name, backend }: Model): GwEvent {
  const stream = streamOf('model', id);
  const provider = backend === null ? undefined : state.provider.byId.get(backend.providerId);
  const next = `${name}@${provider?.name ?? ''}`;
  const isFree = isFreeName(state, next) && modelNameField.safeParse(next).success;
  return provider !== undefined && isFree
    ? { stream, type: 'ModelRenamed', data: { id, name: next } }
    : { stream, type: 'ModelDeleted', data: { id } };
}

const isHeld = (entities: ReadonlyMap<number, { name: string }>, name: string): boolean =>
  [...entities.values()].some((entity) => entity.name === name);
