// A state as JSON and back, for state checkpoints. What a state holds is plain data, so the text says all of it; the entities
// bear their ids themselves.

import type { Noun } from '../../events/catalogue.ts';
import { IdMap } from './id-map.ts';
import type { Slice } from './slice.ts';
import { emptyState } from './state.ts';
import type { ConfigState } from './state.ts';

type PackedSlice<Entity> = Readonly<{
  entities: readonly Entity[];
  /** Ids and the versions of their streams, in turn. */
  versions: readonly number[];
  lastId: number;
  lastParts: Slice<Entity>['lastParts'];
}>;

type EntityOf<N extends Noun> = ConfigState[N] extends Slice<infer Entity> ? Entity : never;
type Packed = Readonly<{ position: number; hash: string; version: number }> & {
  readonly [N in Noun]: PackedSlice<EntityOf<N>>;
};

/** Equal states that came from the same events give equal texts. */
export const packState = (state: ConfigState): string => {
  const packed: Packed = {
    position: state.position,
    hash: state.hash,
    version: state.version,
    principal: packSlice(state.principal),
    role: packSlice(state.role),
    api_key: packSlice(state.api_key),
    admin_token: packSlice(state.admin_token),
    provider: packSlice(state.provider),
    model: packSlice(state.model),
    frontend_model: packSlice(state.frontend_model),
    pool: packSlice(state.pool),
    prompt_class: packSlice(state.prompt_class),
    mcp_server: packSlice(state.mcp_server),
    agent: packSlice(state.agent),
    settings: packSlice(state.settings),
    change_request: packSlice(state.change_request),
  };
  return JSON.stringify(packed);
};

const packSlice = <Entity>(slice: Slice<Entity>): PackedSlice<Entity> => ({
  entities: [...slice.byId.values()],
  versions: [...slice.versions].flat(),
  lastId: slice.lastId,
  lastParts: slice.lastParts,
});

/** Throws on a text that `packState` of this fold did not write. */
export function unpackState(text: string): ConfigState {
  const packed: unknown = JSON.parse(text);
  if (!isPacked(packed)) throw new Error('this is not a packed state');
  return {
    position: packed.position,
    hash: packed.hash,
    version: packed.version,
    principal: unpackSlice(packed.principal),
    role: unpackSlice(packed.role),
    api_key: unpackSlice(packed.api_key),
    admin_token: unpackSlice(packed.admin_token),
    provider: unpackSlice(packed.provider),
    model: unpackSlice(packed.model),
    frontend_model: unpackSlice(packed.frontend_model),
    pool: unpackSlice(packed.pool),
    prompt_class: unpackSlice(packed.prompt_class),
    mcp_server: unpackSlice(packed.mcp_server),
    agent: unpackSlice(packed.agent),
    settings: unpackSlice(packed.settings),
    change_request: unpackSlice(packed.change_request),
  };
}

/** That it is whole; what is in its slices is believed, for whoever hands it over has held it against its hash. */
const isPacked = (value: unknown): value is Packed =>
  typeof value === 'object' &&
  value !== null &&
  Object.keys(emptyState).every((name) => Object.hasOwn(value, name));

function unpackSlice<Entity extends Readonly<{ id: number }>>(
  packed: PackedSlice<Entity>,
): Slice<Entity> {
  const byId = new IdMap<Entity>();
  for (const entity of packed.entities) byId.set(entity.id, entity);
  const versions = new IdMap<number>();
  for (let at = 0; at + 1 < packed.versions.length; at += 2) {
    versions.set(packed.versions[at] ?? 0, packed.versions[at + 1] ?? 0);
  }
  return { byId, versions, lastId: packed.lastId, lastParts: packed.lastParts };
}
