// What a projected table is: its columns as data, and the pure functions that say which rows it holds. The DDL, the fingerprint
// and every write come from this description; read-model.ts is the only code that runs them.

import type { RecordedEvent } from '../../events/catalogue.ts';
import type { Noun } from '../../events/nouns.ts';
import type { Columns } from '../../src/db/columns.ts';
import type { Principal } from '../config/principal.ts';
import type { ConfigState } from '../config/state.ts';

/** timestamptz as RFC 3339 text, jsonb as JSON text. */
export type Value = string | number | boolean | null;
export type Row = Readonly<Record<string, Value>>;

type Description = Readonly<{
  name: string;
  /** Raised with every change of what `rows` returns: it enters the fingerprint. */
  version: number;
  columns: Columns;
  primaryKey: readonly string[];
  unique?: readonly (readonly string[])[];
  indexes?: readonly (readonly string[])[];
}>;

/** A table that holds the present: all rows of an entity are replaced when one of its events came. */
export type EntityTable = Description &
  Readonly<{
    noun: Noun;
    /** The column that holds the entity's id. */
    owner: string;
    rows: (state: ConfigState, id: number) => readonly Row[];
  }>;

/** The events of one command, in order, the state behind them, and the actor as it was before. `at` is their time, RFC 3339. */
export type Change = Readonly<{
  events: readonly [RecordedEvent, ...RecordedEvent[]];
  at: string;
  state: ConfigState;
  actor: Principal | null;
  contentHash: string;
}>;

/** A table that holds the past: each command may add rows, none is ever changed. */
export type JournalTable = Description & Readonly<{ rows: (change: Change) => readonly Row[] }>;

export const rfc3339 = (epochMs: number): string => new Date(epochMs).toISOString();
