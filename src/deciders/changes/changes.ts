// Decides several commands as one: each on the state after the previous ones, and either all or
// none take effect. Their events must equal those shown when the commands were prepared.

import type { GwEvent } from '../../../events/catalogue.ts';
import type { ConfigState } from '../../../projections/config/state.ts';
import { canonicalJson } from '../../lib/canonical-json.ts';
import { isRefusal, refuse } from '../../lib/refusal.ts';
import type { Refusal } from '../../lib/refusal.ts';
import type { Decision } from '../decision.ts';
import { createUnfolding } from '../reconcile/unfolding.ts';

export type Changes<Own> = Readonly<{
  commands: readonly Own[];
  /** Those shown when the commands were prepared. */
  events: readonly GwEvent[];
}>;

export type DecideOne<Own> = (state: ConfigState, command: Own) => Decision;

export function decideChanges<Own>(
  state: ConfigState,
  { commands, ...planned }: Changes<Own>,
  decide: DecideOne<Own>,
): Decision {
  const unfolded = decideCalls(state, commands, decide);
  if (isRefusal(unfolded)) return unfolded;
  return asPlanned(unfolded.events.flat(), planned);
}

export const asPlanned = (
  decided: readonly GwEvent[],
  { events }: Readonly<{ events: readonly GwEvent[] }>,
): Decision => (canonicalJson(decided) === canonicalJson(events) ? decided : movedOn);

/** The events of each command, and the state after all. */
export type Unfolded = Readonly<{
  events: readonly (readonly GwEvent[])[];
  state: ConfigState;
}>;

/** A refusal names the command by its index, from 0. */
export function decideCalls<Own>(
  state: ConfigState,
  commands: readonly Own[],
  decide: DecideOne<Own>,
): Unfolded | Refusal {
  const on = createUnfolding(state);
  const events: (readonly GwEvent[])[] = [];
  for (const [index, command] of commands.entries()) {
    const decision = decide(on.state(), command);
    const refusal = on.take(decision);
    if (refusal !== null) {
      const param = `calls.${index}`;
      return refuse('conflict', `${param}: ${refusal.message}`, { param });
    }
    if (!isRefusal(decision)) events.push(decision);
  }
  return { events, state: on.state() };
}

const movedOn = refuse(
  'conflict',
  'the configuration has changed since these calls were prepared; send them again',
);
