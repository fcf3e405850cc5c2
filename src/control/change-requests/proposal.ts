// Collects the commands of several changes that are proposed together. Each is decided on the state
// after the previous ones.

import type { GwEvent } from '../../../events/catalogue.ts';
import type { ConfigState } from '../../../projections/config/state.ts';
import type { Secret } from '../../db/vault.ts';
import { decide, isSingle } from '../../deciders/decide.ts';
import type { SingleCommand } from '../../deciders/decide.ts';
import { createUnfolding } from '../../deciders/reconcile/unfolding.ts';
import { refuse } from '../../lib/refusal.ts';
import type { Refusal } from '../../lib/refusal.ts';
import type { Mutation } from '../commands/execute.ts';

/** `state` is the state after the events. */
export type Proposal = Readonly<{
  commands: readonly SingleCommand[];
  secrets: readonly Secret[];
  events: readonly GwEvent[];
  /** The number of events per command. */
  counts: readonly number[];
  state: ConfigState;
}>;

export type OpenProposal = Readonly<{
  /** Valid until the next command. */
  state: () => ConfigState;
  /** Null unless the command is refused. */
  add: (mutation: Mutation) => Refusal | null;
  close: () => Proposal;
}>;

export function openProposal(from: ConfigState): OpenProposal {
  const on = createUnfolding(from);
  const commands: SingleCommand[] = [];
  const secrets: Secret[] = [];
  const counts: number[] = [];
  return {
    state: on.state,
    add: ({ command, secrets: own = [], isShownOnce = false }) => {
      if (isShownOnce) return shownOnce;
      // No route that may be proposed executes such a command.
      if (!isSingle(command)) throw new Error('a proposed call made a proposal itself');
      const before = on.events().length;
      const refusal = on.take(decide(on.state(), command));
      if (refusal !== null) return refusal;
      commands.push(command);
      secrets.push(...own);
      counts.push(on.events().length - before);
      return null;
    },
    close: () => ({ commands, secrets, events: on.events(), counts, state: on.state() }),
  };
}

const shownOnce = refuse(
  'invalid',
  'only the answer to the call itself shows the secret that gw makes; send a secret of your own',
  { param: 'secret' },
);
