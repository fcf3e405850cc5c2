// Asks the control plane for this replica's shares of the rate limits, by the demand that it saw (specification,
// "Reconciliation"). While the control plane is away the shares end by themselves, and the full limits count.

import { setTimeout as sleep } from 'node:timers/promises';

import type { Clock } from '../../lib/clock.ts';
import type { Limiter } from '../../limits/limiter.ts';
import { countsMax, reconcileAnswer } from '../../limits/reconciliation.ts';
import type { ReconcileReport } from '../../limits/reconciliation.ts';
import type { Log } from '../../telemetry/log.ts';
import type { ControlClient } from './client.ts';

export type ReconcileOptions = Readonly<{
  client: Pick<ControlClient, 'post'>;
  limiter: Limiter;
  /** Names this process among the replicas. */
  replica: string;
  log: Log;
  intervalMs: number;
  monotonic: Clock;
}>;

/** A share that is older than so many intervals counts no more. */
const intervalsMax = 3;

/** The first report goes out at once, so that this replica is counted among the others. */
export function startReconcile(options: ReconcileOptions): Readonly<{ stop: () => Promise<void> }> {
  const stopping = new AbortController();
  const loop = keepReconciling(options, stopping.signal);
  return {
    stop: async () => {
      stopping.abort();
      await loop;
    },
  };
}

async function keepReconciling(options: ReconcileOptions, signal: AbortSignal): Promise<void> {
  const { intervalMs, log } = options;
  let isFailing = false;
  while (!signal.aborted) {
    try {
      await reconcileOnce(options, signal);
      if (isFailing) log.info({}, 'rate limits are reconciled again');
      isFailing = false;
    } catch (error) {
      if (signal.aborted) return;
      // Once a change of state: a control plane that is away for a day is not a line every interval.
      if (!isFailing) log.warn({ error }, 'rate limits were not reconciled');
      isFailing = true;
    }
    await sleep(intervalMs, undefined, { signal, ref: false }).catch(() => {});
  }
}

/** Demand that could not be told is not told later: it is no measure of what comes next. */
async function reconcileOnce(options: ReconcileOptions, signal: AbortSignal): Promise<void> {
  const { client, limiter, replica, intervalMs, monotonic } = options;
  const report: ReconcileReport = {
    replica_id: replica,
    counts: limiter.takeDemand(countsMax).map(({ principalId, requests, tokens }) => ({
      principal_id: principalId,
      requests,
      tokens: Math.min(tokens, Number.MAX_SAFE_INTEGER),
    })),
  };
  const { status, body } = await client.post('/limits/reconcile', report, signal);
  if (status !== 200) throw new Error(`status ${status}`);
  const { allowances } = reconcileAnswer.parse(JSON.parse(body.toString()));
  const shares = allowances.map((one) => ({
    principalId: one.principal_id,
    requests: one.requests_share,
    tokens: one.tokens_share,
  }));
  limiter.setShares(shares, { untilMs: monotonic() + intervalsMax * intervalMs });
}
