// The configuration as it stood at any position of an export that begins with its log: folded as the events are read, kept here and
// there on the way, and folded on from the nearest one that is kept when it is asked for.

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

/** States that are kept. They share what does not differ; from one to the next lie equally many events, more and more of them. */
const keptMax = 64;
const firstDistance = 500;

export type States = Readonly<{
  /** The next event. Throws when it cannot be read; the states before it can still be asked for. */
  add: (event: EventLine) => void;
  /** Behind the last event that could be added. */
  last: () => ConfigState;
  /** The snapshot version there. */
  version: () => number;
  /** The last name of a record that was deleted; null for one that was not, and where its kind has no name in the log. */
  deletedName: (stream: string) => string | null;
  /** At a position up to that one. */
  at: (position: number) => Promise<ConfigState>;
}>;

/** `read` answers the events of these positions, both of them in it. */
export function createStates(
  read: (from: number, to: number) => Promise<readonly EventLine[]>,
): States {
  let draft: Draft = openDraft(emptyState);
  let kept: readonly ConfigState[] = [emptyState];
  let distance = firstDistance;
  let asked: ConfigState = emptyState;
  /** By stream: an entry for each deleted record that has a name. */
  const deleted = new Map<string, string>();
  /** What is kept is no more to be written, so the fold goes on in another draft. */
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
