// Divides rate limits among the replicas that report to this process (specification,
// "Reconciliation"). Reports are in memory only: after a restart, each replica enforces the full
// limit until it has reported again.

import type { Limits } from '../../../projections/config/principal.ts';
import type { ConfigState } from '../../../projections/config/state.ts';
import type { Clock } from '../../lib/clock.ts';
import { refuse } from '../../lib/refusal.ts';
import type { Refusal } from '../../lib/refusal.ts';
import type { PrincipalId } from '../../lib/ids.ts';
import { countsMax } from '../../limits/reconciliation.ts';
import type { ReconcileAnswer, ReconcileReport } from '../../limits/reconciliation.ts';
import { shareOf } from '../../limits/share.ts';
import type { Claims } from '../../limits/share.ts';

export type Reconcile = (report: ReconcileReport) => ReconcileAnswer | Refusal;

/** A replica that has not reported for this long is ignored. */
const silentMs = 30_000;
/** The maximum number of replicas per process. Further replicas enforce the full limit. */
const replicasMax = 1_000;
/** Demand decays at this rate, so that the rest is about the demand of the last minute. */
const fadeMs = 60_000;
/** Decayed demand below this is dropped. */
const demandMin = 0.05;

type Demand = Readonly<{ requests: number; tokens: number }>;
type Demands = ReadonlyMap<PrincipalId, Demand>;
type Replica = Readonly<{ atMs: number; latest: Demands; lastMinute: Demands }>;

type Dependencies = Readonly<{
  state: () => ConfigState;
  monotonic: Clock;
  /** For tests. The default is the constant above. */
  replicasMax?: number;
}>;

const noDemand: Demand = { requests: 0, tokens: 0 };
const noDemands: Demands = new Map();

export function createReconcile(dependencies: Dependencies): Reconcile {
  const { state, monotonic } = dependencies;
  const most = dependencies.replicasMax ?? replicasMax;
  const replicas = new Map<string, Replica>();
  /** The sums over all replicas. */
  const latest = new Map<PrincipalId, Demand>();
  const lastMinute = new Map<PrincipalId, Demand>();

  const count = (replica: Replica, sign: 1 | -1): void => {
    add(latest, replica.latest, sign);
    add(lastMinute, replica.lastMinute, sign);
  };
  const leave = (name: string): Replica | undefined => {
    const gone = replicas.get(name);
    if (gone !== undefined) count(gone, -1);
    replicas.delete(name);
    return gone;
  };

  return ({ replica_id: name, counts }) => {
    const nowMs = monotonic();
    for (const [other, { atMs }] of replicas) if (nowMs - atMs >= silentMs) leave(other);
    // Each report replaces the previous one.
    const before = leave(name);
    if (replicas.size >= most) {
      const message = `the limits are already shared by ${most} replicas, the maximum`;
      return refuse('too_many', message, { retryAfterSeconds: silentMs / 1000 });
    }
    const { principal } = state();
    const limitsOf = (id: PrincipalId): Limits | null => principal.byId.get(id)?.limits ?? null;
    const reported: Demands = new Map(
      counts
        .filter(({ principal_id: id }) => limitsOf(id) !== null)
        .map(({ principal_id: id, requests, tokens }) => [id, { requests, tokens }]),
    );
    const demand = new Map([...reported].filter(([, one]) => isSome(one)));
    const faded = fade(before?.lastMinute ?? noDemands, nowMs - (before?.atMs ?? nowMs));
    add(faded, demand, 1);
    const replica = { atMs: nowMs, latest: demand, lastMinute: faded };
    replicas.set(name, replica);
    count(replica, 1);
    const unmet = [...lastMinute.keys()].filter((id) => !reported.has(id)).slice(0, countsMax);
    const allowances = [...reported.keys(), ...unmet].flatMap((id) => {
      const limits = limitsOf(id);
      const claims = {
        mine: reported.get(id),
        latest: latest.get(id),
        lastMinute: lastMinute.get(id),
      };
      return limits === null ? [] : [allowanceOf(id, limits, claims, replicas.size)];
    });
    return { replicas: replicas.size, allowances };
  };
}

function allowanceOf(
  id: PrincipalId,
  { requestsPerMin, tokensPerMin }: Limits,
  claims: Readonly<Record<keyof Claims, Demand | undefined>>,
  live: number,
): ReconcileAnswer['allowances'][number] {
  const part = (what: keyof Demand, limit: number | null): number => {
    const claimed = (whose: keyof Claims): number => claims[whose]?.[what] ?? 0;
    const own = {
      mine: claimed('mine'),
      latest: claimed('latest'),
      lastMinute: claimed('lastMinute'),
    };
    return limit === null ? 1 : shareOf(own, limit, live);
  };
  return {
    principal_id: id,
    requests_share: part('requests', requestsPerMin),
    tokens_share: part('tokens', tokensPerMin),
  };
}

const isSome = ({ requests, tokens }: Demand): boolean => requests > 0 || tokens > 0;

function add(sums: Map<PrincipalId, Demand>, demands: Demands, sign: 1 | -1): void {
  for (const [id, { requests, tokens }] of demands) {
    const sum = sums.get(id) ?? noDemand;
    const next = { requests: sum.requests + sign * requests, tokens: sum.tokens + sign * tokens };
    // Sums of fractions: a sum that should be zero may deviate slightly.
    if (next.requests < demandMin / 2 && next.tokens < demandMin / 2) sums.delete(id);
    else sums.set(id, next);
  }
}

/** The share of the demand that remains after this time. */
function fade(demands: Demands, passedMs: number): Map<PrincipalId, Demand> {
  const factor = Math.exp(-passedMs / fadeMs);
  const left = new Map<PrincipalId, Demand>();
  for (const [id, { requests, tokens }] of demands) {
    const faded = { requests: requests * factor, tokens: tokens * factor };
    if (faded.requests >= demandMin || faded.tokens >= demandMin) left.set(id, faded);
  }
  return left;
}
