// The one command path. Everything outside the database was done before (dialling, hashing); here, under the log lock, in one
// transaction: catch up, decide, seal, append, advance the read models (audit row and snapshot version with them).

import assert from 'node:assert/strict';

import type { Queryable } from '@databases/pg';

import type { RecordedEvent } from '../../events/catalogue.ts';
import type { EventMetadata } from '../../events/event.ts';
import { seal } from '../../events/seal.ts';
import type { SealedEvent } from '../../events/seal.ts';
import { streamVersion } from '../../projections/config/state.ts';
import type { ConfigState } from '../../projections/config/state.ts';
import { beginAdvance } from '../../projections/read-model.ts';
import { splitCommands } from '../../projections/rows.ts';
import type { Cursor } from '../../projections/rows.ts';
import { appendEvents, lockLog, readCommand, toRecorded } from '../db/event-log.ts';
import { isDatabaseUnavailable, isRolledBack } from '../db/failure.ts';
import type { Database } from '../db/pool.ts';
import type { Secret, Vault } from '../db/vault.ts';
import { decide } from '../deciders/decide.ts';
import type { Command } from '../deciders/decide.ts';
import type { Clock } from '../lib/clock.ts';
import { isRefusal, refuse } from '../lib/refusal.ts';
import type { Refusal } from '../lib/refusal.ts';
import { keepBudgetRows } from './budget-rows.ts';
import type { ConfigStore } from './config-store.ts';
import { keepLeaseRows } from './lease-rows.ts';

/** `secrets` are the plaintexts behind the refs in `command`; they are sealed into the vault with its events. */
export type Mutation = Readonly<{ command: Command; secrets?: readonly Secret[] }>;

export type MutationContext = Readonly<{
  actor: EventMetadata['actor'];
  /** What the audit row says: HTTP method and path, or `CLI` and the command's name. */
  action: string;
  target: string;
  requestId: string;
  /** Free text of the actor, kept in the vault. */
  reason: string | null;
  /** Asked under the lock, on the state that is decided on: much may have changed while the mutation was prepared. */
  precondition?: (state: ConfigState, tx: Queryable) => Promise<Refusal | null>;
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

type Dependencies = {
  db: Database;
  vault: Pick<Vault, 'storing'>;
  store: ConfigStore;
  /** Makes the new state known: to this process's gateway and to waiting proxies. */
  publish: () => Promise<void>;
  clock: Clock;
  newId: () => string;
  appVersion: string;
  /** Told how long each committed append took, from the wait for the lock on. */
  onAppended?: (durationMs: number) => void;
};

type Committed = Readonly<{ after: Cursor; events: readonly RecordedEvent[] }>;

const outcomeOf = ({ after: { state }, events }: Committed): Outcome => ({
  state,
  events,
  version: state.version,
  position: state.position,
});

export function createExecute(dependencies: Dependencies): Execute {
  const { db, store, publish } = dependencies;
  return async (mutation, context) => {
    const txId = dependencies.newId();
    let committed: Committed | Refusal;
    try {
      const deadline = dependencies.clock() + waitMs;
      const request = { mutation, context, txId, deadline };
      const startedAt = performance.now();
      committed = await db.tx((tx) => append(tx, dependencies, request));
      if (!isRefusal(committed)) dependencies.onAppended?.(performance.now() - startedAt);
    } catch (error) {
      if (!isDatabaseUnavailable(error)) throw error;
      if (isRolledBack(error)) return away(notMade);
      const found = await lookUp(dependencies, txId);
      if (isRefusal(found)) return found;
      await publish();
      return found;
    }
    if (isRefusal(committed)) return committed;
    if (committed.events.length > 0) store.adopt(committed.after);
    await publish();
    return outcomeOf(committed);
  };
}

/** For a connection and for the log together: a mutation is answered within 3 s. */
const waitMs = 2500;
/** A turn in the queue for the log is worth as much, however long the wait for a connection was. */
const lockWaitMinMs = 50;

type Request = { mutation: Mutation; context: MutationContext; txId: string; deadline: number };
type Transaction = Parameters<Parameters<Database['tx']>[0]>[0];

async function append(
  tx: Transaction,
  { vault, store, clock, newId, appVersion }: Dependencies,
  { mutation, context, txId, deadline }: Request,
): Promise<Committed | Refusal> {
  const head = await lockLog(tx, Math.max(lockWaitMinMs, deadline - clock()));
  const before = await store.catchUp(tx, head.position);
  const unmet = (await context.precondition?.(before.state, tx)) ?? null;
  if (unmet !== null) return unmet;
  const { command } = mutation;
  const decision = decide(before.state, command);
  if (isRefusal(decision)) return decision;
  if (decision.length > eventsMax) return tooManyEvents(decision.length);
  const changed = decision.length > 0;
  // A person's mutation leaves an audit row even when it changed nothing; the program's own need none.
  if (!changed && context.actor.kind === 'system') {
    return concluded({ after: before, events: [] }, { context, tx });
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
  return concluded({ after, events }, { context, tx });
}

type Concluding = { context: MutationContext; tx: Transaction };

async function concluded(committed: Committed, { context, tx }: Concluding): Promise<Committed> {
  await context.conclude?.(outcomeOf(committed), tx);
  return committed;
}

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

const lookUps = 4;
/** Short, so that a mutation is answered in time. */
const lookUpWaitMs = 400;
const notMade = 'the change was not made';

/**
 * The connection broke, perhaps at the commit: the log knows whether the command is in it. Asked under the lock, because the
 * server may still be at work on what we lost sight of.
 */
async function lookUp(
  { db, store, clock }: Dependencies,
  txId: string,
): Promise<Outcome | Refusal> {
  const startedAt = clock();
  for (let attempt = 0; attempt < lookUps && clock() - startedAt < 1000; attempt++) {
    try {
      const events = await db.tx(async (tx) => {
        await lockLog(tx, lookUpWaitMs);
        return readCommand(tx, txId);
      });
      const last = events.at(-1);
      if (last === undefined) return away(notMade);
      const { state } = await store.catchUp(db, last.position);
      return { state, events, version: state.version, position: last.position };
    } catch (error) {
      if (!isDatabaseUnavailable(error)) throw error;
    }
  }
  return away('whether the change was made will show when the database is back');
}

const away = (consequence: string): Refusal =>
  refuse('unavailable', `the database is away or too busy; ${consequence}`, {
    retryAfterSeconds: 2,
  });
