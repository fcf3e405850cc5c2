// The configuration as one call reads it and changes it. A proposal puts its own in place of that of the program, so that what would
// be changed is taken down instead.

import type { ConfigState } from '../../../projections/config/state.ts';
import type { PastStates } from '../history/states.ts';
import type { Execute } from './execute.ts';

export type Configuration = Readonly<{
  /** At the head of the log, as far as this replica has read it. */
  state: () => ConfigState;
  /** Reads the log up to its head and publishes what is new. */
  refresh: () => Promise<void>;
  execute: Execute;
  past: PastStates;
}>;
