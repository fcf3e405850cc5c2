// The configuration in memory: the state at the head of the log, as far as this replica has read it, and the state at which this
// release's read models were last seen. Both hold only while the log holds what they were folded from.

import type { Queryable } from '@databases/pg';

import type { LogHead } from '../../../events/seal.ts';
import type { ConfigState } from '../../../projections/config/state.ts';
import { emptyCursor, foldTo } from '../../../projections/read-model.ts';
import type { Standing } from '../../../projections/read-model.ts';
import type { Cursor } from '../../../projections/rows.ts';
import { LogForkedError } from '../../db/log/log-forked.ts';

type LogEnd = Pick<LogHead, 'position' | 'hash'>;

export type ConfigStore = Readonly<{
  state: () => ConfigState;
  cursor: () => Cursor;
  /** Where the read models stand, or stood: what another release appends is projected on from here. */
  tables: () => Cursor;
  /**
   * Reads what the log holds up to `head`; answers with a state that stands there or later. `from` is what this store held before the
   * head was read, or while the log was locked. Throws a LogForkedError when the log does not hold what `from` was folded from.
   */
  catchUp: (db: Queryable, head: LogEnd, from?: Cursor) => Promise<Cursor>;
  /** Takes over a later state, whose events have been committed with their rows. */
  adopt: (cursor: Cursor) => void;
  /** Takes note of where the read models stand. */
  noteTables: (standing: Standing) => void;
  /** The log was found not to hold what the state was folded from, and was not read again yet: nothing may be served from the state. */
  isForked: () => boolean;
  /** Drops all that is held, and folds the log from its beginning up to `position`. */
  reread: (db: Queryable, position: number) => Promise<void>;
  /** How often that was done: what was derived from the state before is void. */
  rereads: () => number;
}>;

/** `initial` is where the read models stand. */
export function createConfigStore(initial: Cursor): ConfigStore {
  let current = initial;
  let tables = initial;
  let isForked = false;
  let rereads = 0;
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
    catchUp: async (db, head, from = current) => {
      try {
        const cursor = await foldOn(db, head, from);
        follow(cursor);
        isForked = false;
        return cursor;
      } catch (error) {
        isForked ||= error instanceof LogForkedError;
        throw error;
      }
    },
    isForked: () => isForked,
    reread: async (db, position) => {
      current = await foldTo(db, position);
      tables = emptyCursor();
      rereads += 1;
      isForked = false;
    },
    rereads: () => rereads,
  };
}

async function foldOn(db: Queryable, head: LogEnd, from: Cursor): Promise<Cursor> {
  const { position, hash } = from.state;
  if (position < head.position) return foldTo(db, head.position, from);
  const isHeld = position === head.position && (position === 0 || hash === hexOf(head));
  if (!isHeld) throw new LogForkedError(from.state);
  return from;
}

const hexOf = ({ hash }: LogEnd): string => Buffer.from(hash).toString('hex');

const isLater = (one: Cursor, other: Cursor): boolean => one.state.position > other.state.position;
