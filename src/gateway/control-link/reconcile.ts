// Asks the control plane for this replica's allotments of rate limits and budgets, regularly and when
// one runs out (specification, "Reconciliation"). A control plane of an older release divides limits by
// the demand that this replica saw.

import { setTimeout as sleep } from 'node:timers/promises';

import type { Clock } from '../../lib/clock.ts';
import type { AllottedBudgets } from '../../limits/allotted-budgets.ts';
import type { Limiter } from '../../limits/limiter.ts';
import { countsMax, reconcileAnswer } from '../../limits/reconciliation.ts';
import type { ReconcileReport } from '../../limits/reconciliation.ts';
import type { Log } from '../../telemetry/log.ts';
import type { ControlClient } from './client.ts';

export type ReconcileOptions = Readonly<{
  client: Pick<ControlClient, 'post'>;
  limiter: Limiter;
  budgets: AllottedBudgets;
  /** Identifies this process among the replicas. */
  replica: string;
  log: Log;
  intervalMs: number;
  monotonic: Clock;
}>;

/** Shares of older control planes expire after this many intervals. */
const intervalsMax = 3;
/** Allotments last for a minute, so they are asked for at least this often. */
const intervalMaxMs = 20_000;
/** The least time between two reports, and after one that failed. */
const pauseMs = 250;
const retryMs = 1_000;
/** A start waits for the first report for at most this long. */
const firstMs = 1_000;

/** A stop waits for the control plane for at most this long. */
const leaveMs = 2_000;

export type Reconciling = Readonly<{
  /** Resolves after the first report, or after a second when the control plane does not answer. */
  first: Promise<void>;
  /** Call it after the last request. */
  stop: () => Promise<void>;
}>;

/** The first report is sent at once. */
export function startReconcile(options: ReconcileOptions): Reconciling {
  const stopping = new AbortController();
  const { signal } = stopping;
  const reported = Promise.withResolvers<void>();
  const loop = keepReconciling(options, signal, reported.resolve);
  return {
    first: Promise.race([reported.promise, pass(firstMs, signal)]),
    stop: async () => {
      stopping.abort();
      await leave(options, await loop);
    },
  };
}

async function keepReconciling(
  options: ReconcileOptions,
  signal: AbortSignal,
  onReported: () => void,
): Promise<number> {
  const { limiter, budgets, log } = options;
  const intervalMs = Math.min(options.intervalMs, intervalMaxMs);
  let low = new AbortController();
  limiter.onLow(() => low.abort());
  budgets.onLow(() => low.abort());
  let isFailing = false;
  let sequence = 1;
  for (; !signal.aborted; sequence++) {
    low = new AbortController();
    try {
      const isAskedFor = await reconcileOnce({ ...options, intervalMs, sequence }, signal);
      if (isFailing) log.info({}, 'rate limits and budgets are reconciled again');
      isFailing = false;
      if (isAskedFor) low.abort();
    } catch (error) {
      if (signal.aborted) break;
      // Logged once per change of state.
      if (!isFailing) log.warn({ error }, 'rate limits and budgets were not reconciled');
      isFailing = true;
    }
    onReported();
    const leastMs = Math.min(isFailing ? retryMs : pauseMs, intervalMs);
    await pass(leastMs, signal);
    await pass(intervalMs - leastMs, AbortSignal.any([signal, low.signal]));
  }
  return sequence + 1;
}

/** Gives back what was not used, so that a new process can use it at once. */
async function leave(
  { client, limiter, replica, monotonic }: ReconcileOptions,
  sequence: number,
): Promise<void> {
  const limits = limiter.allotted.takeUsed({ nowMs: monotonic(), countMax: countsMax });
  if (limits === null) return;
  const report: ReconcileReport = {
    replica_id: replica,
    counts: [],
    asks: { sequence, limits, leaves: true },
  };
  // Otherwise it expires with the minute.
  await client
    .post('/limits/reconcile', report, AbortSignal.timeout(leaveMs))
    .catch(() => undefined);
}

/** Ends early when the signal is aborted. */
const pass = (ms: number, signal: AbortSignal): Promise<void> =>
  sleep(ms, undefined, { signal, ref: false }).catch(() => {});

type Report = ReconcileOptions & Readonly<{ sequence: number }>;

/**
 * Demand of a failed report is dropped, because it does not predict future demand. Returns true if
 * another report is needed soon.
 */
async function reconcileOnce(
  { client, limiter, budgets, replica, intervalMs, monotonic, sequence }: Report,
  signal: AbortSignal,
): Promise<boolean> {
  const sentAtMs = monotonic();
  const ahead = { nowMs: sentAtMs, intervalMs, countMax: countsMax };
  const report: ReconcileReport = {
    replica_id: replica,
    counts: limiter.takeDemand(countsMax).map(({ principalId, requests, tokens }) => ({
      principal_id: principalId,
      requests,
      tokens: Math.min(tokens, Number.MAX_SAFE_INTEGER),
    })),
    asks: {
      sequence,
      ...(budgets.replicas === null ? {} : { replicas: budgets.replicas }),
      limits: limiter.allotted.takeAsks(ahead),
      budgets: budgets.takeAsks(ahead),
    },
  };
  const { status, body } = await client.post('/limits/reconcile', report, signal);
  if (status !== 200) throw new Error(`status ${status}`);
  const { allowances, allotments } = reconcileAnswer.parse(JSON.parse(body.toString()));
  const times = { sentAtMs, nowMs: monotonic() };
  const isBudgetShort = budgets.apply(allotments?.budgets, times);
  if (allotments !== undefined) return limiter.allotted.apply(allotments, times) || isBudgetShort;
  const shares = allowances.map((one) => ({
    principalId: one.principal_id,
    requests: one.requests_share,
    tokens: one.tokens_share,
  }));
  limiter.setShares(shares, { untilMs: times.nowMs + intervalsMax * intervalMs });
  return false;
}
