// Executes commands; nothing else does. Work outside the database, such as dialling and hashing, is
// done before. In one transaction, under the log lock, gw catches up, decides, seals, appends and
// updates the read models.
//
// Commands that queue during a commit share the next transaction, because locking and committing
// cost more than a command. If one of them throws, all roll back, and each runs again in its own
// transaction.

import { lockLog } from '../../db/log/event-log.ts';
import { databaseFailure, isDatabaseUnavailable, isRolledBack } from '../../db/failure.ts';
import { LogForkedError } from '../../db/log/log-forked.ts';
import type { Database } from '../../db/pool.ts';
import { isRefusal } from '../../lib/refusal.ts';
import type { Refusal } from '../../lib/refusal.ts';
import { outcomeOf, plan, writePlanned } from './append.ts';
import type { AppendDependencies, Place, Planned, Request, Transaction } from './append.ts';
import { lookUp, notMade } from './look-up.ts';
import type { Execute, Outcome } from './execute.ts';
import { databaseUnavailable, logForked } from './unavailable.ts';

type Dependencies = AppendDependencies &
  Readonly<{
    db: Database;
    /** Publishes the new state to this process's gateway and to waiting proxies. */
    publish: () => Promise<void>;
    /** The duration includes the wait for the lock. */
    onAppended?: (durationMs: number) => void;
  }>;

type Pending = Readonly<{
  request: Request;
  /** Epoch milliseconds. */
  deadline: number;
  settle: PromiseWithResolvers<Outcome | Refusal>;
}>;

/**
 * For the queue, a connection and the log lock together, so that a mutation is answered within 3 s.
 */
const waitMs = 2500;
/** The minimum wait for the log lock, even if the wait for a connection used up the time. */
const lockWaitMinMs = 50;
/** Bounds a transaction, since other processes wait for the log. */
const batchMax = 64;
const batchMs = 100;
const waitingMax = 2_000;

export function createExecute(dependencies: Dependencies): Execute {
  const { publish, newId } = dependencies;
  const commit = createCommitQueue(dependencies);
  return async (mutation, context) => {
    const startedAt = performance.now();
    const outcome = await commit({ mutation, context, txId: newId() });
    if (isRefusal(outcome)) return outcome;
    dependencies.onAppended?.(performance.now() - startedAt);
    await publish();
    return outcome;
  };
}

/**
 * Refuses with `unavailable` if the database is unreachable or the command does not get its turn in
 * time.
 */
function createCommitQueue(
  dependencies: Dependencies,
): (request: Request) => Promise<Outcome | Refusal> {
  const { clock } = dependencies;
  const waiting: Pending[] = [];
  let isWorking = false;

  /**
   * The next command within its deadline. Undefined if it must not share a transaction with
   * `taken`.
   */
  const next = (taken: readonly Pending[]): Pending | undefined => {
    while (waiting[0] !== undefined && clock() > waiting[0].deadline) {
      waiting.shift()?.settle.resolve(databaseUnavailable(null, notMade));
    }
    const exclusive = exclusiveOf(waiting[0]);
    const isHeld = exclusive !== null && taken.some((one) => exclusiveOf(one) === exclusive);
    return isHeld ? undefined : waiting.shift();
  };

  const work = async (): Promise<void> => {
    isWorking = true;
    for (let first = next([]); first !== undefined; first = next([])) {
      const committed = await commit(dependencies, first, next);
      const { taken, hasBegun, error } = committed;
      if (error === null) continue;
      const isUndone = !isDatabaseUnavailable(error) || isRolledBack(error);
      if (isUndone && taken.length > 1) {
        for (const one of taken) await commitAlone(dependencies, one);
        continue;
      }
      await settleFailed(dependencies, committed);
      // The queued mutations would fail in the same way, after the same wait.
      if (!hasBegun && (isDatabaseUnavailable(error) || error instanceof LogForkedError)) {
        for (const one of waiting.splice(0)) one.settle.resolve(answerFor(error));
      }
    }
    isWorking = false;
  };

  return (request) => {
    if (waiting.length >= waitingMax) return Promise.resolve(databaseUnavailable(null, notMade));
    const pending = {
      request,
      deadline: clock() + waitMs,
      settle: Promise.withResolvers<Outcome | Refusal>(),
    };
    waiting.push(pending);
    if (!isWorking) void work();
    return pending.settle.promise;
  };
}

/** In both cases nothing was written. */
const answerFor = (error: unknown): Refusal =>
  error instanceof LogForkedError
    ? logForked(notMade)
    : databaseUnavailable(databaseFailure(error), notMade);

const exclusiveOf = (pending: Pending | undefined): string | null =>
  pending?.request.context.exclusive ?? null;

/** `hasBegun`: the log lock was acquired. `error` is null if all taken mutations are settled. */
type Committed = Readonly<{ taken: readonly Pending[]; hasBegun: boolean; error: unknown }>;

/**
 * Commits `first` and everything that `next` returns in one transaction. If that fails, none of
 * them is settled.
 */
async function commit(
  dependencies: Dependencies,
  first: Pending,
  next: (taken: readonly Pending[]) => Pending | undefined,
): Promise<Committed> {
  const { db, store, clock } = dependencies;
  const taken: Pending[] = [];
  const decided: (Planned | Refusal)[] = [];
  const take = async (tx: Transaction, pending: Pending, place: Place): Promise<Place> => {
    taken.push(pending);
    const planned = await plan(tx, dependencies, pending.request, place);
    decided.push(planned);
    return isRefusal(planned) ? place : planned.place;
  };
  try {
    const after = await db.tx(async (tx) => {
      const head = await lockLog(tx, Math.max(lockWaitMinMs, first.deadline - clock()));
      const endsAt = clock() + batchMs;
      const before = await store.catchUp(tx, head);
      let place: Place = { head, state: before.state, unwritten: [] };
      for (let one: Pending | undefined = first; one !== undefined;) {
        place = await take(tx, one, place);
        one = taken.length < batchMax && clock() < endsAt ? next(taken) : undefined;
      }
      const planned = decided.flatMap((one) => (isRefusal(one) ? [] : [one]));
      return writePlanned(tx, dependencies, { before, planned });
    });
    if (decided.some((one) => !isRefusal(one) && one.events !== null)) store.adopt(after);
  } catch (error) {
    const hasBegun = taken.length > 0;
    return { taken: hasBegun ? taken : [first], hasBegun, error };
  }
  for (const [index, { settle }] of taken.entries()) {
    const planned = decided[index];
    if (planned === undefined) throw new Error('a mutation has no decision');
    settle.resolve(isRefusal(planned) ? planned : outcomeOf(planned));
  }
  return { taken, hasBegun: true, error: null };
}

async function commitAlone(dependencies: Dependencies, pending: Pending): Promise<void> {
  const committed = await commit(dependencies, pending, () => undefined);
  if (committed.error !== null) await settleFailed(dependencies, committed);
}

async function settleFailed(
  dependencies: Dependencies,
  { taken, hasBegun, error }: Committed,
): Promise<void> {
  await Promise.all(
    taken.map(async ({ request: { txId }, settle }) => {
      if (error instanceof LogForkedError) settle.resolve(answerFor(error));
      else if (!isDatabaseUnavailable(error)) settle.reject(error);
      else if (!hasBegun || isRolledBack(error)) settle.resolve(answerFor(error));
      else await lookUp(dependencies, txId).then(settle.resolve, settle.reject);
    }),
  );
}
