// Serialises a state to JSON and back, for state checkpoints. A state holds only plain data.

import { allNouns } from '../../events/nouns.ts';
import type { Noun } from '../../events/nouns.ts';
import { IdMap, pageIds, pagesInOrder } from './id-map.ts';
import type { ReadonlyIdMap } from './id-map.ts';
import { eachNoun } from './nouns.ts';
import type { Entities } from './nouns.ts';
import type { Slice } from './slice.ts';
import { emptyState } from './state.ts';
import type { ConfigState, Slices } from './state.ts';

type PackedSlice<Entity> = Readonly<{
  entities: readonly Entity[];
  /** Alternating ids and stream versions. */
  versions: readonly number[];
  lastId: number;
  lastParts: Slice<Entity>['lastParts'];
}>;

type PackedSlices = { readonly [N in Noun]: PackedSlice<Entities[N]> };
type Packed = Readonly<{ position: number; hash: string; version: number }> & PackedSlices;

/** Equal states give equal texts. */
export const packState = (state: ConfigState): string => [...packedTexts(state)].join('');

/** The parts of the text, one page of ids at a time. */
export function* packedTexts(state: ConfigState): Generator<string> {
  const { position, hash, version } = state;
  yield JSON.stringify({ position, hash, version }).slice(0, -1);
  for (const { noun } of allNouns) {
    yield `,${JSON.stringify(noun)}:`;
    yield* sliceTexts(state[noun]);
  }
  yield '}';
}

function* sliceTexts({ byId, versions, lastId, lastParts }: Slice<unknown>): Generator<string> {
  yield '{"entities":[';
  yield* pageTexts(byId, (_id, entity) => JSON.stringify(entity));
  yield '],"versions":[';
  yield* pageTexts(versions, (id, version) => `${id},${version}`);
  yield `],"lastId":${lastId},"lastParts":${JSON.stringify(lastParts)}}`;
}

function* pageTexts<Value>(
  map: ReadonlyIdMap<Value>,
  textOf: (id: number, value: Value) => string,
): Generator<string> {
  let separator = '';
  for (const [number, page] of pagesInOrder(map)) {
    const texts = page.flatMap((value, at) =>
      value === undefined ? [] : [textOf(number * pageIds + at, value)],
    );
    yield `${separator}${texts.join()}`;
    separator = ',';
  }
}

/** Throws on a text that `packState` of this fold did not write. */
export function unpackState(text: string): ConfigState {
  const packed: unknown = JSON.parse(text);
  if (!isPacked(packed)) throw new Error('this is not a packed state');
  return {
    position: packed.position,
    hash: packed.hash,
    version: packed.version,
    ...eachNoun<Slices>((noun) => unpackSlice<{ id: number }>(packed[noun])),
  };
}

/** Checks the structure only. The caller has compared the content with its hash. */
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
