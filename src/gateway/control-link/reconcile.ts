// Requests this replica's shares of the rate limits from the control plane, based on the demand that it saw (specification,
// "Reconciliation"). While the control plane is unavailable, the shares expire and the full limits apply.

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
  /** Identifies this process among the replicas. */
  replica: string;
  log: Log;
  intervalMs: number;
  monotonic: Clock;
}>;

/** Shares expire after this many intervals. */
const intervalsMax = 3;

/** The first report is sent at once, so that this replica is counted. */
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
      // Logged once per change of state.
      if (!isFailing) log.warn({ error }, 'rate limits were not reconciled');
      isFailing = true;
    }
    await sleep(intervalMs, undefined, { signal, ref: false }).catch(() => {});
  }
}

/** Demand of a failed report is dropped, because it does not predict future demand. */
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
