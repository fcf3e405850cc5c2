// Stores the configuration in memory at the last known head of the log, and at the last known
// position of this release's read models. Both are valid only while the log contains the events
// that they were folded from.

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
  /** Events of other releases are projected from here. */
  tables: () => Cursor;
  /**
   * Returns a state at `head` or later. `from` is the state of this store before the head was read,
   * or while the log was locked. Throws a LogForkedError if the log does not contain the events of
   * `from`.
   */
  catchUp: (db: Queryable, head: LogEnd, from?: Cursor) => Promise<Cursor>;
  /** The state is later than the current one, and its events and rows have been committed. */
  adopt: (cursor: Cursor) => void;
  noteTables: (standing: Standing) => void;
  /**
   * True if the log does not contain the events of the state, which must not be served, and was not
   * read again yet.
   */
  isForked: () => boolean;
  /** Drops all state and folds the log from its beginning. */
  reread: (db: Queryable, position: number) => Promise<void>;
  /** After a reread, everything derived from an earlier state is invalid. */
  rereads: () => number;
}>;

/** `initial` is the position of the read models. */
export function createConfigStore(initial: Cursor): ConfigStore {
  let current = initial;
  let tables = initial;
  let isForked = false;
  let rereads = 0;
  const follow = (cursor: Cursor): void => {
    if (isLater(cursor, current)) current = cursor;
  };
  const noteTables = ({ position, cursor }: Standing): void => {
    // An older state is good enough if it is not far behind. It needs no memory if it is the
    // current one.
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
