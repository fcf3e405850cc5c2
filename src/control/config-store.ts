// The configuration in memory: the state at the head of the log, as far as this replica has read it.

import type { Queryable } from '@databases/pg';

import { fold } from '../../projections/config/state.ts';
import type { ConfigState } from '../../projections/config/state.ts';
import { movedContentHash } from '../../projections/content-hash.ts';
import type { Cursor } from '../../projections/rows.ts';
import { readEvents } from '../db/event-log.ts';

export type ConfigStore = Readonly<{
  state: () => ConfigState;
  cursor: () => Cursor;
  /** Reads what the log holds up to `position` and this store does not; answers with a state that stands there or later. */
  catchUp: (db: Queryable, position: number) => Promise<Cursor>;
  /** Takes over a later state, whose events have been committed. */
  adopt: (cursor: Cursor) => void;
}>;

const pageEvents = 5000;

export function createConfigStore(initial: Cursor): ConfigStore {
  let current = initial;
  const adopt = (cursor: Cursor): void => {
    if (cursor.state.position > current.state.position) current = cursor;
  };
  return {
    state: () => current.state,
    cursor: () => current,
    adopt,
    catchUp: async (db, position) => {
      let cursor = current;
      while (cursor.state.position < position) {
        const after = cursor.state.position;
        const events = await readEvents(db, { after, limit: pageEvents });
        if (events.length === 0) throw new Error(`the log ends at ${after}, before ${position}`);
        const state = fold(cursor.state, events);
        const streams = events.map((event) => event.stream);
        cursor = { state, content: movedContentHash(cursor.content, state, streams) };
      }
      adopt(cursor);
      return cursor;
    },
  };
}
