// Hands out rate limits and budgets to the replicas (specification, "Reconciliation"), from tables
// that all control planes share. Each report is one transaction, with the same number of statements for any
// number of limits.

import type { Queryable } from '@databases/pg';

import type { ConfigState } from '../../../projections/config/state.ts';
import {
  deleteMinutes,
  forgetReplica,
  holdAllotments,
  holdStarts,
  listShort,
  readMoment,
  seeReplica,
  writeAllotments,
  writeStarts,
} from '../../db/allotments.ts';
import type { LimitPlace, Moment } from '../../db/allotments.ts';
import type { Database } from '../../db/pool.ts';
import type { Clock } from '../../lib/clock.ts';
import { refuse } from '../../lib/refusal.ts';
import type { Refusal } from '../../lib/refusal.ts';
import type { PrincipalId } from '../../lib/ids.ts';
import { allot, startShareOf } from '../../limits/allotment.ts';
import { count } from './allotment-tally.ts';
import type { AllotmentTally } from './allotment-tally.ts';
import { allotmentMs, handOutBudgets } from './hand-out-budgets.ts';
import { countsMax } from '../../limits/reconciliation.ts';
import type {
  Allotments,
  Dimension,
  LimitAsk,
  ReconcileAnswer,
  ReconcileReport,
} from '../../limits/reconciliation.ts';

export type Reconcile = Readonly<{
  /** Rejects if the database fails. */
  take: (report: ReconcileReport) => Promise<ReconcileAnswer | Refusal>;
  /** Deletes what is past. */
  prune: () => Promise<void>;
}>;

/** A replica that has not reported for this long gets no start in later minutes. */
const silentMs = 30_000;
const minuteMs = 60_000;
/** The starts of a minute are given from this long before it. */
const aheadMs = 30_000;
/** Concurrent first reports can exceed it. */
const replicasMax = 1_000;

type Dependencies = Readonly<{
  db: Database;
  state: () => ConfigState;
  tally: AllotmentTally;
  /** The time by which increases of budgets are in force. */
  clock: Clock;
  /** For tests. The default is the constant above. */
  replicasMax?: number;
}>;

export function createReconcile({
  db,
  state,
  tally,
  clock,
  ...dependencies
}: Dependencies): Reconcile {
  const most = dependencies.replicasMax ?? replicasMax;
  const limitsOf = (id: PrincipalId) => state().principal.byId.get(id)?.limits ?? null;
  return {
    take: (report) =>
      db.tx(async (tx) => {
        const { replica_id: replica, asks } = report;
        const isNewest = await seeReplica(tx, { replica, sequence: asks?.sequence ?? null });
        if (!isNewest) return refuse('conflict', 'a newer report of this replica was answered');
        const seen = await readMoment(tx, silentMs);
        if (seen.replicas > most) {
          const message = `the limits are already shared by ${most} replicas, the maximum`;
          return refuse('too_many', message, { retryAfterSeconds: silentMs / 1000 });
        }
        if (asks === undefined) {
          const limited = report.counts.filter((one) => limitsOf(one.principal_id) !== null);
          return evenShares(limited, seen.replicas);
        }
        const spending = { asks: asks.budgets ?? [], knownReplicas: asks.replicas ?? null };
        const caps = { state: state(), nowMs: clock() };
        // Replicas that report for the first time at the same moment count each other only under the lock of starts. They ask
        // for no budgets. Other reports take it after budgets, so that those who wait for it do not wait for budgets.
        const known = spending.asks.length > 0 ? seen : await startedMoment(tx, replica, seen);
        const budgets =
          asks.budgets === undefined
            ? {}
            : { budgets: await handOutBudgets(tx, { replica, ...spending, ...caps, tally }) };
        const moment = await startedMoment(tx, replica, known);
        const limitOf = (id: PrincipalId, dimension: Dimension): number | null => {
          const limits = limitsOf(id);
          const limit = dimension === 'requests' ? limits?.requestsPerMin : limits?.tokensPerMin;
          return limit === null || limit === undefined ? null : newerPart(limit, moment);
        };
        const limits = { replica, asks: asks.limits, moment, limitOf, tally };
        const allotments = await handOut(tx, limits);
        if (asks.leaves === true) await forgetReplica(tx, replica);
        return {
          replicas: moment.replicas,
          allowances: [],
          allotments: { ...allotments, ...budgets },
        };
      }),
    prune: async () => {
      const { nowMs } = await readMoment(db, silentMs);
      // A minute more, for replicas whose report is on its way.
      await deleteMinutes(db, { before: minuteOf(nowMs) - 1, silentMs: allotmentMs });
    },
  };
}

const minuteOf = (ms: number): number => Math.floor(ms / minuteMs);

/** The moment, after the replica has its starts. */
async function startedMoment(tx: Queryable, replica: string, seen: Moment): Promise<Moment> {
  if (missingStarts(seen, replica).length === 0) return seen;
  await holdStarts(tx);
  const moment = await readMoment(tx, silentMs);
  await writeStarts(tx, replica, missingStarts(moment, replica));
  return readMoment(tx, silentMs);
}

function missingStarts({ nowMs, replicas, starts, nextStarts }: Moment, replica: string) {
  const minute = minuteOf(nowMs);
  const isAhead = (minute + 1) * minuteMs - nowMs <= aheadMs;
  return [
    { minute, given: starts },
    ...(isAhead ? [{ minute: minute + 1, given: nextStarts }] : []),
  ]
    .filter(({ given }) => !(replica in given))
    .map(({ minute, given }) => ({ minute, share: startShareOf(given, replicas) }));
}

/** Older replicas enforce even shares of the limits, which the others cannot use. */
const newerPart = (limit: number, { replicas, older }: Moment): number =>
  Math.floor((limit * (replicas - older)) / replicas);

const evenShares = (counts: ReconcileReport['counts'], replicas: number): ReconcileAnswer => ({
  replicas,
  allowances: counts.map(({ principal_id }) => ({
    principal_id,
    requests_share: 1 / replicas,
    tokens_share: 1 / replicas,
  })),
});

type Asked = Readonly<{
  replica: string;
  asks: readonly LimitAsk[];
  moment: Moment;
  /** Null if there is none. */
  limitOf: (id: PrincipalId, dimension: Dimension) => number | null;
  tally: AllotmentTally;
}>;

async function handOut(
  tx: Queryable,
  { replica, asks, moment, limitOf, tally }: Asked,
): Promise<Allotments> {
  const { nowMs, replicas, starts, nextStarts } = moment;
  const minute = minuteOf(nowMs);
  const startsIn = new Map([
    [minute, starts],
    [minute + 1, nextStarts],
  ]);
  const valid = new Map(
    asks
      .filter((one) => replica in (startsIn.get(one.minute) ?? {}))
      .filter((one) => limitOf(one.principal_id, one.dimension) !== null)
      .map((one) => [nameOf(one), one]),
  );
  const rows = valid.size === 0 ? [] : await holdAllotments(tx, [...valid.values()]);
  const allotted = rows.flatMap((row) => {
    const ask = valid.get(nameOf(row));
    if (ask === undefined) return [];
    const { principal_id, dimension, minute } = ask;
    const limit = limitOf(principal_id, dimension) ?? 0;
    const given = { limit, held: row.held, starts: startsIn.get(minute) ?? {}, replica, replicas };
    const { amount, isShort } = allot(given, ask);
    count(tally, dimension, { keeps: ask.keeps, amount, isShort });
    return [{ principal_id, dimension, minute, amount, is_short: isShort }];
  });
  if (allotted.length > 0) await writeAllotments(tx, replica, allotted);
  const short = await listShort(tx, { minutes: [...startsIn.keys()], limit: countsMax });
  return {
    minute,
    ends_in_ms: (minute + 1) * minuteMs - nowMs,
    start_share: starts[replica] ?? 0,
    next_start_share: nextStarts[replica] ?? null,
    limits: allotted.map(({ principal_id, dimension, minute, amount }) => ({
      principal_id,
      dimension,
      minute,
      amount,
    })),
    short: short.flatMap(({ principal_id, minute, dimension }) =>
      isDimension(dimension) ? [{ principal_id, minute, dimension }] : [],
    ),
  };
}

const isDimension = (text: string): text is Dimension => text === 'requests' || text === 'tokens';

const nameOf = ({ minute, principal_id, dimension }: LimitPlace): string =>
  `${minute} ${principal_id} ${dimension}`;
