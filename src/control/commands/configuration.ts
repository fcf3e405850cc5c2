// Defines how a call reads and changes the configuration. A proposal substitutes an implementation
// that records the change instead of making it.

import type { ConfigState } from '../../../projections/config/state.ts';
import type { PastStates } from '../history/states.ts';
import type { Execute } from './execute.ts';

export type Configuration = Readonly<{
  /** The state up to which this replica has read the log. */
  state: () => ConfigState;
  /** Reads the log to its head and publishes new events. */
  refresh: () => Promise<void>;
  execute: Execute;
  past: PastStates;
}>;
