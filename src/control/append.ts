// One mutation in a transaction that holds the log: decided on the state behind what is there, sealed, appended, with its rows in the
// read models (the audit row and the snapshot version are among them).

import assert from 'node:assert/strict';

import type { RecordedEvent } from '../../events/catalogue.ts';
import { seal } from '../../events/seal.ts';
import type { LogHead, SealedEvent } from '../../events/seal.ts';
import { streamVersion } from '../../projections/config/state.ts';
import { beginAdvance } from '../../projections/read-model.ts';
import { splitCommands } from '../../projections/rows.ts';
import type { Cursor } from '../../projections/rows.ts';
import { appendEvents, toRecorded } from '../db/event-log.ts';
import type { Database } from '../db/pool.ts';
import type { Secret, Vault } from '../db/vault.ts';
import { decide } from '../deciders/decide.ts';
import type { Clock } from '../lib/clock.ts';
import { isRefusal, refuse } from '../lib/refusal.ts';
import type { Refusal } from '../lib/refusal.ts';
import { keepBudgetRows } from './budget-rows.ts';
import type { ConfigStore } from './config-store.ts';
import type { Mutation, MutationContext, Outcome } from './execute.ts';
import { keepLeaseRows } from './lease-rows.ts';
import { keepVaultRows } from './vault-rows.ts';

export type AppendDependencies = {
  vault: Pick<Vault, 'storing'>;
  store: ConfigStore;
  clock: Clock;
  newId: () => string;
  appVersion: string;
};

export type Transaction = Parameters<Parameters<Database['tx']>[0]>[0];

/** The end of the log, and the state there. */
export type Place = Readonly<{ head: LogHead; before: Cursor }>;

export type Request = Readonly<{ mutation: Mutation; context: MutationContext; txId: string }>;

/** `after` and `head` are the place behind it. */
export type Appended = Readonly<{
  after: Cursor;
  head: LogHead;
  events: readonly RecordedEvent[];
}>;

export const outcomeOf = ({
  after: { state },
  events,
}: Pick<Appended, 'after' | 'events'>): Outcome => ({
  state,
  events,
  version: state.version,
  position: state.position,
});

/** A refusal has written nothing. */
export async function append(
  tx: Transaction,
  { vault, store, clock, newId, appVersion }: AppendDependencies,
  { mutation, context, txId }: Request,
  { head, before }: Place,
): Promise<Appended | Refusal> {
  const unmet = (await context.precondition?.(before.state, tx)) ?? null;
  if (unmet !== null) return unmet;
  const { command } = mutation;
  const decision = decide(before.state, command);
  if (isRefusal(decision)) return decision;
  if (decision.length > eventsMax) return tooManyEvents(decision.length);
  const changed = decision.length > 0;
  // A person's mutation leaves an audit row even when it changed nothing; the program's own need none.
  if (!changed && context.actor.kind === 'system') {
    return concluded({ after: before, head, events: [] }, { context, tx });
  }
  const noChange = { stream: 'settings-1', type: 'NoChange', data: {} } as const;
  const reason = reasonOf(context, newId);
  const sealed = seal(changed ? decision : [noChange], head, {
    txId,
    at: clock(),
    newId,
    streamVersion: (stream) => streamVersion(before.state, stream),
    metadata: {
      actor: context.actor,
      command: command.type,
      action: context.action,
      target: context.target,
      request_id: context.requestId,
      reason_ref: reason?.ref ?? null,
      app_version: appVersion,
    },
  });
  const given = [...(mutation.secrets ?? []), ...(reason === null ? [] : [reason])];
  const secrets = given.flatMap((secret) => {
    const subject = subjectOf(secret, sealed);
    // A command that changed nothing refers to no secret: none is kept.
    return subject === null ? [] : [{ ...secret, subject }];
  });
  const { commands } = splitCommands(sealed.map(toRecorded));
  const [events] = commands;
  assert.ok(events !== undefined, 'a command has at least one event');
  const { after, move, write } = beginAdvance(before, events);
  // Every round trip from the lock to the commit is one that all other mutations wait for.
  const storing = secrets.length === 0 ? [] : [vault.storing(secrets)];
  const [moved] = await appendEvents(tx, sealed, [move, ...storing]);
  await write(tx, { isMoved: moved === 1, tables: store.tables() });
  await keepBudgetRows(tx, events);
  await keepLeaseRows(tx, events);
  await keepVaultRows(tx, { before: before.state, after: after.state, events });
  return concluded({ after, head: lastOf(sealed, head), events }, { context, tx });
}

type Concluding = { context: MutationContext; tx: Transaction };

async function concluded(appended: Appended, { context, tx }: Concluding): Promise<Appended> {
  await context.conclude?.(outcomeOf(appended), tx);
  return appended;
}

const lastOf = (sealed: readonly SealedEvent[], head: LogHead): LogHead => ({
  ...head,
  ...sealed.at(-1),
});

/** What one command may cause. The log is locked while its events are written, a few seconds for so many. */
const eventsMax = 50_000;

const tooManyEvents = (count: number): Refusal =>
  refuse('too_large', `this would change ${count} things at once, at most ${eventsMax} may be`);

const reasonOf = ({ reason }: MutationContext, newId: () => string): Secret | null =>
  reason === null ? null : { ref: newId(), class: 'personal', plaintext: reason };

/** The stream whose event refers to the secret. */
const subjectOf = (secret: Secret, sealed: readonly SealedEvent[]): string | null =>
  sealed.find((event) => event.payload.includes(secret.ref) || event.metadata.includes(secret.ref))
    ?.stream ?? null;
