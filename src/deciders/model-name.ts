// Keeps the names of provider models, frontend models and pools unique.

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
 * A frontend model may share its name with a provider model: clients reach the frontend model,
 * while targets, pool members and grants name the provider model. Targets name models or pools, so
 * a pool must not share its name with either.
 */
export const nameSpaces: Readonly<Record<NamedNoun, readonly ('model' | 'frontend_model')[]>> = {
  model: ['model'],
  frontend_model: ['frontend_model'],
  pool: ['model', 'frontend_model'],
};

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

/** For names that no operator chose. */
export const isFreeName = (state: ConfigState, name: string): boolean =>
  refuseTakenName(state, 'pool', name) === null;

/**
 * A learned model that is not referenced loses a name that an operator wants, so that hosts cannot
 * reserve names.
 */
export function claimName(state: ConfigState, noun: NamedNoun, name: string): Decision {
  const holder = [...state.model.byId.values()].find((model) => model.name === name);
  const isRival = holder !== undefined && nameSpaces[noun].includes('model');
  if (isRival && isUnclaimed(state, holder)) return [yielded(state, holder)];
  return refuseTakenName(state, noun, name) ?? [];
}

/**
 * Renames the model after its provider, or deletes it if that name is taken too. The next sweep
 * learns it again.
 */
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
