// The configuration in memory: the state at the head of the log, as far as this replica has read it, and the state at which this
// release's read models were last seen.

import type { Queryable } from '@databases/pg';

import type { ConfigState } from '../../projections/config/state.ts';
import { foldTo } from '../../projections/read-model.ts';
import type { Standing } from '../../projections/read-model.ts';
import type { Cursor } from '../../projections/rows.ts';

export type ConfigStore = Readonly<{
  state: () => ConfigState;
  cursor: () => Cursor;
  /** Where the read models stand, or stood: what another release appends is projected on from here. */
  tables: () => Cursor;
  /** Reads what the log holds up to `position` and this store does not; answers with a state that stands there or later. */
  catchUp: (db: Queryable, position: number) => Promise<Cursor>;
  /** Takes over a later state, whose events have been committed with their rows. */
  adopt: (cursor: Cursor) => void;
  /** Takes note of where the read models stand. */
  noteTables: (standing: Standing) => void;
}>;

/** `initial` is where the read models stand. */
export function createConfigStore(initial: Cursor): ConfigStore {
  let current = initial;
  let tables = initial;
  const follow = (cursor: Cursor): void => {
    if (isLater(cursor, current)) current = cursor;
  };
  const noteTables = ({ position, cursor }: Standing): void => {
    // An older state is as good while it is not far behind, and costs no memory when it is the one that is held anyway.
    const known = current.state.position <= position ? current : cursor;
    if (isLater(known, tables)) tables = known;
  };
  return {
    state: () => current.state,
    cursor: () => current,
    tables: () => tables,
    noteTables,
    adopt: (cursor) => {
      follow(cursor);
      noteTables({ position: cursor.state.position, cursor });
    },
    catchUp: async (db, position) => {
      const from = current;
      const cursor = from.state.position < position ? await foldTo(db, position, from) : from;
      follow(cursor);
      return cursor;
    },
  };
}

const isLater = (one: Cursor, other: Cursor): boolean => one.state.position > other.state.position;
