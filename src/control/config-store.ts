// The configuration in memory: the state at the head of the log, as far as this replica has read it.

import type { Queryable } from '@databases/pg';

import type { ConfigState } from '../../projections/config/state.ts';
import { foldTo } from '../../projections/read-model.ts';
import type { Cursor } from '../../projections/rows.ts';

export type ConfigStore = Readonly<{
  state: () => ConfigState;
  cursor: () => Cursor;
  /** Reads what the log holds up to `position` and this store does not; answers with a state that stands there or later. */
  catchUp: (db: Queryable, position: number) => Promise<Cursor>;
  /** Takes over a later state, whose events have been committed. */
  adopt: (cursor: Cursor) => void;
}>;

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
      const from = current;
      const cursor = from.state.position < position ? await foldTo(db, position, from) : from;
      adopt(cursor);
      return cursor;
    },
  };
}
