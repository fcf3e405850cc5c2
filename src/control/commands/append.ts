// Appends mutations in a transaction that holds the log lock. Each mutation is decided on the state
// after the previous one. Then all are written together with their read-model rows, audit rows and
// snapshot versions.

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

/**
 * The end of the log and the state there. `unwritten` are the commands before it that are not in
 * the log yet.
 */
export type Place = Readonly<{
  head: LogHead;
  state: ConfigState;
  unwritten: readonly CommandEvents[];
}>;

export type Request = Readonly<{ mutation: Mutation; context: MutationContext; txId: string }>;

/**
 * A decided but unwritten mutation. `place` is the end of the log after it. `events` is null if it
 * changes nothing.
 */
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
  // A person's mutation writes an audit row even if it changes nothing. The program's own mutations
  // do not.
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
  const reasons = [reason, why].filter((text) => text !== null);
  const given = [...(mutation.secrets ?? []), ...reasons];
  const secrets = given.flatMap((secret) => {
    const subject = subjectOf(secret, sealed);
    // Drops secrets that no event refers to, which are those of a command that changed nothing.
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
 * Writes consecutive planned mutations in one statement, because all other writers wait while the
 * log is locked.
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

/** Per command. The log stays locked while they are written: a few seconds at this size. */
const eventsMax = 50_000;

const tooManyEvents = (count: number): Refusal =>
  refuse(
    'too_large',
    `this would produce ${count} events; the maximum is ${eventsMax}; split the change`,
  );

const reasonOf = ({ reason }: MutationContext, newId: () => string): Secret | null =>
  reason === null ? null : { ref: newId(), class: 'personal', plaintext: reason };

const whyOf = ({ breakGlass = null }: MutationContext, newId: () => string): Secret | null =>
  breakGlass === null || breakGlass === ''
    ? null
    : { ref: newId(), class: 'personal', plaintext: breakGlass };

const subjectOf = (secret: Secret, sealed: readonly SealedEvent[]): string | null =>
  sealed.find((event) => event.payload.includes(secret.ref) || event.metadata.includes(secret.ref))
    ?.stream ?? null;
