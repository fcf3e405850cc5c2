// Defines slices: all entities of one noun, with the rule to fold them. A fold copies a slice at
// its first write and owns the copy until it is complete. States share unchanged slices and the
// unchanged pages of changed ones.

import type { NewEvent, Recorded } from '../../events/event.ts';
import { IdMap } from './id-map.ts';
import type { ReadonlyIdMap } from './id-map.ts';

/**
 * `versions` counts the events of each stream, also of deleted entities. `lastId` is the highest id
 * ever assigned. `lastParts` has the highest id of each series of parts (rules, targets), which are
 * unique within the noun.
 */
export type Slice<Entity> = Readonly<{
  byId: ReadonlyIdMap<Entity>;
  versions: ReadonlyIdMap<number>;
  lastId: number;
  lastParts: Parts;
}>;

type Parts = Readonly<Record<string, number>>;

export const emptySlice = <Entity>(): Slice<Entity> => ({
  byId: new IdMap(),
  versions: new IdMap(),
  lastId: 0,
  lastParts: {},
});

export type SliceDraft<Entity> = {
  base: Slice<Entity>;
  copy: {
    byId: IdMap<Entity>;
    versions: IdMap<number>;
    lastId: number;
    lastParts: Parts;
  } | null;
};

export const draftSlice = <Entity>(base: Slice<Entity>): SliceDraft<Entity> => ({
  base,
  copy: null,
});

export const sliceOf = <Entity>(draft: SliceDraft<Entity>): Slice<Entity> =>
  draft.copy ?? draft.base;

export type Evolve<Entity, Event extends NewEvent> = (
  entity: Entity | undefined,
  event: Event,
  recordedAt: number,
  /** The number of the event in its stream, which counts on after a deletion. */
  version: number,
) => Entity | undefined;

export type FoldRule<Entity, Event extends NewEvent> = Readonly<{
  types: Readonly<Record<string, unknown>>;
  evolve: Evolve<Entity, Event>;
  /** By series. */
  parts?: (event: Event) => Parts;
}>;

/**
 * NoChange only counts in its stream. Throws on an event of another noun's type, which would
 * otherwise be lost.
 */
export function evolveSlice<Entity, Event extends NewEvent>(
  draft: SliceDraft<Entity>,
  id: number,
  event: NewEvent & Pick<Recorded, 'version' | 'recordedAt'>,
  rule: FoldRule<Entity, Event>,
): void {
  const { base } = draft;
  draft.copy ??= {
    byId: new IdMap(base.byId),
    versions: new IdMap(base.versions),
    lastId: base.lastId,
    lastParts: base.lastParts,
  };
  draft.copy.versions.set(id, event.version);
  const belongs = (candidate: NewEvent): candidate is Event =>
    Object.hasOwn(rule.types, candidate.type);
  if (event.type === 'NoChange') return;
  if (!belongs(event)) throw new Error(`${event.type} does not belong on ${event.stream}`);
  if (rule.parts !== undefined) {
    draft.copy.lastParts = highest(draft.copy.lastParts, rule.parts(event));
  }
  const entity = rule.evolve(draft.copy.byId.get(id), event, event.recordedAt, event.version);
  if (entity === undefined) {
    draft.copy.byId.delete(id);
    return;
  }
  draft.copy.byId.set(id, entity);
  draft.copy.lastId = Math.max(draft.copy.lastId, id);
}

function highest(held: Parts, given: Parts): Parts {
  const raised = Object.entries(given).filter(([series, id]) => id > (held[series] ?? 0));
  return raised.length === 0 ? held : { ...held, ...Object.fromEntries(raised) };
}
