// What a mutation is, who makes it, and what it results in. A mutation is one command: `commit-queue.ts` runs it.

import type { Queryable } from '@databases/pg';

import type { RecordedEvent } from '../../../events/catalogue.ts';
import type { EventMetadata } from '../../../events/event.ts';
import type { ConfigState } from '../../../projections/config/state.ts';
import type { CommandEvents } from '../../../projections/rows.ts';
import type { Secret } from '../../db/vault.ts';
import type { Command } from '../../deciders/decide.ts';
import { isRefusal } from '../../lib/refusal.ts';
import type { Refusal } from '../../lib/refusal.ts';

/** `secrets` are the plaintexts behind the refs in `command`; they are sealed into the vault with its events. */
export type Mutation = Readonly<{ command: Command; secrets?: readonly Secret[] }>;

/** What a command of this type holds. */
export type CommandOf<Type extends Command['type']> = Extract<Command, { type: Type }>;

export type MutationContext = Readonly<{
  actor: EventMetadata['actor'];
  /** What the audit row says: HTTP method and path, or `CLI` and the command's name. */
  action: string;
  target: string;
  requestId: string;
  /** Free text of the actor, kept in the vault. */
  reason: string | null;
  /** Why it is to be made although the change policy asks for an approval; kept in the vault. A review is due then. */
  breakGlass?: string | null;
  /** It is made even when it leaves no administrator. */
  isForced?: boolean;
  /** The position of the log whose state the mutation brings back. */
  causation?: EventMetadata['causation'];
  /**
   * Asked under the lock, on the state that is decided on: much may have changed while the mutation was prepared. `unwritten` are the
   * commands that lead to the state and are not in the database yet.
   */
  precondition?: (
    state: ConfigState,
    tx: Queryable,
    unwritten: readonly CommandEvents[],
  ) => Promise<Refusal | null>;
  /** Two mutations with the same text here are not made in one transaction: `precondition` reads what `conclude` writes. */
  exclusive?: string | null;
  /** Called before the commit, with all tables written. What it writes by `tx` stands or falls with the change. */
  conclude?: (outcome: Outcome, tx: Queryable) => Promise<void>;
}>;

/** `version` is the snapshot version that holds the change. */
export type Outcome = Readonly<{
  state: ConfigState;
  events: readonly RecordedEvent[];
  version: number;
  position: number;
}>;

/** Refuses with `unavailable` when the database is away or the log stays locked for too long. */
export type Execute = (mutation: Mutation, context: MutationContext) => Promise<Outcome | Refusal>;

/** Executes a mutation, and answers what `conclude` makes of its outcome in its transaction. */
export async function executeFor<Value>(
  execute: Execute,
  mutation: Mutation,
  context: MutationContext,
  conclude: (outcome: Outcome, tx: Queryable) => Promise<Value>,
): Promise<Value | Refusal> {
  // A mutation that fails together with others is made once more, and concluded once more: the last time counts.
  const concluded: { last?: Value } = {};
  const outcome = await execute(mutation, {
    ...context,
    conclude: async (made, tx) => {
      concluded.last = await conclude(made, tx);
    },
  });
  if (isRefusal(outcome)) return outcome;
  if (concluded.last === undefined) throw new Error('a mutation was made without its answer');
  return concluded.last;
}
