// Applies change requests that are due and expires old ones. Every control process checks; the log
// lock ensures that each request is applied once. If a request cannot be applied, the log records
// the reason, and it is no longer due.

import type { FailureCause } from '../../events/change-request.ts';
import { isOpen } from '../../projections/config/change-request.ts';
import type { ChangeRequest } from '../../projections/config/change-request.ts';
import { isDatabaseUnavailable } from '../../src/db/failure.ts';
import type { Secret } from '../../src/db/vault.ts';
import { causeOf } from '../../src/deciders/changes/change-apply.ts';
import { isDue, isExpired } from '../../src/deciders/changes/change-request.ts';
import type { Command } from '../../src/deciders/decide.ts';
import type { Clock } from '../../src/lib/clock.ts';
import { isRefusal } from '../../src/lib/refusal.ts';
import type { Refusal } from '../../src/lib/refusal.ts';
import type { Outcome } from '../../src/control/commands/execute.ts';
import type { ControlPlane } from '../../src/control/plane.ts';
import { readBody } from '../../src/control/change-requests/body.ts';
import type { ReadBody } from '../../src/control/change-requests/body.ts';

type Dependencies = Readonly<{
  plane: Pick<ControlPlane, 'db' | 'reports' | 'vault' | 'store' | 'past' | 'refresh' | 'execute'>;
  clock: Clock;
  newId: () => string;
  log: Readonly<{
    warn: (fields: Readonly<Record<string, unknown>>, message: string) => void;
  }>;
}>;

/** Throws if the database is unavailable. Due requests then stay due. */
export async function keepChangeRequests(dependencies: Dependencies): Promise<void> {
  const { plane, clock } = dependencies;
  const now = clock();
  const open = [...plane.store.state().change_request.byId.values()].filter(isOpen);
  for (const request of open) {
    if (isExpired(request, now)) await expire(dependencies, request);
    else if (isDue(request, now)) await applyDue(dependencies, request);
  }
}

async function expire(dependencies: Dependencies, { id }: ChangeRequest): Promise<void> {
  const now = dependencies.clock();
  const made = await run(dependencies, { type: 'ExpireChangeRequest', id, now });
  if (isRefusal(made)) throw new Error(`expiring change request ${id}: ${made.message}`);
}

async function applyDue(dependencies: Dependencies, request: ChangeRequest): Promise<void> {
  const failure = await tryToApply(dependencies, request).catch((error: unknown): Failure => {
    if (isDatabaseUnavailable(error)) throw error;
    dependencies.log.warn({ error, change_request: request.id }, 'applying a change request');
    return {
      cause: 'fault',
      message: 'an internal error occurred; the log of the program has the details',
    };
  });
  if (failure === 'later') {
    dependencies.log.warn({ change_request: request.id }, 'the log was busy; applying it later');
  } else if (failure !== null) await fail(dependencies, request, failure);
}

type Failure = Readonly<{ cause: FailureCause; message: string }>;

/** Null if it was applied, `later` if the log lock was not acquired. */
async function tryToApply(
  dependencies: Dependencies,
  request: ChangeRequest,
): Promise<Failure | 'later' | null> {
  const { plane, clock } = dependencies;
  const { id } = request;
  const held = await readBody({ ...plane, state: plane.store.state }, request);
  if (isRefusal(held)) return { cause: causeOf(held), message: held.message };
  const { ref, commands, secrets, precondition, causation } = held;
  const body = { ref, commands };
  const command = { type: 'ApplyChangeRequest', id, by: null, body, now: clock() } as const;
  const made = await run(dependencies, command, secrets, { precondition, causation });
  if (!isRefusal(made)) return null;
  if (made.refused === 'unavailable') return 'later';
  return { cause: causeOf(made), message: made.message };
}

/** Does nothing if another process was faster. */
async function fail(
  dependencies: Dependencies,
  { id }: ChangeRequest,
  { cause, message }: Failure,
): Promise<void> {
  const { newId, clock, log } = dependencies;
  const secret = { ref: newId(), class: 'personal', plaintext: message } as const;
  const said = { cause, messageRef: secret.ref, now: clock() };
  const made = await run(dependencies, { type: 'FailChangeRequest', id, ...said }, [secret]);
  if (isRefusal(made)) throw new Error(`change request ${id} failed: ${made.message}`);
  if (made.events.length === 0) return;
  log.warn({ change_request: id, cause }, 'a change request was due and could not be applied');
}

type Upkeep = Extract<
  Command,
  { type: 'ApplyChangeRequest' | 'FailChangeRequest' | 'ExpireChangeRequest' }
>;

const run = (
  { plane, newId }: Dependencies,
  command: Upkeep,
  secrets: readonly Secret[] = [],
  { precondition, causation }: Pick<ReadBody, 'precondition' | 'causation'> = {},
): Promise<Outcome | Refusal> =>
  plane.execute(
    { command, secrets },
    {
      actor: { kind: 'system', principal_id: null },
      action: 'SCHEDULE',
      target: `/admin/change-requests/${command.id}`,
      requestId: newId(),
      reason: null,
      ...(precondition === undefined ? {} : { precondition }),
      ...(causation === undefined ? {} : { causation }),
    },
  );
