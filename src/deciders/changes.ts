// The rule of several commands made as one: each is decided on the state that those before it lead to, and all of them are made or
// none. What they come to must be what it came to when they were made ready.

import type { GwEvent } from '../../events/catalogue.ts';
import type { ConfigState } from '../../projections/config/state.ts';
import { canonicalJson } from '../lib/canonical-json.ts';
import { refuse } from '../lib/refusal.ts';
import type { Decision } from './decision.ts';
import { createUnfolding } from './import/unfolding.ts';

export type Changes<Own> = Readonly<{
  commands: readonly Own[];
  /** What they came to when they were made ready, and were perhaps looked at. */
  events: readonly GwEvent[];
}>;

/** A refusal names the command by its place, from 0. */
export function decideChanges<Own>(
  state: ConfigState,
  { commands, events }: Changes<Own>,
  decide: (state: ConfigState, command: Own) => Decision,
): Decision {
  const on = createUnfolding(state);
  for (const [index, command] of commands.entries()) {
    const refusal = on.take(decide(on.state(), command));
    if (refusal !== null) {
      const param = `calls.${index}`;
      return refuse('conflict', `${param}: ${refusal.message}`, { param });
    }
  }
  return canonicalJson(on.events()) === canonicalJson(events) ? on.events() : movedOn;
}

const movedOn = refuse(
  'conflict',
  'the configuration has moved on since these calls were made ready; send them again',
);
