// Computes the configuration at any position of a complete export: some states are kept while folding, and others are folded from the
// nearest kept one.

import { parseStream, readEvent } from '../../../../events/catalogue.ts';
import { nameIn } from '../../../../projections/change-words.ts';
import {
  applyEvent,
  closeDraft,
  emptyState,
  openDraft,
} from '../../../../projections/config/state.ts';
import type { ConfigState, Draft } from '../../../../projections/config/state.ts';
import type { EventLine } from '../../../../events/export-check.ts';

/** Kept states share unchanged parts. They are evenly spaced; the spacing grows with the log. */
const keptMax = 64;
const firstDistance = 500;

export type States = Readonly<{
  /** Throws if the event cannot be folded; earlier states remain available. */
  add: (event: EventLine) => void;
  /** After the last event that was added. */
  last: () => ConfigState;
  /** The snapshot version there. */
  version: () => number;
  /** Null if the record is not deleted or has no name in the log. */
  deletedName: (stream: string) => string | null;
  /** The state after the event at a position. */
  at: (position: number) => Promise<ConfigState>;
}>;

/** `read` returns the events of these positions, inclusive. */
export function createStates(
  read: (from: number, to: number) => Promise<readonly EventLine[]>,
): States {
  let draft: Draft = openDraft(emptyState);
  let kept: readonly ConfigState[] = [emptyState];
  let distance = firstDistance;
  let asked: ConfigState = emptyState;
  /** By stream. */
  const deleted = new Map<string, string>();
  /** A kept state is frozen, so the fold continues in a new draft. */
  const keep = (): void => {
    const state = closeDraft(draft);
    draft = openDraft(state);
    kept = [...kept, state];
    if (kept.length <= keptMax) return;
    distance *= 2;
    kept = kept.filter(({ position }) => position % distance === 0);
  };
  const last = (): ConfigState => {
    const state = closeDraft(draft);
    draft = openDraft(state);
    return state;
  };
  return {
    add: (event) => {
      const name = nameIn(recordIn(draft, event.stream))?.text ?? null;
      applyEvent(draft, folded(event));
      const isGone = recordIn(draft, event.stream) === undefined;
      if (name !== null && isGone) deleted.set(event.stream, name);
      if (event.position % distance === 0) keep();
    },
    last,
    version: () => draft.version,
    deletedName: (stream) => deleted.get(stream) ?? null,
    at: async (position) => {
      if (asked.position === position) return asked;
      const head = last();
      if (head.position === position) return head;
      const near = [...kept, asked]
        .filter((state) => state.position <= position)
        .reduce((one, other) => (other.position > one.position ? other : one), emptyState);
      const behind = openDraft(near);
      for (const event of await read(near.position + 1, position)) {
        applyEvent(behind, folded(event));
      }
      asked = closeDraft(behind);
      return asked;
    },
  };
}

function recordIn(draft: Draft, stream: string): unknown {
  const { noun, id } = parseStream(stream);
  const { base, copy } = draft[noun];
  return (copy ?? base).byId.get(id);
}

function folded({ stream, type, schema, payload, ...event }: EventLine) {
  if (payload === null)
    throw new Error(`event ${event.position} was redacted and cannot be folded`);
  const { position, version, recorded_at: recordedAt, hash } = event;
  const read = readEvent({ stream, type, schema, data: JSON.parse(payload) });
  return { ...read, position, version, recordedAt, hash };
}
