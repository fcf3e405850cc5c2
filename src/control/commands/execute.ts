// Defines mutations, their context and their outcome. A mutation is one command; `commit-queue.ts`
// executes it.

import type { Queryable } from '@databases/pg';

import type { RecordedEvent } from '../../../events/catalogue.ts';
import type { EventMetadata } from '../../../events/event.ts';
import type { ConfigState } from '../../../projections/config/state.ts';
import type { CommandEvents } from '../../../projections/rows.ts';
import type { Secret } from '../../db/vault.ts';
import type { Command } from '../../deciders/decide.ts';
import { isRefusal } from '../../lib/refusal.ts';
import type { Refusal } from '../../lib/refusal.ts';

/**
 * `secrets` are the plaintexts of the refs in `command`. They are sealed into the vault. If
 * `isShownOnce`, only the response shows one of them, so that a change request cannot hold the call.
 */
export type Mutation = Readonly<{
  command: Command;
  secrets?: readonly Secret[];
  isShownOnce?: boolean;
}>;

export type CommandOf<Type extends Command['type']> = Extract<Command, { type: Type }>;

export type MutationContext = Readonly<{
  actor: EventMetadata['actor'];
  /** The action in the audit row: HTTP method and path, or `CLI` and the command's name. */
  action: string;
  target: string;
  requestId: string;
  /** Free text, stored in the vault. */
  reason: string | null;
  /**
   * The reason for bypassing the approval that the change policy requires. Stored in the vault. A
   * review is then due.
   */
  breakGlass?: string | null;
  /** Allows a change that leaves no administrator. */
  isForced?: boolean;
  /** The position of the log whose state the mutation restores. */
  causation?: EventMetadata['causation'];
  /**
   * Runs under the lock, on the state that the command is decided on. `unwritten` are the commands
   * before this state that are not in the database yet.
   */
  precondition?: (
    state: ConfigState,
    tx: Queryable,
    unwritten: readonly CommandEvents[],
  ) => Promise<Refusal | null>;
  /**
   * Mutations with the same text do not share a transaction. Needed if `precondition` reads what
   * `conclude` writes.
   */
  exclusive?: string | null;
  /**
   * Called before the commit. Its writes through `tx` are committed or rolled back with the change.
   */
  conclude?: (outcome: Outcome, tx: Queryable) => Promise<void>;
}>;

/** `version` is the snapshot version that contains the change. */
export type Outcome = Readonly<{
  state: ConfigState;
  events: readonly RecordedEvent[];
  version: number;
  position: number;
}>;

/** Refuses with `unavailable` if the database is unreachable or the log stays locked. */
export type Execute = (mutation: Mutation, context: MutationContext) => Promise<Outcome | Refusal>;

/** Returns the result of `conclude`, which runs in the mutation's transaction. */
export async function executeFor<Value>(
  execute: Execute,
  mutation: Mutation,
  context: MutationContext,
  conclude: (outcome: Outcome, tx: Queryable) => Promise<Value>,
): Promise<Value | Refusal> {
  // Keeps the last result: a mutation that fails together with others is executed and concluded
  // again.
  const concluded: { last?: Value } = {};
  const outcome = await execute(mutation, {
    ...context,
    conclude: async (made, tx) => {
      concluded.last = await conclude(made, tx);
    },
  });
  if (isRefusal(outcome)) return outcome;
  if (concluded.last === undefined) throw new Error('a committed mutation has no result');
  return concluded.last;
}
