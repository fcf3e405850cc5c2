// Finds conflicts of a partial restore: a referenced entity does not exist, or another entity took
// the name or address. A whole state has none, except for providers whose credentials were erased.

import { parseStream, streamOf } from '../../../events/catalogue.ts';
import type { Noun } from '../../../events/nouns.ts';
import type { Provider } from '../../../projections/config/provider.ts';
import type { ConfigState } from '../../../projections/config/state.ts';
import { canonicalJson } from '../../lib/canonical-json.ts';
import type { FrontendModelId } from '../../lib/ids.ts';
import { refuseJump } from '../jump.ts';
import { nameSpaces } from '../model-name.ts';
import { kindOf, kinds } from './kinds.ts';

/** `needs` is the entity that must be restored too, or must stay; null if that would not help. */
export type Conflict = Readonly<{ entity: string; needs: string | null; message: string }>;

export function conflictsIn(state: ConfigState, streams: readonly string[]): Conflict[] {
  const held = heldIn(state);
  return streams.flatMap((entity) => {
    const missing = [...new Set(referencesOf(state, entity))].filter((to) => !stands(state, to));
    const rival = rivalOf(state, held, entity);
    return [
      ...missing.map((needs) => ({ entity, needs, message: `${needs} does not exist` })),
      ...(rival === null ? [] : [{ entity, ...rival }]),
      ...loopOf(state, entity).map((message) => ({ entity, needs: null, message })),
    ];
  });
}

/** Values that must be unique in a state: names, and providers' address and auth. */
type Held = Readonly<{
  names: ReadonlyMap<string, readonly string[]>;
  providers: ReturnType<typeof identitiesIn>;
}>;

function heldIn(state: ConfigState): Held {
  const named = kinds.flatMap(({ noun, nameOf }) =>
    [...state[noun].byId.keys()].flatMap((id) => {
      const name = nameOf(state, id);
      const stream = streamOf(noun, id);
      return name === null ? [] : nameKeys(noun, name).map((key) => ({ key, stream }));
    }),
  );
  const names = new Map(
    [...Map.groupBy(named, ({ key }) => key)].map(([key, those]) => [
      key,
      those.map(({ stream }) => stream),
    ]),
  );
  return { names, providers: identitiesIn(state) };
}

/** One per name space in which the name must be unique. */
function nameKeys(noun: Noun, name: string): readonly string[] {
  const spaces =
    noun === 'model' || noun === 'frontend_model' || noun === 'pool' ? nameSpaces[noun] : [noun];
  return spaces.map((space) => `${space} ${name}`);
}

function stands(state: ConfigState, stream: string): boolean {
  const { noun, id } = parseStream(stream);
  return state[noun].byId.has(id);
}

/** References of an unchanged entity that exist before and not after. */
export const lostBy = (before: ConfigState, after: ConfigState, entity: string): Conflict[] =>
  [...new Set(referencesOf(before, entity))]
    .filter((to) => stands(before, to) && !stands(after, to))
    .map((needs) => ({
      entity,
      needs,
      message: `${needs}, which it references, would be deleted`,
    }));

function referencesOf(state: ConfigState, stream: string): readonly string[] {
  const { noun, id } = parseStream(stream);
  return kindOf(noun)?.needsOf(state, id) ?? [];
}

function rivalOf(state: ConfigState, held: Held, stream: string): Omit<Conflict, 'entity'> | null {
  const { noun, id } = parseStream(stream);
  const name = kindOf(noun)?.nameOf(state, id) ?? null;
  if (name === null) return null;
  const sharing = nameKeys(noun, name).flatMap((key) => held.names.get(key) ?? []);
  const named = sharing.find((one) => one !== stream);
  if (named !== undefined) return { needs: named, message: `${named} has the same name` };
  const own = noun === 'provider' ? state.provider.byId.get(id) : undefined;
  if (own === undefined) return null;
  const other = held.providers.get(identityOf(own))?.find((one) => one.id !== id);
  if (other === undefined) return null;
  const twin = streamOf('provider', other.id);
  return { needs: twin, message: `${twin} has the same address and auth` };
}

/**
 * Finds providers that a whole restore would make identical, because the credential that
 * distinguished them was erased. Providers that were identical in the target are not conflicts.
 */
export function twinsIn(
  state: ConfigState,
  target: ConfigState,
  streams: readonly string[],
): Conflict[] {
  const [own, then] = [identitiesIn(state), identitiesIn(target)];
  return streams.flatMap((entity) => {
    const { noun, id } = parseStream(entity);
    const wanted = noun === 'provider' ? state.provider.byId.get(id) : undefined;
    if (wanted === undefined) return [];
    const before = then.get(identityOf(target.provider.byId.get(id) ?? wanted)) ?? [];
    const twin = own
      .get(identityOf(wanted))
      ?.find((one) => one.id !== id && !before.some((other) => other.id === one.id));
    const message = `${streamOf('provider', twin?.id ?? 0)} would have the same address and auth, because a credential was erased`;
    return twin === undefined ? [] : [{ entity, needs: null, message }];
  });
}

const identitiesIn = ({ provider }: ConfigState) => Map.groupBy(provider.byId.values(), identityOf);

const identityOf = ({ endpoint, credential }: Provider): string =>
  canonicalJson([
    endpoint.api_base,
    endpoint.protocol,
    endpoint.auth_header,
    endpoint.auth_scheme,
    credential?.fingerprint ?? null,
  ]);

/** Finds loops of jumps or refinements. */
function loopOf(state: ConfigState, stream: string): readonly string[] {
  const { noun, id } = parseStream(stream);
  if (noun === 'frontend_model') {
    const own = state.frontend_model.byId.get(id);
    const jumps = own?.rules.flatMap(({ jump_to }): FrontendModelId[] =>
      jump_to !== null && state.frontend_model.byId.has(jump_to) ? [jump_to] : [],
    );
    return [...new Set(jumps)].flatMap((to) =>
      own === undefined ? [] : (refuseJump(state, own, to)?.message ?? []),
    );
  }
  if (noun !== 'prompt_class') return [];
  const reached = new Set(state.prompt_class.byId.get(id)?.refines);
  // Iterating a set also visits entries added during the iteration.
  for (const one of reached) {
    for (const next of state.prompt_class.byId.get(one)?.refines ?? []) reached.add(next);
  }
  return [...reached].some((one) => one === id) ? ['it would refine itself'] : [];
}
