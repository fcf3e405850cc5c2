// Defines ConfigState: the whole configuration as a pure fold of the log. Commands are decided on
// it, read models and snapshots derive from it, and past states are folds that stop earlier.

import { parseStream, touchesSnapshot } from '../../events/catalogue.ts';
import type { FoldedEvent } from '../../events/catalogue.ts';
import type { Noun } from '../../events/nouns.ts';
import { snapshotVersion } from '../../src/lib/snapshot-version.ts';
import { eachNoun, folds } from './nouns.ts';
import type { Entities } from './nouns.ts';
import { draftSlice, emptySlice, evolveSlice, sliceOf } from './slice.ts';
import type { Slice, SliceDraft } from './slice.ts';

/**
 * Must be increased when the fold interprets an event differently, because data derived with the
 * old fold is then invalid.
 */
export const foldVersion = 10;

export type Slices = { readonly [N in Noun]: Slice<Entities[N]> };

/**
 * `position` and `hash` are those of the last event folded. `version` is the snapshot version: the
 * position of the last event that touched the snapshot, and the epoch.
 */
export type ConfigState = Readonly<{ position: number; hash: string; version: number }> & Slices;

export const emptyState: ConfigState = {
  position: 0,
  hash: '',
  version: 0,
  ...eachNoun<Slices>(() => emptySlice()),
};

/** `events` must follow `state.position` without a gap. */
export function fold(state: ConfigState, events: readonly FoldedEvent[]): ConfigState {
  const draft = openDraft(state);
  for (const event of events) applyEvent(draft, event);
  return closeDraft(draft);
}

type SliceDrafts = { readonly [N in Noun]: SliceDraft<Entities[N]> };
/** For folds that read the state between two events. */
export type Draft = { position: number; hash: string; version: number } & SliceDrafts;

export const openDraft = (state: ConfigState): Draft => ({
  position: state.position,
  hash: state.hash,
  version: state.version,
  ...eachNoun<SliceDrafts>((noun) => draftSlice<unknown>(state[noun])),
});

/** Shares the draft's maps, so it is valid only until the next event is applied. */
export const closeDraft = (draft: Draft): ConfigState => ({
  position: draft.position,
  hash: draft.hash,
  version: draft.version,
  ...eachNoun<Slices>((noun) => sliceOf<unknown>(draft[noun])),
});

export function applyEvent(draft: Draft, event: FoldedEvent): void {
  if (event.position !== draft.position + 1) {
    throw new Error(`event ${event.position} does not follow position ${draft.position}`);
  }
  const { noun, id } = parseStream(event.stream);
  evolveEntity(draft, { noun, id }, event);
  draft.position = event.position;
  draft.hash = event.hash;
  if (touchesSnapshot(event.type)) {
    const epoch = sliceOf(draft.settings).byId.get(1)?.epoch ?? 0;
    draft.version = snapshotVersion({ epoch, position: event.position });
  }
}

function evolveEntity<N extends Noun>(
  draft: Pick<SliceDrafts, N>,
  { noun, id }: Readonly<{ noun: N; id: number }>,
  event: FoldedEvent,
): void {
  evolveSlice(draft[noun], id, event, folds[noun]);
}

/** The number of events in the stream. */
export const streamVersion = (state: ConfigState, stream: string): number => {
  const { noun, id } = parseStream(stream);
  return state[noun].versions.get(id) ?? 0;
};
