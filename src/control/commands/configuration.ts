// Defines how one call reads and changes the configuration. A proposal substitutes its own
// implementation, which records the change instead of making it.

import type { ConfigState } from '../../../projections/config/state.ts';
import type { PastStates } from '../history/states.ts';
import type { Execute } from './execute.ts';

export type Configuration = Readonly<{
  /** The state at the head of the log, as far as this replica has read it. */
  state: () => ConfigState;
  /** Reads the log to its head and publishes new events. */
  refresh: () => Promise<void>;
  execute: Execute;
  past: PastStates;
}>;
