// Describes projected tables: columns as data, and pure functions that return their rows. DDL,
// fingerprint and writes derive from it; only read-model.ts executes them.

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
  /**
   * Must be increased with every change of the result of `rows`, because it is part of the
   * fingerprint.
   */
  version: number;
  columns: Columns;
  primaryKey: readonly string[];
  unique?: readonly (readonly string[])[];
  indexes?: readonly (readonly string[])[];
}>;

/** All rows of an entity are replaced after each of its events. */
export type EntityTable = Description &
  Readonly<{
    noun: Noun;
    /** The column with the entity's id. */
    owner: string;
    rows: (state: ConfigState, id: number) => readonly Row[];
  }>;

/**
 * The events of one command in order, the state after them, and the actor before. `at` is RFC 3339.
 */
export type Change = Readonly<{
  events: readonly [RecordedEvent, ...RecordedEvent[]];
  at: string;
  state: ConfigState;
  actor: Principal | null;
  contentHash: string;
}>;

/** Each command may add rows, and no row is ever changed. */
export type JournalTable = Description & Readonly<{ rows: (change: Change) => readonly Row[] }>;

export const rfc3339 = (epochMs: number): string => new Date(epochMs).toISOString();
