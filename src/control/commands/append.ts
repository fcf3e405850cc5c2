// Mutations in a transaction that holds the log: each decided on the state behind the one before it and sealed, then all appended
// together, with their rows in the read models (audit rows and snapshot versions are among them).

import assert from 'node:assert/strict';

import { seal } from '../../../events/seal.ts';
import type { LogHead, SealedEvent } from '../../../events/seal.ts';
import { fold, streamVersion } from '../../../projections/config/state.ts';
import type { ConfigState } from '../../../projections/config/state.ts';
import { beginAdvance } from '../../../projections/read-model.ts';
import { splitCommands } from '../../../projections/rows.ts';
import type { CommandEvents, Cursor } from '../../../projections/rows.ts';
import { appendEvents, toRecorded } from '../../db/log/event-log.ts';
import type { Database } from '../../db/pool.ts';
import type { OwnedSecret, Secret, Vault } from '../../db/vault.ts';
import { decideUnderPolicy } from '../../deciders/changes/change-policy.ts';
import { refuseLockOut } from '../../deciders/callers/lock-out.ts';
import type { Clock } from '../../lib/clock.ts';
import { isRefusal, refuse } from '../../lib/refusal.ts';
import type { Refusal } from '../../lib/refusal.ts';
import { keepBudgetRows } from '../usage/budget-rows.ts';
import { refuseUnmetPolicy } from '../change-requests/reviewer.ts';
import type { ConfigStore } from '../publishing/config-store.ts';
import type { Mutation, MutationContext, Outcome } from './execute.ts';
import { keepLeaseRows } from '../providers/lease-rows.ts';
import { keepVaultRows } from '../vault/vault-rows.ts';

export type AppendDependencies = {
  vault: Pick<Vault, 'storing'>;
  store: ConfigStore;
  clock: Clock;
  newId: () => string;
  appVersion: string;
};

export type Transaction = Parameters<Parameters<Database['tx']>[0]>[0];

/** The end of the log, and the state there. `unwritten` are the commands that lead to it and are not in the log yet. */
export type Place = Readonly<{
  head: LogHead;
  state: ConfigState;
  unwritten: readonly CommandEvents[];
}>;

export type Request = Readonly<{ mutation: Mutation; context: MutationContext; txId: string }>;

/** A mutation that was decided and is not written yet. `place` is the one behind it; without `events` it changes nothing. */
export type Planned = Readonly<{
  place: Place;
  events: CommandEvents | null;
  sealed: readonly SealedEvent[];
  secrets: readonly OwnedSecret[];
  context: MutationContext;
}>;

export const outcomeOf = ({ place: { state }, events }: Planned): Outcome => ({
  state,
  events: events ?? [],
  version: state.version,
  position: state.position,
});

/** Decides the mutation at `place`, and seals its events. Writes nothing. */
export async function plan(
  tx: Transaction,
  { clock, newId, appVersion }: AppendDependencies,
  { mutation, context, txId }: Request,
  place: Place,
): Promise<Planned | Refusal> {
  const { state, head } = place;
  const unmet = (await context.precondition?.(state, tx, place.unwritten)) ?? null;
  if (unmet !== null) return unmet;
  const { command } = mutation;
  const why = whyOf(context, newId);
  const { kind, principal_id: principalId } = context.actor;
  const maker = { kind, principalId, whyRef: why?.ref ?? null };
  const decision = decideUnderPolicy(state, command, maker);
  if (isRefusal(decision)) return decision;
  if (decision.length > eventsMax) return tooManyEvents(decision.length);
  const changed = decision.length > 0;
  // A person's mutation leaves an audit row even when it changed nothing; the program's own need none.
  if (!changed && context.actor.kind === 'system') {
    return { place, events: null, sealed: [], secrets: [], context };
  }
  const noChange = { stream: 'settings-1', type: 'NoChange', data: {} } as const;
  const reason = reasonOf(context, newId);
  const sealed = seal(changed ? decision : [noChange], head, {
    txId,
    at: clock(),
    newId,
    streamVersion: (stream) => streamVersion(state, stream),
    metadata: {
      actor: context.actor,
      command: command.type,
      action: context.action,
      target: context.target,
      request_id: context.requestId,
      reason_ref: reason?.ref ?? null,
      ...(context.causation === undefined ? {} : { causation: context.causation }),
      app_version: appVersion,
    },
  });
  const said = [reason, why].filter((text) => text !== null);
  const given = [...(mutation.secrets ?? []), ...said];
  const secrets = given.flatMap((secret) => {
    const subject = subjectOf(secret, sealed);
    // A command that changed nothing refers to no secret: none is kept.
    return subject === null ? [] : [{ ...secret, subject }];
  });
  const { commands } = splitCommands(sealed.map(toRecorded));
  const [events] = commands;
  assert.ok(events !== undefined, 'a command has at least one event');
  const behind = {
    head: lastOf(sealed, head),
    state: fold(state, events),
    unwritten: [...place.unwritten, events],
  };
  const lockOut = refuseLockOut({
    before: state,
    after: behind.state,
    events,
    actor: kind,
    command: command.type,
    isForced: context.isForced === true,
  });
  if (lockOut !== null) return lockOut;
  const unmetPolicy = await refuseUnmetPolicy(tx, behind, events);
  if (unmetPolicy !== null) return unmetPolicy;
  return { place: behind, events, sealed, secrets, context };
}

const lastOf = (sealed: readonly SealedEvent[], head: LogHead): LogHead => ({
  ...head,
  ...sealed.at(-1),
});

/**
 * Writes mutations that were planned one behind the other, the first at `before`. Every round trip from the lock of the log to the
 * commit is one that all others wait for, so each statement is for all of them.
 */
export async function writePlanned(
  tx: Transaction,
  { vault, store }: AppendDependencies,
  { before, planned }: Readonly<{ before: Cursor; planned: readonly Planned[] }>,
): Promise<Cursor> {
  const commands = planned.flatMap(({ events }) => (events === null ? [] : [events]));
  const { after, move, write } = beginAdvance(before, commands);
  if (commands.length > 0) {
    const sealed = planned.flatMap((one) => one.sealed);
    const secrets = planned.flatMap((one) => one.secrets);
    const storing = secrets.length === 0 ? [] : [vault.storing(secrets)];
    const [moved] = await appendEvents(tx, sealed, [move, ...storing]);
    await write(tx, { isMoved: moved === 1, tables: store.tables() });
    await keepBudgetRows(tx, commands.flat());
    await keepLeaseRows(tx, commands.flat());
    let state = before.state;
    for (const { place, events } of planned) {
      if (events !== null) await keepVaultRows(tx, { before: state, after: place.state, events });
      state = place.state;
    }
  }
  for (const one of planned) await one.context.conclude?.(outcomeOf(one), tx);
  return after;
}

/** What one command may cause. The log is locked while its events are written, a few seconds for so many. */
const eventsMax = 50_000;

const tooManyEvents = (count: number): Refusal =>
  refuse('too_large', `this would change ${count} things at once, at most ${eventsMax} may be`);

const reasonOf = ({ reason }: MutationContext, newId: () => string): Secret | null =>
  reason === null ? null : { ref: newId(), class: 'personal', plaintext: reason };

const whyOf = ({ breakGlass = null }: MutationContext, newId: () => string): Secret | null =>
  breakGlass === null || breakGlass === ''
    ? null
    : { ref: newId(), class: 'personal', plaintext: breakGlass };

/** The stream whose event refers to the secret. */
const subjectOf = (secret: Secret, sealed: readonly SealedEvent[]): string | null =>
  sealed.find((event) => event.payload.includes(secret.ref) || event.metadata.includes(secret.ref))
    ?.stream ?? null;
