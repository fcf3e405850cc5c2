// What stands in the way of a few entities' coming back alone: something that they refer to is not there, or another one has taken
// their place. A state is restored whole without any of this, because it stood once; but for providers whose credentials are erased.

import { parseStream, streamOf } from '../../../events/catalogue.ts';
import type { Noun } from '../../../events/nouns.ts';
import type { Provider } from '../../../projections/config/provider.ts';
import type { ConfigState } from '../../../projections/config/state.ts';
import { canonicalJson } from '../../lib/canonical-json.ts';
import type { FrontendModelId } from '../../lib/ids.ts';
import { refuseJump } from '../jump.ts';
import { nameSpaces } from '../model-name.ts';
import { kindOf, kinds } from './kinds.ts';

/**
 * `needs` is the entity that would have to be restored with it, or to stay with one that is to stay; null when that would not help.
 */
export type Conflict = Readonly<{ entity: string; needs: string | null; message: string }>;

/** Of those entities, in the state that would come of it. */
export function conflictsIn(state: ConfigState, streams: readonly string[]): Conflict[] {
  const held = heldIn(state);
  return streams.flatMap((entity) => {
    const missing = [...new Set(referencesOf(state, entity))].filter((to) => !stands(state, to));
    const rival = rivalOf(state, held, entity);
    return [
      ...missing.map((needs) => ({ entity, needs, message: `${needs} is not there` })),
      ...(rival === null ? [] : [{ entity, ...rival }]),
      ...loopOf(state, entity).map((message) => ({ entity, needs: null, message })),
    ];
  });
}

/** What of a state only one may have: the streams that have a name in a space of names, and the providers of an identity. */
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

/** One for each space of names in which the name must be unique. */
function nameKeys(noun: Noun, name: string): readonly string[] {
  const spaces =
    noun === 'model' || noun === 'frontend_model' || noun === 'pool' ? nameSpaces[noun] : [noun];
  return spaces.map((space) => `${space} ${name}`);
}

function stands(state: ConfigState, stream: string): boolean {
  const { noun, id } = parseStream(stream);
  return state[noun].byId.has(id);
}

/** Of an entity that is to stay as it is: what it refers to in the one state, and what is gone in the other. */
export const lostBy = (before: ConfigState, after: ConfigState, entity: string): Conflict[] =>
  [...new Set(referencesOf(before, entity))]
    .filter((to) => stands(before, to) && !stands(after, to))
    .map((needs) => ({ entity, needs, message: `${needs}, which it refers to, would go` }));

function referencesOf(state: ConfigState, stream: string): readonly string[] {
  const { noun, id } = parseStream(stream);
  return kindOf(noun)?.needsOf(state, id) ?? [];
}

/** Another entity that has its name, or its address with its auth. */
function rivalOf(state: ConfigState, held: Held, stream: string): Omit<Conflict, 'entity'> | null {
  const { noun, id } = parseStream(stream);
  const name = kindOf(noun)?.nameOf(state, id) ?? null;
  if (name === null) return null;
  const sharing = nameKeys(noun, name).flatMap((key) => held.names.get(key) ?? []);
  const named = sharing.find((one) => one !== stream);
  if (named !== undefined) return { needs: named, message: `${named} has its name` };
  const own = noun === 'provider' ? state.provider.byId.get(id) : undefined;
  if (own === undefined) return null;
  const other = held.providers.get(identityOf(own))?.find((one) => one.id !== id);
  if (other === undefined) return null;
  const twin = streamOf('provider', other.id);
  return { needs: twin, message: `${twin} has its address and its auth` };
}

/**
 * Of those providers, in the state that would come of a whole one: the credential that told it from another is erased, so that it would
 * be the same once more. Two that were one and the same then come back so.
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
    const message = `${streamOf('provider', twin?.id ?? 0)} would have its address and its auth, for a credential is erased`;
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

/** Jumps and refinements that would lead back to where they began. */
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
  // A set is walked in the order of insertion, what is inserted meanwhile included.
  for (const one of reached) {
    for (const next of state.prompt_class.byId.get(one)?.refines ?? []) reached.add(next);
  }
  return [...reached].some((one) => one === id) ? ['it would refine itself'] : [];
}
