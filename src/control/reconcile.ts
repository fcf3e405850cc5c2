// Divides rate limits among the replicas that report to this process (specification, "Reconciliation"). In memory alone: after a
// restart each replica enforces the full limit until it has reported again.

import type { ConfigState } from '../../projections/config/state.ts';
import type { Clock } from '../lib/clock.ts';
import { refuse } from '../lib/refusal.ts';
import type { Refusal } from '../lib/refusal.ts';
import type { ReconcileAnswer, ReconcileReport } from '../limits/reconciliation.ts';
import { shareOf } from '../limits/share.ts';

export type Reconcile = (report: ReconcileReport) => ReconcileAnswer | Refusal;

/** So long a replica counts that does not report any more. */
const silentMs = 30_000;
/** Replicas that report to one process; a further one enforces the full limit. */
const replicasMax = 1_000;

type Demand = { requests: number; tokens: number };
type Replica = Readonly<{ atMs: number; demand: ReadonlyMap<number, Demand> }>;

type Dependencies = Readonly<{
  state: () => ConfigState;
  monotonic: Clock;
  /** For tests; the named bound when absent. */
  replicasMax?: number;
}>;

export function createReconcile(dependencies: Dependencies): Reconcile {
  const { state, monotonic } = dependencies;
  const most = dependencies.replicasMax ?? replicasMax;
  const replicas = new Map<string, Replica>();
  /** The sum of what all of them saw. */
  const totals = new Map<number, Demand>();

  const add = (demand: Replica['demand'], sign: 1 | -1): void => {
    for (const [id, { requests, tokens }] of demand) {
      const total = totals.get(id) ?? { requests: 0, tokens: 0 };
      total.requests += sign * requests;
      total.tokens += sign * tokens;
      if (total.requests <= 0 && total.tokens <= 0) totals.delete(id);
      else totals.set(id, total);
    }
  };
  const leave = (name: string): void => {
    const gone = replicas.get(name);
    if (gone !== undefined) add(gone.demand, -1);
    replicas.delete(name);
  };

  return ({ replica_id: name, counts }) => {
    const nowMs = monotonic();
    for (const [other, { atMs }] of replicas) if (nowMs - atMs >= silentMs) leave(other);
    // Each report replaces the one before.
    leave(name);
    if (replicas.size >= most) {
      const message = `${most} replicas share the limits here already`;
      return refuse('too_many', message, { retryAfterSeconds: silentMs / 1000 });
    }
    const { principal } = state();
    const limited = new Map(
      counts
        .filter(({ principal_id: id }) => (principal.byId.get(id)?.limits ?? null) !== null)
        .map(({ principal_id: id, requests, tokens }) => [id, { requests, tokens }]),
    );
    const demand = new Map(
      [...limited].filter(([, { requests, tokens }]) => requests > 0 || tokens > 0),
    );
    replicas.set(name, { atMs: nowMs, demand });
    add(demand, 1);
    const live = replicas.size;
    const allowances = [...limited].map(([id, mine]) => {
      const total = totals.get(id) ?? { requests: 0, tokens: 0 };
      return {
        principal_id: id,
        requests_share: shareOf({ mine: mine.requests, total: total.requests }, live),
        tokens_share: shareOf({ mine: mine.tokens, total: total.tokens }, live),
      };
    });
    return { replicas: live, allowances };
  };
}
